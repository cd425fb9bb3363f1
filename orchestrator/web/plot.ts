// SPDX-License-Identifier: Apache-2.0
//
// A small SVG figure of points with intervals over K (log2): live efficiency, and the ratios of a
// comparison. Every point says itself on hover and to a screen reader; a table stands beside it.
import {digits, svg} from './dom';

export interface PlotPoint {
  k: number;
  y: number | null;
  low: number | null;
  high: number | null;
  open?: boolean; // not all its runs are there yet
  title: string;
}
export interface PlotOptions {
  label: string;
  y: string;
  points: readonly PlotPoint[];
  lines: readonly {at: number; label: string}[];
  range: [number, number];
}

const width = 460;
const height = 250;
const margin = {left: 50, right: 16, top: 12, bottom: 42};

export function plot(options: PlotOptions): SVGElement {
  const ks = options.points.map((point) => point.k);
  const first = Math.log2(Math.min(...ks, 1e9));
  const last = Math.max(Math.log2(Math.max(...ks, 1)), first + 1);
  const pad = 0.06 * (last - first);
  const x = (k: number) => margin.left + ((Math.log2(k) - first + pad) / (last - first + 2 * pad)) * (width - margin.left - margin.right);
  const [bottom, top] = options.range;
  const clamp = (value: number) => Math.min(top, Math.max(bottom, value));
  const y = (value: number) => margin.top + ((top - clamp(value)) / (top - bottom)) * (height - margin.top - margin.bottom);
  const figure = svg('svg', {viewBox: `0 0 ${width} ${height}`, class: 'plot', role: 'img', 'aria-label': options.label});
  const step = tickStep(top - bottom);
  for (let i = Math.ceil(bottom / step - 1e-9); i * step <= top + 1e-9; ++i) {
    const tick = i === 0 ? 0 : i * step;
    figure.append(
        svg('line', {class: 'grid', x1: margin.left, x2: width - margin.right, y1: y(tick), y2: y(tick)}),
        svg('text', {class: 'tick', x: margin.left - 7, y: y(tick) + 4, 'text-anchor': 'end'}, digits(tick)));
  }
  let before = -Infinity;
  for (const k of [...new Set(ks)].sort((a, b) => a - b)) {
    figure.append(svg('line', {class: 'grid', x1: x(k), x2: x(k), y1: margin.top, y2: height - margin.bottom}));
    if (x(k) - before < 24) continue;
    before = x(k);
    figure.append(svg('text', {class: 'tick', x: x(k), y: height - margin.bottom + 17, 'text-anchor': 'middle'}, k));
  }
  figure.append(
      svg('text', {class: 'tick', x: (margin.left + width - margin.right) / 2, y: height - 6, 'text-anchor': 'middle'}, 'K'),
      svg('text', {class: 'tick', x: 13, y: (margin.top + height - margin.bottom) / 2, 'text-anchor': 'middle',
        transform: `rotate(-90 13 ${(margin.top + height - margin.bottom) / 2})`}, options.y));
  for (const line of options.lines) {
    figure.append(
        svg('line', {class: 'floor', x1: margin.left, x2: width - margin.right, y1: y(line.at), y2: y(line.at)}),
        svg('text', {class: 'floor-text', x: width - margin.right - 3, y: y(line.at) - 4, 'text-anchor': 'end'}, line.label));
  }
  for (const point of options.points) figure.append(mark(point, x(point.k), y));
  return figure;
}

function mark(point: PlotPoint, x: number, y: (value: number) => number): SVGElement {
  const group = svg('g', {class: point.open ? 'point open' : 'point'}, svg('title', {}, point.title));
  if (point.y === null) {
    group.append(svg('text', {class: 'planned', x, y: height - margin.bottom - 6, 'text-anchor': 'middle'}, '…'));
    return group;
  }
  if (point.low !== null && point.high !== null) {
    const low = y(point.low);
    const high = y(point.high);
    group.append(svg('path', {class: 'interval', d: `M${x} ${low}V${high}M${x - 5} ${low}h10M${x - 5} ${high}h10`}));
  }
  group.append(svg('circle', {cx: x, cy: y(point.y), r: 5}), svg('circle', {class: 'reach', cx: x, cy: y(point.y), r: 14}));
  return group;
}

function tickStep(range: number): number {
  const rough = range / 6;
  const decade = 10 ** Math.floor(Math.log10(rough));
  return decade * ([1, 2, 5, 10].find((one) => one * decade >= rough - 1e-12) ?? 10);
}
