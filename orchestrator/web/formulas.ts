// SPDX-License-Identifier: Apache-2.0
//
// The formulas of docs/methods.md that the page needs, as the C++ code has them: scaling laws,
// training, bills and the choice of K. Pure. Arguments lie in their domain: the fields clamp them.
// tests/browser compares every function here with C++ over a grid of values.

// strong: T(K) = s + (1-s)/K + c log2 K + d (K-1), in units of T(1).
export interface Law {
  serial: number;
  logCoefficient: number;
  linear: number;
}
export type Mode = 'strong' | 'weak';

const largest = 2 ** 53;
const exact = 1e-12; // a floor met exactly counts as met, whatever rounding does to its last digit

function communication(law: Law, k: number): number {
  return law.logCoefficient * Math.log2(k) + law.linear * (k - 1);
}

function strongTime(law: Law, k: number): number {
  return law.serial + (1 - law.serial) / k + communication(law, k);
}

export interface LawPoint {
  time: number;
  speedup: number; // weak: K times E, results per second
  efficiency: number;
}

export function strongPoint(law: Law, k: number): LawPoint {
  const time = strongTime(law, k);
  return {time, speedup: 1 / time, efficiency: 1 / time / k};
}

// The serial part keeps its size while the problem grows.
export function weakPoint(law: Law, k: number): LawPoint {
  const time = 1 + communication(law, k);
  return {time, speedup: k / time, efficiency: 1 / time};
}

export function lawPoint(law: Law, mode: Mode, k: number): LawPoint {
  return mode === 'weak' ? weakPoint(law, k) : strongPoint(law, k);
}

// Amdahl's 1/s; null without a serial part.
export function ceiling(serial: number): number | null {
  return serial === 0 ? null : 1 / serial;
}

// The largest s with E(K) >= e beside that communication; null: even s = 0 does not do.
export function largestSerialFraction(k: number, e: number, logCoefficient: number, linear: number): number | null {
  const room = 1 / e - 1 - k * communication({serial: 0, logCoefficient, linear}, k);
  if (room < 0) return null;
  return room >= k - 1 ? 1 : room / (k - 1);
}

export interface Optimum {
  k: number;
  kInteger: number;
  kPowerOfTwo: number;
}

// Where the strong T is smallest; null: it falls for ever.
export function fastestK(law: Law): Optimum | null {
  const b = law.logCoefficient / Math.LN2;
  const parallel = 1 - law.serial;
  if (parallel === 0) return {k: 1, kInteger: 1, kPowerOfTwo: 1};
  const divisor = b + Math.sqrt(b * b + 4 * law.linear * parallel);
  if (divisor === 0 || (2 * parallel) / divisor > largest) return null;
  const k = Math.max(1, (2 * parallel) / divisor);
  const better = (low: number, high: number) => (strongTime(law, high) < strongTime(law, low) ? high : low);
  const below = 2 ** Math.floor(Math.log2(k));
  return {k, kInteger: better(Math.floor(k), Math.ceil(k)), kPowerOfTwo: better(below, 2 * below)};
}

export interface Reach {
  k: number;
  beyond: boolean; // it holds up to `to` itself
}

// The last K up to `to` at which E is at or above the floor; E never rises with K.
export function reachOf(law: Law, mode: Mode, to: number, floor: number): Reach {
  const holds = (k: number) => lawPoint(law, mode, k).efficiency >= floor * (1 - exact);
  if (holds(to)) return {k: to, beyond: true};
  let good = 1;
  let bad = to;
  while (bad - good > 1) {
    const middle = good + Math.floor((bad - good) / 2);
    if (holds(middle)) good = middle;
    else bad = middle;
  }
  return {k: good, beyond: false};
}

// --- money: whole millionths of the currency ---------------------------------------------------

export interface Price {
  perNodeHour: number;
  perHour: number; // whatever the nodes
  perJob: number;
}

const nsOfHour = 3_600_000_000_000n;

// `rate` for an hour of each of `count` things over `ns`, to the nearest millionth.
export function perHour(rate: number, count: number, ns: bigint): number {
  const product = BigInt(rate) * BigInt(count) * ns;
  return Number((2n * product + nsOfHour) / (2n * nsOfHour));
}

export function billMicros(price: Price, nodes: number, seconds: number): number {
  const ns = BigInt(Math.round(seconds * 1e9));
  return perHour(price.perNodeHour, nodes, ns) + perHour(price.perHour, 1, ns) + price.perJob;
}

// Of one result, if a run makes `results` and the share `success` of the runs succeeds.
export function costMicros(price: Price, nodes: number, seconds: number, results: number, success: number): number {
  return Math.round((billMicros(price, nodes, seconds) / 1e6 / results / success) * 1e6);
}

// K worth a look: 1, 2, 3, 4, 6, 8, 12 ... up to `to`.
export function modelledKs(to: number): number[] {
  const ks: number[] = [];
  for (let k = 1; k <= to; k *= 2) {
    ks.push(k);
    if (k > 1 && k + k / 2 <= to) ks.push(k + k / 2);
  }
  return ks;
}

// What K workers hold, by what was measured around it: on a line between them, in proportion beyond.
export function nodesAt(measured: readonly {k: number; nodes: number}[], k: number): number {
  const first = measured[0];
  if (first === undefined) return k;
  let low = first;
  let high = measured[measured.length - 1] ?? first;
  for (const point of measured) {
    if (point.k <= k && point.k >= low.k) low = point;
    if (point.k >= k && point.k <= high.k) high = point;
  }
  const at =
    high.k > low.k && k <= high.k
      ? low.nodes + ((high.nodes - low.nodes) * (k - low.k)) / (high.k - low.k)
      : (high.nodes * k) / high.k;
  return Math.ceil(at - 1e-9);
}

export interface CostPoint {
  k: number;
  seconds: number;
  results: number;
  perResult: number; // millionths
}

// The least cost of a result with T within the deadline, the faster of equals; null: none is.
export function cheapestWithin(points: readonly CostPoint[], deadline: number): CostPoint | null {
  let best: CostPoint | null = null;
  for (const point of points) {
    if (point.seconds > deadline) continue;
    const pace = point.seconds / point.results;
    if (best === null || point.perResult < best.perResult ||
        (point.perResult === best.perResult && pace < best.seconds / best.results)) {
      best = point;
    }
  }
  return best;
}

// --- training ----------------------------------------------------------------------------------

export interface BatchCost {
  steps: number; // over the fewest possible
  data: number; // over the least possible
  efficiency: number; // least data / data: one half at the critical batch
}

export function batchCost(batch: number, criticalBatch: number): BatchCost {
  const data = 1 + batch / criticalBatch;
  return {steps: 1 + criticalBatch / batch, data, efficiency: 1 / data};
}

export interface ReplicaCap {
  replicas: number; // 0: one replica's batch is already above the critical batch
  batchOfOne: number;
}

export function replicaCap(criticalBatch: number, micro: number, accumulation: number, sequence: number): ReplicaCap {
  const batchOfOne = micro * accumulation * sequence;
  return {replicas: Math.floor(criticalBatch / batchOfOne), batchOfOne};
}

export interface ParallelPlan {
  replicas: number;
  modelWays: number;
  idle: number;
  efficiency: number; // of the busy ones
}

// Replicas first; beyond the cap only splitting the model is left.
export function planParallelism(gpus: number, cap: ReplicaCap, commRatio: number): ParallelPlan {
  const most = cap.replicas > 0 ? cap.replicas : 1;
  const modelWays = Math.ceil(gpus / most);
  const replicas = Math.floor(gpus / modelWays);
  return {
    replicas,
    modelWays,
    idle: gpus - replicas * modelWays,
    efficiency: modelWays === 1 ? 1 : 1 / (1 + commRatio),
  };
}

// The share of all GPUs' arithmetic that serves the result: batch, splitting and idle GPUs.
export function usefulShare(gpus: number, cap: ReplicaCap, criticalBatch: number, commRatio: number): number {
  const plan = planParallelism(gpus, cap, commRatio);
  const batch = batchCost(plan.replicas * cap.batchOfOne, criticalBatch);
  return (batch.efficiency * plan.efficiency * (gpus - plan.idle)) / gpus;
}

export function trainingFlops(parameters: number, tokens: number): number {
  return 6 * parameters * tokens;
}

export function modelFlopsUtilisation(flops: number, seconds: number, k: number, peak: number): number {
  return flops / seconds / k / peak;
}

// The time that makes modelFlopsUtilisation() be `mfu`.
export function secondsAtUtilisation(flops: number, mfu: number, k: number, peak: number): number {
  return flops / mfu / k / peak;
}
