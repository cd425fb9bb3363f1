// SPDX-License-Identifier: Apache-2.0
//
// Charts that move, on uPlot: curves, points with intervals, marked lines. Colours are CSS variables
// read at every draw, so that light and dark are the style sheet's. A chart is a picture with a
// label; whoever makes one puts a table beside it.
import uPlot from 'uplot';

import {h} from './dom';

export interface Line {
  label: string;
  colour: string; // a CSS variable: "--kp-c1"
  points?: boolean; // measured: points...
  joined?: boolean; // ...with a thin line between them
  dash?: number[];
  low?: (number | null)[];
  high?: (number | null)[];
}

export interface Mark {
  at: number;
  label: string;
  colour: string;
  axis?: 'x' | 'y';
}

export interface ChartOptions {
  title: string;
  x: string;
  y: string;
  logX?: boolean;
  logY?: boolean;
  yRange?: [number, number];
  xFormat?: (value: number) => string;
  yFormat?: (value: number) => string;
  height?: number;
  zoom?: boolean;
  lines: Line[];
}

export interface Chart {
  host: HTMLElement;
  update(x: readonly number[], ys: readonly (readonly (number | null)[])[], marks: readonly Mark[], label: string): void;
  redraw(): void;
  zoom(from: number, to: number): void;
  destroy(): void;
}

const font = '12px system-ui, sans-serif';

export function makeChart(host: HTMLElement, options: ChartOptions): Chart {
  let marks: readonly Mark[] = [];
  const colour = (name: string) => getComputedStyle(host).getPropertyValue(name).trim() || '#888';

  // Draws within the figure; `p`: pixels of the screen for one of the page.
  const clipped = (draw: (u: uPlot, p: number) => void) => (u: uPlot) => {
    const {ctx, bbox} = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    draw(u, window.devicePixelRatio || 1);
    ctx.restore();
  };

  // Marked lines with their label beside them; labels of neighbours go below one another.
  const drawMarks = clipped((u, p) => {
    const {ctx, bbox} = u;
    ctx.font = `${12 * p}px system-ui, sans-serif`;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'alphabetic';
    let row = 0;
    for (const mark of marks) {
      const alongX = mark.axis !== 'y';
      const place = Math.round(u.valToPos(mark.at, alongX ? 'x' : 'y', true));
      if (!Number.isFinite(place)) continue;
      ctx.strokeStyle = ctx.fillStyle = colour(mark.colour);
      ctx.lineWidth = 1.5 * p;
      ctx.setLineDash([5 * p, 4 * p]);
      ctx.beginPath();
      if (alongX) {
        ctx.moveTo(place, bbox.top);
        ctx.lineTo(place, bbox.top + bbox.height);
      } else {
        ctx.moveTo(bbox.left, place);
        ctx.lineTo(bbox.left + bbox.width, place);
      }
      ctx.stroke();
      const width = ctx.measureText(mark.label).width;
      if (alongX) {
        const fits = place + width + 8 * p < bbox.left + bbox.width;
        ctx.fillText(mark.label, fits ? place + 5 * p : place - width - 5 * p, bbox.top + (14 + 16 * row++) * p);
      } else {
        // Above the line, or below it where the figure ends.
        ctx.fillText(mark.label, bbox.left + 6 * p, place - bbox.top < 18 * p ? place + 14 * p : place - 5 * p);
      }
    }
  });

  const drawBars = clipped((u, p) => {
    const {ctx} = u;
    options.lines.forEach((line, i) => {
      if (!line.low || !line.high || u.series[i + 1]?.show === false) return;
      ctx.strokeStyle = colour(line.colour);
      ctx.lineWidth = 1.5 * p;
      for (let at = 0; at < u.data[0].length; ++at) {
        const low = line.low[at];
        const high = line.high[at];
        const value = u.data[i + 1]?.[at];
        if (low == null || high == null || value == null) continue;
        const x = u.valToPos(u.data[0][at] as number, 'x', true);
        const a = u.valToPos(low, 'y', true);
        const b = u.valToPos(high, 'y', true);
        ctx.beginPath();
        ctx.moveTo(x, a);
        ctx.lineTo(x, b);
        for (const end of [a, b]) {
          ctx.moveTo(x - 4 * p, end);
          ctx.lineTo(x + 4 * p, end);
        }
        ctx.stroke();
      }
    });
  });

  type Filter = (u: uPlot, splits: number[]) => (number | null)[];
  const axis = (label: string, filter: Filter | null, format: ((value: number) => string) | undefined): uPlot.Axis => ({
    label,
    labelFont: font,
    font,
    labelSize: 20,
    stroke: () => colour('--kp-ink-2'),
    grid: {stroke: () => colour('--kp-line'), width: 1, ...(filter ? {filter} : {})},
    ticks: {stroke: () => colour('--kp-line'), width: 1, size: 5, ...(filter ? {filter} : {})},
    ...(filter ? {filter} : {}),
    ...(format ? {values: (_u, splits: (number | null)[]) => splits.map((one) => (one == null ? '' : format(one)))} : {}),
  });

  const width = () => Math.max(240, host.clientWidth);
  const u = new uPlot({
    width: width(),
    height: options.height ?? 240,
    scales: {
      x: {time: false, ...(options.logX ? {distr: 3 as const, log: 2 as const} : {})},
      y: {
        ...(options.logY ? {distr: 3 as const, log: 10 as const} : {}),
        ...(options.yRange ? {range: options.yRange} : {}),
      },
    },
    axes: [
      {...axis(options.x, options.logX ? thinned : null, options.xFormat), size: 34},
      {...axis(options.y, options.logY ? decades : null, options.yFormat), size: 64},
    ],
    legend: {show: false},
    cursor: {drag: {x: options.zoom ?? false, y: false}},
    padding: [8, 14, 0, 0],
    series: [
      {label: options.x},
      ...options.lines.map((line): uPlot.Series => ({
        label: line.label,
        stroke: () => colour(line.colour),
        width: 2,
        ...(line.dash ? {dash: line.dash} : {}),
        ...(line.points
          ? {...(line.joined ? {width: 1} : {paths: () => null}), points: {show: true, size: 8, fill: () => colour(line.colour)}}
          : {points: {show: false}, spanGaps: true}),
      })),
    ],
    hooks: {draw: [drawBars, drawMarks]},
  }, [[], ...options.lines.map(() => [])] as unknown as uPlot.AlignedData, host);
  host.setAttribute('role', 'img');

  const onResize = new ResizeObserver(() => {
    if (u.width !== width()) u.setSize({width: width(), height: u.height});
  });
  onResize.observe(host);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const redraw = () => u.redraw(false);
  dark.addEventListener('change', redraw);
  window.addEventListener('beforeprint', redraw); // the colours of paper are others
  window.addEventListener('afterprint', redraw);

  return {
    host,
    update(x, ys, newMarks, label) {
      marks = newMarks;
      host.setAttribute('aria-label', label);
      u.setData([x, ...ys] as unknown as uPlot.AlignedData);
    },
    redraw,
    zoom(from, to) {
      u.setScale('x', {min: from, max: to});
    },
    destroy() {
      onResize.disconnect();
      dark.removeEventListener('change', redraw);
      window.removeEventListener('beforeprint', redraw);
      window.removeEventListener('afterprint', redraw);
      u.destroy();
    },
  };
}

// What the lines are, in words and the colours of the style sheet.
export function legend(lines: readonly Line[]): HTMLElement {
  return h('p', {class: 'legend'}, ...lines.map((line) => {
    const key = h('span', {class: line.points ? 'key dot' : line.dash ? 'key dashed' : 'key'});
    key.style.color = `var(${line.colour})`;
    return h('span', {}, key, ` ${line.label}`);
  }));
}

// 1, 2 and 5 of every decade where there are few of them, else the decades alone.
function decades(_u: uPlot, splits: number[]): (number | null)[] {
  const wanted = splits.length > 20 ? ['1'] : ['1', '2', '5'];
  return splits.map((one) => (wanted.includes(one.toExponential(0).charAt(0)) ? one : null));
}

// As many labels on a logarithmic axis as have room.
function thinned(u: uPlot, splits: number[]): (number | null)[] {
  const every = Math.ceil(splits.length / Math.max(2, (u.width - 80) / 38));
  return splits.map((one, i) => (i % every === 0 ? one : null));
}
