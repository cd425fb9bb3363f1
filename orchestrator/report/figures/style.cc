// SPDX-License-Identifier: Apache-2.0
//
// How figures look. The colours are those that Okabe and Ito chose to be told apart by everybody,
// lighter ones on dark; shape, dash and pattern say the same again.
#include "orchestrator/report/figures/figures.h"

namespace kneepoint {

const std::string& figure_style() {
  static const std::string style = R"(
svg.kp{--ink:#1a1f26;--mute:#545d69;--grid:#e4e7eb;--axis:#7d8793;--paper:#fff;--c1:#0072b2;--c2:#c24e00;--c3:#007a5a;--c4:#9c4f7d;--c5:#e69f00;--sky:#56b4e9}
@media (prefers-color-scheme:dark){svg.kp{--ink:#e9ecef;--mute:#aab3bd;--grid:#2b323b;--axis:#7b8794;--paper:#161a20;--c1:#6cc0f0;--c2:#ff9a57;--c3:#35cfa0;--c4:#e3a3c8;--c5:#e69f00;--sky:#2f7fb0}}
@media print{svg.kp{--ink:#000;--mute:#444;--grid:#ddd;--axis:#666;--paper:#fff;--c1:#0072b2;--c2:#c24e00;--c3:#007a5a;--c4:#9c4f7d;--c5:#e69f00;--sky:#56b4e9}}
.kp{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.kp text{font-size:11px;fill:var(--mute);stroke:none}
.kp .yt{text-anchor:end}
.kp .kt{text-anchor:middle}
.kp .ti{font-size:13px;font-weight:600;fill:var(--ink)}
.kp .lb{fill:var(--ink)}
.kp .mu{font-style:italic}
.kp .hl,.kp .knt{fill:var(--c2);font-weight:600}
.kp .fpt{fill:var(--ink);font-weight:600}
.kp .bg{fill:var(--paper)}
.kp path{fill:none}
.kp .ax{stroke:var(--axis)}
.kp .gr{stroke:var(--grid)}
.kp .ex{fill:url(#kp-hatch);stroke:none}
.kp .ba{fill:var(--c3);fill-opacity:.16;stroke:none}
.kp .mo{stroke:var(--c3);stroke-width:1.8}
.kp .mx{stroke-dasharray:5 4}
.kp .id{stroke:var(--mute);stroke-width:1.2;stroke-dasharray:2 3}
.kp .fl{stroke:var(--mute);stroke-width:1;stroke-dasharray:7 4}
.kp .fp{stroke:var(--ink);stroke-width:1.3;stroke-dasharray:7 3}
.kp .kb{fill:var(--c2);fill-opacity:.14;stroke:none}
.kp .kn{stroke:var(--c2);stroke-width:1.8}
.kp .me circle,.kp .me path,.kp circle.me{fill:var(--c1);stroke:var(--c1);stroke-width:1.4}
.kp .we path{fill:var(--c4);stroke:var(--c4);stroke-width:1.4}
.kp .eb,.kp .me .eb,.kp .we .eb,.kp .us .eb{fill:none;stroke-width:1.4}
.kp .ho circle,.kp circle.ho{fill:var(--paper)}
.kp .us path,.kp path.us{fill:var(--c2);stroke:var(--paper);stroke-width:1}
.kp .us .eb{stroke:var(--c2)}
.kp path.b1,.kp .b1{fill:var(--sky)}
.kp path.b2,.kp .b2{fill:url(#kp-dots)}
.kp path.b3,.kp .b3{fill:url(#kp-lines)}
.kp .hv path{pointer-events:all}
.kp .hb{stroke:var(--mute);stroke-opacity:.35}
.kp .p2{fill:var(--c5)}
.kp .p3{fill:var(--c2)}
.kp .pi{fill:#1a1f26;stroke:none}
.kp .pl{stroke:#fff;stroke-opacity:.75;stroke-width:1.6}
)";
  return style;
}

const std::string& figure_patterns() {
  static const std::string patterns =
      "<defs>"
      "<pattern id=\"kp-hatch\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><path class=\"hb\" d=\"M0 0V7\"/></pattern>"
      "<pattern id=\"kp-dots\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
      "<rect class=\"p2\" width=\"6\" height=\"6\"/><circle class=\"pi\" cx=\"3\" cy=\"3\" "
      "r=\"1\"/>"
      "</pattern>"
      "<pattern id=\"kp-lines\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><rect class=\"p3\" width=\"6\" height=\"6\"/>"
      "<path class=\"pl\" d=\"M3 0V6\"/></pattern></defs>\n";
  return patterns;
}

}  // namespace kneepoint
