// SPDX-License-Identifier: Apache-2.0
//
// How the page looks, and its one small script: the K axis of the figures from log2 to linear and
// back, and details that are open on paper. Without the script the page shows log2.
#include "orchestrator/report/html/html.h"

namespace kneepoint::html {

const char* const kStyle = R"css(
:root{color-scheme:light dark;--ink:#1a1f26;--mute:#545d69;--line:#d9dee4;--paper:#fff;--soft:#f4f6f8;--c1:#0067a5;--c2:#b04a00;--c4:#8d4470;--warn:#fdf1d8;--red:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e9ecef;--mute:#aab3bd;--line:#333c46;--paper:#161a20;--soft:#1e242c;--c1:#6cc0f0;--c2:#ff9a57;--c4:#e3a3c8;--warn:#3a2f14;--red:#ff8a80}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:3.5rem}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
header,main,footer{max-width:1400px;margin:0 auto;padding:0 1.25rem}
header{padding-top:1.5rem}
h1{font-size:1.5rem;line-height:1.25;margin:0}
h2{font-size:1.25rem;margin:2.25rem 0 .75rem;padding-top:.75rem;border-top:2px solid var(--line)}
h3{font-size:1.05rem;margin:1.25rem 0 .4rem}
h4{font-size:.92rem;margin:1.1rem 0 .35rem}
p{margin:.4rem 0}
a{color:var(--c1)}
code{font:.86em ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;color:var(--mute)}
.sub{color:var(--mute);font-size:.9rem}
.lead{font-size:1.1rem;font-weight:600;margin:.6rem 0}
.red{border-left:5px solid var(--red);background:var(--soft);padding:.6rem .9rem;font-weight:600}
.finding{border-left:5px solid var(--c2);background:var(--warn);padding:.5rem .9rem}
.bar{position:sticky;top:0;z-index:2;background:var(--paper);border-bottom:1px solid var(--line);margin-top:1rem}
.bar>div{max-width:1400px;margin:0 auto;padding:.3rem 1.25rem;display:flex;gap:.3rem 1.2rem;align-items:center;font-size:.88rem}
.bar nav{display:flex;gap:1rem;min-width:0;overflow-x:auto;white-space:nowrap;padding:3px}
.bar fieldset{border:0;margin:0 0 0 auto;padding:0;display:none;gap:.9rem;align-items:center}
.js .bar fieldset{display:flex}
.bar legend{float:left;padding:0 .6rem 0 0;color:var(--mute)}
.bar input{accent-color:var(--c1);margin:0 .3rem 0 0}
:focus-visible{outline:3px solid var(--c1);outline-offset:2px}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem}
.card{border:1px solid var(--line);border-radius:10px;padding:.8rem 1rem;background:var(--soft)}
.card h3{margin:0 0 .3rem;max-height:6.5em;overflow:auto}
.modes{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,21rem),1fr));gap:.2rem 2rem}
.mode{padding:.45rem 0;border-top:1px solid var(--line)}
.use{display:flex;gap:.6rem;align-items:center;margin:.1rem 0 .3rem}
.use strong{font-size:1.3rem}
.badge{font-size:.75rem;border:1px solid currentColor;border-radius:99px;padding:.02rem .55rem;color:var(--mute)}
.badge.strong{color:var(--c1)}
.badge.weak{color:var(--c4)}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.15rem .8rem;margin:0;font-size:.92rem}
dt{color:var(--mute)}
dd{margin:0}
.facts dt{max-width:16rem}
.how{grid-template-columns:minmax(7rem,max-content) minmax(0,75ch);gap:.5rem 1.2rem}
.how dt{color:var(--ink);font-weight:600}
.how dt:target,.how dt:target+dd{background:var(--warn)}
ol.five{padding-left:1.4rem}
ol.five li{margin:.5rem 0}
ol.five ul{padding-left:1.1rem;margin:.15rem 0;color:var(--ink)}
.case{content-visibility:auto;contain-intrinsic-size:auto 1800px}
.case h2{max-height:9em;overflow:auto}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,23.5rem),1fr));gap:1rem 1.2rem;margin:.6rem 0 1rem}
figure{margin:0;min-width:0;break-inside:avoid}
figure.both{max-width:860px;overflow-x:auto}
figure.both svg{min-width:36rem}
figure svg{display:block;width:100%;height:auto;border:1px solid var(--line);border-radius:8px;padding:6px;background:var(--paper)}
figcaption{font-size:.82rem;color:var(--mute);margin:.3rem .2rem 0}
.wide{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums;overflow-wrap:normal}
th,td{padding:.22rem .7rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--mute);font-weight:600;vertical-align:bottom}
td i{color:var(--mute);font-style:normal}
.l{text-align:left;white-space:normal;max-width:32rem;min-width:4rem}
details{margin:.6rem 0}
summary{cursor:pointer;color:var(--c1);padding:.2rem 0}
ul{padding-left:1.2rem;margin:.4rem 0}
footer{padding-top:2rem;padding-bottom:2rem;color:var(--mute);font-size:.85rem}
.patterns{position:absolute;width:0;height:0}
@media (max-width:40rem){html{scroll-padding-top:5rem}.bar>div{flex-wrap:wrap}header,main,footer,.bar>div{padding-left:.8rem;padding-right:.8rem}.how,.facts{grid-template-columns:minmax(0,1fr);gap:.1rem}.how dd,.facts dd{margin-bottom:.5rem}figure svg{padding:2px}}
@media print{:root{color-scheme:light;--ink:#000;--mute:#444;--line:#ccc;--paper:#fff;--soft:#fff;--c1:#0067a5;--c2:#b04a00;--c4:#8d4470;--warn:#fff}
body{font-size:10.5pt}.bar{display:none}.case{content-visibility:visible}.card,tr{break-inside:avoid}h2,h3,h4,h3+.sub{break-after:avoid}
.figures{grid-template-columns:1fr 1fr}figure.both svg{min-width:0}.wide{overflow:visible}table{font-size:8pt}th,td{padding:.12rem .35rem}}
)css";

const char* const kScript = R"js(
(function () {
  'use strict';
  var root = document.documentElement, original = new Map();
  root.classList.add('js');
  function kept(element, name) {
    if (!original.has(element)) original.set(element, element.getAttribute(name));
    return original.get(element);
  }
  // A figure knows its K axis: lowest and highest K, where they lie, and the right edge.
  function redraw(figure, linear) {
    var a = figure.getAttribute('data-kx').split(' ').map(Number);
    var lo = a[0], hi = a[1], x0 = a[2], width = a[3] - a[2], edge = a[4];
    function place(k) {
      var share = linear ? (k - lo) / (hi - lo) : Math.log(k / lo) / Math.log(hi / lo);
      return Math.min(edge, x0 + share * width);
    }
    function moved(x) { return place(lo * Math.pow(hi / lo, (x - x0) / width)); }
    figure.querySelectorAll('path.kx').forEach(function (path) {
      var d = kept(path, 'd'), i = 0;
      if (linear) d = d.replace(/-?[\d.]+/g, function (n) { return i++ % 2 ? n : moved(+n).toFixed(1); });
      path.setAttribute('d', d);
    });
    figure.querySelectorAll('[data-k]').forEach(function (mark) {
      var name = ['x', 'cx', 'transform'].find(function (one) { return mark.hasAttribute(one); });
      var was = kept(mark, name);
      var x = place(+mark.getAttribute('data-k')).toFixed(1);
      mark.setAttribute(name, !linear ? was : name !== 'transform' ? x : 'translate(' + x + was.slice(was.indexOf(' ')));
    });
    var ticks = Array.prototype.slice.call(figure.querySelectorAll('.kt text')), free = Infinity, first = ticks[0];
    function half(text) { return text.textContent.length * 3.4 + 3; }
    function at(text) { return place(+text.getAttribute('data-k')); }
    ticks.reverse().forEach(function (text) {
      var clear = text === first || at(text) - half(text) > at(first) + half(first);
      var shown = !linear || (clear && at(text) + half(text) <= free);
      if (shown) free = at(text) - half(text);
      text.style.display = shown ? '' : 'none';
    });
    figure.querySelectorAll('.xs').forEach(function (text) { text.textContent = linear ? 'linear' : 'log2'; });
  }
  document.querySelectorAll('input[name=k-axis]').forEach(function (choice) {
    choice.addEventListener('change', function () {
      document.querySelectorAll('[data-kx]').forEach(function (figure) { redraw(figure, choice.value === 'linear'); });
    });
  });
  var opened = [];
  window.addEventListener('beforeprint', function () {
    opened = Array.prototype.slice.call(document.querySelectorAll('details:not([open])'));
    opened.forEach(function (part) { part.open = true; });
  });
  window.addEventListener('afterprint', function () {
    opened.forEach(function (part) { part.open = false; });
  });
})();
)js";

}  // namespace kneepoint::html
