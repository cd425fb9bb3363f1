// SPDX-License-Identifier: Apache-2.0
//
// The words and the tables of `import`.
#include <algorithm>

#include "orchestrator/answers/study/import_table.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/terminal/answers.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostPoints = 100;  // that people want to read

std::string table_of(const ImportedCurve& curve, bool relative) {
  const int k0 = curve.points.front().k;
  const std::vector<ColumnOf<ImportedPoint>> columns = {
      {"K", [](auto& p) { return std::to_string(p.k); }},
      {"RUNS", [](auto& p) { return std::to_string(p.runs); }},
      {relative ? "T (relative)" : "T (s)", [](auto& p) { return number_text(p.seconds, 4); }},
      {"S", [](auto& p) { return fixed_text(p.speedup, 2); }},
      {"E", [](auto& p) { return fixed_text(p.efficiency, 3); }},
  };
  std::vector<ImportedPoint> shown = curve.points;
  shown.resize(std::min(shown.size(), kMostPoints));
  const std::size_t more = curve.points.size() - shown.size();
  return curve_name(curve.build, curve.case_name, curve.mode) +
         (k0 > 1 ? " (relative to K=" + std::to_string(k0) + ")" : "") + "\n" +
         to_table(columns, shown, 2) +
         (more > 0 ? "  and " + std::to_string(more) + " more K\n" : "");
}

}  // namespace

std::string to_text(const ImportAnswer& answer, int width) {
  std::string text;
  if (answer.created) {
    text = "study " + answer.study + ": " + counted(answer.runs, "run") + " from " + answer.file +
           (answer.before.empty() ? "" : ", which has changed since " + answer.before) + "\n";
  } else {
    text = answer.file + " is study " + answer.study +
           " already; nothing was written. Import it again with --new.\n";
  }
  for (const ImportedCurve& curve : answer.curves) {
    text += "\n" + table_of(curve, answer.relative);
  }
  text += "\n" + notes_text(answer.caveats, width);
  return plain_lines(text + "report: kneepoint report " + answer.study + "\n");
}

}  // namespace kneepoint
