// SPDX-License-Identifier: Apache-2.0
//
// The what-if part for data-parallel training: how the cap on replicas moves with the critical
// batch, and what model size, peak and price make of it. A report has none of these values, so they
// start as examples and say so.
import {legend, makeChart, type Line} from './chart';
import {digits, duration, h, replace, table} from './dom';
import {card, makeFields} from './field';
import {
  batchCost, modelledKs, planParallelism, replicaCap, secondsAtUtilisation, trainingFlops, usefulShare,
} from './formulas';

const million = 1e6;

export function showTraining(host: HTMLElement, currency: string): void {
  const answers = h('div', {class: 'answers', 'aria-live': 'polite'});
  const chartHost = h('div');
  const tableHost = h('div');
  const lines: Line[] = [{label: 'all GPUs as replicas', colour: '--kp-c1'},
    {label: 'replicas up to the cap, then the model is split', colour: '--kp-c2', dash: [8, 4]}];

  const {value, add} = makeFields(() => update());
  const update = () => {
    const cap = replicaCap(value('critical') * million, value('micro'), value('accumulation'), value('sequence'));
    const critical = value('critical') * million;
    const gpus = value('gpus');
    const ratio = value('ratio');
    const plan = planParallelism(gpus, cap, ratio);
    const batch = batchCost(plan.replicas * cap.batchOfOne, critical);
    const useful = usefulShare(gpus, cap, critical, ratio);
    // The least data is what the result needs at a small batch; a larger one needs more.
    const flops = trainingFlops(value('parameters') * 1e9, value('tokens') * 1e9 * batch.data);
    const busy = (gpus - plan.idle) * plan.efficiency;
    const seconds = secondsAtUtilisation(flops, value('mfu'), busy, value('peak') * 1e12);
    const cost = (seconds / 3600) * gpus * value('price');
    const one = cap.replicas === 0;
    replace(answers,
        card('what-if-cap', 'Data-parallel cap', one ? 'under 1 replica' : `${digits(cap.replicas, 7)} replicas`,
            one ? `one replica's batch of ${digits(cap.batchOfOne)} tokens is already above the critical batch`
              : `${digits(critical)} tokens ÷ ${digits(cap.batchOfOne)} a replica`, {value: String(cap.replicas)}),
        card('what-if-plan', `${digits(gpus, 7)} GPUs`, plan.modelWays === 1 ? 'all are replicas' : `split ${digits(plan.modelWays, 7)} ways`,
            plan.modelWays === 1 ? `${digits(100 * useful)}% of the arithmetic serves the result`
              : `over ${digits(plan.replicas, 7)} replicas${plan.idle > 0 ? `, ${digits(plan.idle, 7)} GPUs idle` : ''}: ${digits(100 * useful)}% serves the result`,
            {value: String(plan.modelWays)}),
        card('what-if-training', 'To the result', duration(seconds), `${digits(cost)} ${currency}; the batch needs ${digits(batch.data)} times the least data`, {value: String(seconds)}));
    const ks = modelledKs(Math.max(2 ** Math.ceil(Math.log2(Math.max(gpus, 2 * cap.replicas, 16))), 16));
    const replicas = ks.map((k) => batchCost(k * cap.batchOfOne, critical).efficiency);
    const planned = ks.map((k) => usefulShare(k, cap, critical, ratio));
    chart.update(ks, [replicas, planned], [
      ...(one ? [] : [{at: cap.replicas, label: `cap: ${digits(cap.replicas, 7)} replicas`, colour: '--kp-c4'}]),
      {at: 0.5, label: 'half is wasted', colour: '--kp-ink-2', axis: 'y' as const}],
    `Useful share of the arithmetic against the number of GPUs; the cap is at ${cap.replicas} replicas. The table below has the numbers`);
    replace(tableHost, table('What the critical batch allows', [{title: 'GPUs', right: true}, {title: 'replicas', right: true},
      {title: 'ways', right: true}, {title: 'idle', right: true}, {title: 'useful', right: true}, {title: 'useful, all replicas', right: true}],
    ks.map((k, i) => {
      const at = planParallelism(k, cap, ratio);
      return [digits(k, 7), digits(at.replicas, 7), digits(at.modelWays, 7), digits(at.idle, 7), digits(planned[i] ?? 0), digits(replicas[i] ?? 0)];
    })));
  };
  replace(host,
      h('div', {class: 'panel'},
          h('div', {class: 'controls'},
              h('fieldset', {}, h('legend', {}, 'Batch'),
                  add('critical', {id: 'what-if-critical', label: 'Critical batch', unit: 'million tokens', min: 0.001, max: 100, most: 1e6, scale: 'log'}, 4),
                  add('micro', {id: 'what-if-micro', label: 'Micro-batch of a replica', unit: 'samples', min: 1, max: 256, most: 1e6, scale: 'log', whole: true}, 4),
                  add('accumulation', {id: 'what-if-accumulation', label: 'Accumulation steps', min: 1, max: 64, most: 1e6, scale: 'log', whole: true}, 1),
                  add('sequence', {id: 'what-if-sequence', label: 'Tokens of a sample', min: 1, max: 131072, most: 1e8, scale: 'log', whole: true}, 4096)),
              h('fieldset', {}, h('legend', {}, 'Model and machine'),
                  add('parameters', {id: 'what-if-parameters', label: 'Model size', unit: 'billion parameters', min: 0.001, max: 1000, most: 1e6, scale: 'log'}, 7),
                  add('tokens', {id: 'what-if-tokens', label: 'Least data to the result', unit: 'billion tokens', min: 0.001, max: 20000, most: 1e6, scale: 'log'}, 140),
                  add('gpus', {id: 'what-if-gpus', label: 'GPUs', min: 1, max: 16384, most: 1 << 20, scale: 'log', whole: true}, 1024),
                  add('peak', {id: 'what-if-peak', label: 'Peak of a GPU', unit: 'Tflop/s', min: 0.1, max: 5000, most: 1e6, scale: 'log'}, 1000),
                  add('mfu', {id: 'what-if-mfu', label: 'Share of the peak reached (MFU)', min: 0.01, max: 1}, 0.4),
                  add('ratio', {id: 'what-if-ratio', label: 'comm_ratio of a split model', min: 0, max: 5, most: 1000}, 0.3),
                  add('price', {id: 'what-if-gpu-price', label: 'Price of a GPU for an hour', unit: currency, min: 0, max: 20, most: 1e6}, 2.5))),
          h('div', {class: 'outcome'}, answers,
              h('div', {class: 'charts'},
                  h('figure', {}, h('figcaption', {}, 'Share of the arithmetic that serves the result'), chartHost),
                  h('div', {class: 'beside'}, h('h4', {}, 'What this assumes'), h('ul', {class: 'assumptions'},
                      h('li', {}, 'All values are examples: a report has none of them.'),
                      h('li', {}, 'Replicas ≤ critical batch ÷ (micro-batch · accumulation · tokens of a sample). Data needed: 1 + B/B_crit times the least; at the critical batch half is overhead.'),
                      h('li', {}, 'Beyond the cap more GPUs split the model, at an efficiency of 1/(1 + comm_ratio).'),
                      h('li', {}, 'Time: 6 · parameters · tokens flops, at the given share of the peak of the busy GPUs. Idle GPUs are paid for.'),
                      h('li', {}, 'Learning rate and convergence were not measured: a larger batch is assumed to behave as the critical batch says.')))),
              h('details', {}, h('summary', {}, 'The numbers as a table'), tableHost))));
  const chart = makeChart(chartHost, {title: 'Useful share', x: 'GPUs', y: 'useful share', logX: true, yRange: [0, 1.15],
    xFormat: String, lines});
  chartHost.after(legend(lines));
  update();
}
