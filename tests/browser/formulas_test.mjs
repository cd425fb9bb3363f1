// SPDX-License-Identifier: Apache-2.0
//
// The page's formulas against C++: formula_grid prints what C++ answers, and the same functions that
// the page runs must answer the same, to 1e-12 relative; whole numbers exactly.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

import {bundle, requireBundle} from './support.mjs';

requireBundle();
const f = await import(pathToFileURL(join(bundle, 'formulas.mjs')));
const law = (serial, logCoefficient, linear) => ({serial, logCoefficient, linear});
const values = (point) => [point.time, point.speedup, point.efficiency];
const measured = [{k: 1, nodes: 1}, {k: 4, nodes: 1}, {k: 16, nodes: 4}];

const ask = {
  ceiling: (s) => [f.ceiling(s)],
  strong: (s, c, d, k) => values(f.strongPoint(law(s, c, d), k)),
  weak: (s, c, d, k) => values(f.weakPoint(law(s, c, d), k)),
  largest_serial: (k, e, c, d) => [f.largestSerialFraction(k, e, c, d)],
  fastest: (s, c, d) => {
    const best = f.fastestK(law(s, c, d));
    return best === null ? [] : [best.k, best.kInteger, best.kPowerOfTwo];
  },
  reach: (s, c, d, weak, to, floor) => {
    const reach = f.reachOf(law(s, c, d), weak ? 'weak' : 'strong', to, floor);
    return [reach.k, reach.beyond ? 1 : 0];
  },
  bill: (perNodeHour, perHour, perJob, nodes, seconds) => [f.billMicros({perNodeHour, perHour, perJob}, nodes, seconds)],
  cost: (perNodeHour, perHour, perJob, nodes, seconds, results, success) =>
    [f.costMicros({perNodeHour, perHour, perJob}, nodes, seconds, results, success)],
  nodes_at: (...numbers) => [f.nodesAt(measured, numbers[6])],
  modelled_ks: (to) => f.modelledKs(4 * to).filter((k) => k > 1 && k !== to),
  cheapest: (s, c, d, fee, deadline) => {
    const price = {perNodeHour: 2500000, perHour: fee, perJob: 0};
    const points = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64].map((k) => {
      const seconds = 100 * f.strongPoint(law(s, c, d), k).time;
      return {k, seconds, results: 1, perResult: f.costMicros(price, f.nodesAt(measured, k), seconds, 1, 1)};
    });
    const best = f.cheapestWithin(points, deadline);
    return best === null ? [] : [best.k, best.perResult];
  },
  cap: (critical, micro, accumulation, sequence) => {
    const cap = f.replicaCap(critical, micro, accumulation, sequence);
    return [cap.replicas, cap.batchOfOne];
  },
  batch: (batch, critical) => {
    const cost = f.batchCost(batch, critical);
    return [cost.steps, cost.data, cost.efficiency];
  },
  plan: (gpus, critical, micro, accumulation, sequence, ratio) => {
    const plan = f.planParallelism(gpus, f.replicaCap(critical, micro, accumulation, sequence), ratio);
    return [plan.replicas, plan.modelWays, plan.idle, plan.efficiency];
  },
  useful: (gpus, critical, micro, accumulation, sequence, ratio) =>
    [f.usefulShare(gpus, f.replicaCap(critical, micro, accumulation, sequence), critical, ratio)],
  flops: (parameters, tokens) => [f.trainingFlops(parameters, tokens)],
  mfu: (flops, seconds, k, peak) => {
    const mfu = f.modelFlopsUtilisation(flops, seconds, k, peak);
    assert.ok(near(f.secondsAtUtilisation(flops, mfu, k, peak), seconds), 'the time and the MFU are inverse');
    return [mfu];
  },
};

function near(a, b) {
  return a === b || Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
}

const grid = spawnSync(join(process.env.KP_TESTS, 'formula_grid'), {encoding: 'utf8', maxBuffer: 1 << 28});
assert.equal(grid.status, 0, grid.stderr);
const count = {};
let wrong = 0;
for (const line of grid.stdout.trim().split('\n')) {
  const one = JSON.parse(line);
  assert.ok(one.f in ask, `the grid asks for ${one.f}, which this test does not know`);
  count[one.f] = (count[one.f] ?? 0) + 1;
  const answer = ask[one.f](...one.in);
  const same = answer.length === one.out.length && answer.every((value, i) => near(value, one.out[i]));
  if (!same && ++wrong <= 20) console.log(`${one.f}(${one.in}): C++ ${one.out}, page ${answer}`);
}
for (const name of Object.keys(ask)) assert.ok(count[name] > 0, `the grid never asks for ${name}`);
console.log(JSON.stringify(count));
assert.equal(wrong, 0, `${wrong} answers differ`);
console.log(`${Object.values(count).reduce((a, b) => a + b)} answers are the same`);
