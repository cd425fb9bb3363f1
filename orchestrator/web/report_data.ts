// SPDX-License-Identifier: Apache-2.0
//
// From the report's JSON (kneepoint.report/1) to where the what-if part starts: the law of the best
// model, what was measured, and prices. Pure. What the report does not say is an example, marked so.
import type {Law, Mode, Price} from './formulas';

interface Valued {
  value: number | null;
}
interface Model {
  name: string;
  coefficients: {one: number; inverse_k: number; log2_k: number; k_minus_1: number};
}
interface ModeReport {
  k0: number;
  emulated: boolean;
  points: {
    k: number;
    time: {median: number | null; low: number | null; high: number | null};
    shape: {nodes: number};
    karp_flatt: Valued;
  }[];
  models: Model[];
}
interface CostReportPoint {
  k: number;
  modelled: boolean;
  results: number;
  // Of the first K that was billed only:
  nodes?: number;
  billed_seconds?: number;
  parts?: {name: string; micros: number}[];
}
export interface Report {
  study: {id: string; backend: string; worker: string; knee_floor: number};
  cases: {case: string; build: string; shape: string; modes: Partial<Record<Mode, ModeReport>>}[];
  cost: {
    currency: string;
    item: string;
    example: boolean;
    curves: {build: string; case: string; shape: string; mode: Mode; result: string; points: CostReportPoint[]}[];
  } | null;
}

export interface Measured {
  k: number;
  seconds: number;
  low: number | null;
  high: number | null;
}

export interface Start {
  name: string;
  mode: Mode;
  law: Law;
  t1: number; // seconds at K = 1, by the law
  lawFrom: string;
  floor: number;
  worker: string;
  measured: Measured[];
  made: string; // how those came about
  nodes: {k: number; nodes: number}[];
  price: Price;
  priceFrom: string;
  currency: string;
  resultName: string;
  resultsAt: (k: number) => number;
  success: number;
}

const fixedParts = new Set(['hourly fee', 'job fee', 'egress']);

// Everything that grows with the nodes becomes one rate for a node and hour, as billed at the first K.
function priceOf(points: readonly CostReportPoint[]): Price | null {
  const first = points.find((point) => !point.modelled && (point.billed_seconds ?? 0) > 0);
  if (first?.billed_seconds === undefined || first.parts === undefined || first.nodes === undefined) return null;
  const {nodes, parts} = first;
  const hours = first.billed_seconds / 3600;
  const sum = (wanted: (name: string) => boolean) =>
    parts.filter((part) => wanted(part.name)).reduce((total, part) => total + part.micros, 0);
  // A bill is rounded to a millionth, so the rate behind it is known so well and no better.
  const rate = (micros: number, count: number) => {
    const step = Math.max(1, 10 ** Math.ceil(Math.log10(1 / hours / count)));
    return Math.round(micros / hours / count / step) * step;
  };
  return {
    perNodeHour: rate(sum((name) => !fixedParts.has(name)), nodes),
    perHour: rate(sum((name) => name === 'hourly fee'), 1),
    perJob: sum((name) => name === 'job fee' || name === 'egress'),
  };
}

// The same number of results at every K, or so many for each worker.
function resultsOf(points: readonly CostReportPoint[], mode: Mode): (k: number) => number {
  const first = points[0];
  if (first === undefined) return mode === 'weak' ? (k) => k : () => 1;
  const same = points.every((point) => point.results === first.results);
  return same ? () => first.results : (k) => (first.results / first.k) * k;
}

function lawOf(mode: Mode, report: ModeReport, measured: readonly Measured[]): {law: Law; t1: number; lawFrom: string} {
  const best = report.models[0];
  if (best !== undefined) {
    const {one, inverse_k, log2_k, k_minus_1} = best.coefficients;
    const t1 = one + inverse_k;
    if (t1 > 0) {
      return {
        // A weak curve says nothing of s: its law has no 1/K term.
        law: {serial: mode === 'weak' ? 0 : one / t1, logCoefficient: log2_k / t1, linear: k_minus_1 / t1},
        t1,
        lawFrom: `the ${best.name} model, the best of those fitted to the runs`,
      };
    }
  }
  const last = report.points[report.points.length - 1];
  const karp = last?.karp_flatt.value ?? null;
  const serial = karp === null ? 0.05 : Math.min(1, Math.max(0, karp));
  const first = measured[0];
  const law = {serial, logCoefficient: 0, linear: 0};
  const unit = first === undefined ? 1 : mode === 'weak' ? 1 : serial + (1 - serial) / first.k;
  return {
    law,
    t1: first === undefined ? 1 : first.seconds / unit,
    lawFrom: karp === null
      ? 'an example: the report has no model of this curve'
      : 'Karp-Flatt at the largest K: the report has no model of this curve',
  };
}

const origins: Record<string, string> = {simulated: 'simulated', import: 'imported'};

export function startsOf(report: Report): Start[] {
  const starts: Start[] = [];
  for (const one of report.cases) {
    for (const mode of ['strong', 'weak'] as const) {
      const found = one.modes[mode];
      if (found === undefined) continue;
      const measured: Measured[] = [];
      const nodes: {k: number; nodes: number}[] = [];
      for (const point of found.points) {
        nodes.push({k: point.k, nodes: point.shape.nodes});
        if (point.time.median === null) continue;
        measured.push({k: point.k, seconds: point.time.median, low: point.time.low, high: point.time.high});
      }
      const curve = report.cost?.curves.find((other) => other.case === one.case && other.build === one.build &&
          other.shape === one.shape && other.mode === mode);
      const costPoints = curve?.points.filter((point) => !point.modelled) ?? [];
      const price = priceOf(costPoints);
      starts.push({
        name: [one.case, one.build, one.shape].filter((word) => word !== '').join(' · ') + `, ${mode}`,
        mode,
        ...lawOf(mode, found, measured),
        floor: report.study.knee_floor,
        worker: report.study.worker,
        measured,
        made: origins[report.study.backend] ?? (found.emulated ? 'emulated' : 'measured'),
        nodes,
        price: price ?? {perNodeHour: 1_000_000, perHour: 0, perJob: 0},
        priceFrom: price === null
          ? 'an example: the report has no prices'
          : `${report.cost?.item ?? ''}${report.cost?.example ? ' (made-up figures)' : ''}, as billed at the first K`,
        currency: report.cost?.currency ?? 'USD',
        resultName: curve?.result || 'result',
        resultsAt: resultsOf(costPoints, mode),
        success: 1,
      });
    }
  }
  return starts;
}
