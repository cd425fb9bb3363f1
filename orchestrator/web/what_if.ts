// SPDX-License-Identifier: Apache-2.0
//
// The what-if part for a scaling law: fields on one side, answers, charts and their assumptions on
// the other. Every number comes from formulas.ts; nothing is drawn that the table does not say.
import {legend, makeChart, type Line, type Mark} from './chart';
import {digits, duration, h, replace, table} from './dom';
import {card, makeFields} from './field';
import {
  ceiling, cheapestWithin, costMicros, fastestK, lawPoint, modelledKs, nodesAt, reachOf,
  type CostPoint, type Law, type Optimum, type Price, type Reach,
} from './formulas';
import type {Measured, Start} from './report_data';

interface Row extends CostPoint {
  efficiency: number;
  speedup: number;
  nodes: number;
}
interface Answers {
  law: Law;
  optimum: Optimum | null;
  knee: Reach;
  rows: Row[]; // of the table, and what is chosen from
  dense: Row[]; // of the curves
  chosen: CostPoint | null;
  deadline: number;
}

const farthest = 1 << 20; // how far up K a knee is looked for

// How far the curves go: four times what was measured, further where the fastest K is in sight.
function lastK(start: Start, optimum: Optimum | null): number {
  const largest = Math.max(1, ...start.measured.map((point) => point.k));
  const to = Math.max(64, 4 * 2 ** Math.ceil(Math.log2(largest)));
  if (optimum === null) return to;
  return Math.max(to, Math.min(16 * to, 2 ** Math.ceil(Math.log2(1.5 * optimum.k))));
}

function rowAt(start: Start, law: Law, price: Price, k: number): Row {
  const point = lawPoint(law, start.mode, k);
  const seconds = point.time * start.t1;
  const nodes = nodesAt(start.nodes, k);
  const results = start.resultsAt(k);
  const perResult = costMicros(price, nodes, seconds, results, start.success);
  return {k, seconds, results, perResult, nodes, efficiency: point.efficiency, speedup: point.speedup};
}

function answersOf(start: Start, law: Law, price: Price, deadline: number, floor: number): Answers {
  const optimum = start.mode === 'strong' ? fastestK(law) : null;
  const to = lastK(start, optimum);
  const ks = new Set([...modelledKs(to), ...start.measured.map((point) => point.k)]);
  if (optimum !== null && optimum.kInteger <= to) ks.add(optimum.kInteger);
  const between = new Set(ks);
  for (let eighth = 0; 2 ** (eighth / 8) <= to; ++eighth) between.add(Math.round(2 ** (eighth / 8)));
  const rowsOf = (some: Set<number>) => [...some].sort((x, y) => x - y).map((k) => rowAt(start, law, price, k));
  const rows = rowsOf(ks);
  return {law, optimum, knee: reachOf(law, start.mode, farthest, floor), rows, dense: rowsOf(between),
    chosen: cheapestWithin(rows, deadline), deadline};
}

const money = (micros: number, currency: string) => `${digits(micros / 1e6)} ${currency}`;

function cards(start: Start, answers: Answers, floor: number): HTMLElement[] {
  const {optimum, knee, chosen, law} = answers;
  const at = (k: number) => lawPoint(law, start.mode, k);
  const top = ceiling(law.serial);
  const fastest = start.mode === 'weak'
    ? card('what-if-optimum', 'Fastest', 'K = 1', 'weak: the problem grows with K, so T never falls', {k: '1'})
    : optimum === null
      ? card('what-if-optimum', 'Fastest', 'no end', `every further ${start.worker} makes it faster` +
          (top === null ? '' : `, up to ${digits(top)} times`), {k: ''})
      : card('what-if-optimum', 'Fastest', `K = ${digits(optimum.kInteger, 7)}`,
          `${digits(at(optimum.kInteger).speedup)} times as fast as one, E = ${digits(at(optimum.kInteger).efficiency)}; slower after it`,
          {k: String(optimum.kInteger), exact: String(optimum.k)});
  const kneeCard = card('what-if-knee', `Knee at E ≥ ${digits(floor)}`,
      knee.beyond ? `beyond ${digits(knee.k, 7)}` : `K = ${digits(knee.k, 7)}`,
      knee.beyond ? 'E stays at or above the floor' : `E = ${digits(at(knee.k).efficiency)} there, ${digits(at(knee.k + 1).efficiency)} at the next K`,
      {k: String(knee.k), beyond: String(knee.beyond)});
  const cost = chosen === null
    ? card('what-if-cost', 'Cheapest within the deadline', 'none', `no K looked at makes ${duration(answers.deadline)}`, {k: ''})
    : card('what-if-cost', 'Cheapest within the deadline', `K = ${digits(chosen.k, 7)}`,
        `${money(chosen.perResult, start.currency)} per ${start.resultName}, T = ${duration(chosen.seconds)}`,
        {k: String(chosen.k), micros: String(chosen.perResult)});
  return [fastest, kneeCard, cost];
}

function assumptions(start: Start, price: Price): HTMLElement {
  const formula = start.mode === 'strong'
    ? 'T(K) = T(1) · (s + (1−s)/K + c·log2 K + d·(K−1)): the whole problem keeps its size.'
    : 'T(K) = T(1) · (1 + c·log2 K + d·(K−1)): the problem grows with K, the serial part does not, so s has no effect.';
  const fees = [price.perHour > 0 ? `${money(price.perHour, start.currency)} an hour whatever the nodes` : '',
    price.perJob > 0 ? `${money(price.perJob, start.currency)} a run` : ''].filter((word) => word !== '');
  return h('ul', {class: 'assumptions'},
      h('li', {}, formula),
      h('li', {}, `Start: ${start.lawFrom}; T(1) = ${duration(start.t1)} by that law. E is relative to it, also where K = 1 was not measured.`),
      h('li', {}, `Price: ${start.priceFrom}; all that grows with the nodes is one rate for a node and hour, billed to the nanosecond` +
          (fees.length > 0 ? `, besides ${fees.join(' and ')}.` : '.')),
      h('li', {}, 'Nodes at a K that was not measured: on the line between those measured, in proportion beyond them. Every run succeeds.'),
      h('li', {}, `The cheapest is sought among K = 1, 2, 3, 4, 6, 8, 12 ..., those measured and the fastest. The curves are modelled; only points are ${start.made}.`));
}

// Fills `host` for one curve; gives what is to be called to take it away.
export function showWhatIf(host: HTMLElement, start: Start): () => void {
  // Where the deadline starts: T at the knee, of the K that were measured, rounded up.
  const largest = Math.max(1, ...start.measured.map((point) => point.k));
  const knee = reachOf(start.law, start.mode, Math.max(2, largest), start.floor).k;
  const startDeadline = Number((1.005 * start.t1 * lawPoint(start.law, start.mode, knee).time).toPrecision(3));
  const cardsHost = h('div', {class: 'answers', 'aria-live': 'polite'});
  const tableHost = h('div');
  const assumptionsHost = h('div');
  const chartHosts = {efficiency: h('div'), time: h('div'), cost: h('div')};
  const {value, add} = makeFields(() => update());
  const update = () => {
    const law = {serial: value('serial'), logCoefficient: value('log'), linear: value('linear')};
    const price = {...start.price, perNodeHour: Math.round(value('price') * 1e6)};
    const floor = value('floor');
    const answers = answersOf(start, law, price, value('deadline'), floor);
    replace(cardsHost, ...cards(start, answers, floor));
    replace(assumptionsHost, assumptions(start, price));
    draw(answers, floor);
    replace(tableHost, table('What the law says at each K', [
      {title: 'K', right: true}, {title: 'T', right: true}, {title: 'speedup', right: true},
      {title: 'E', right: true}, {title: 'nodes', right: true}, {title: `per ${start.resultName}`, right: true}],
    answers.rows.map((row) => [digits(row.k, 7), duration(row.seconds), digits(row.speedup), digits(row.efficiency),
      digits(row.nodes, 7), money(row.perResult, start.currency)])));
  };

  // Measured values in the rows of the table; null where nothing was.
  const measuredAt = (rows: readonly Row[], value: (k: number, seconds: number) => number, of: (point: Measured) => number | null) => {
    const byK = new Map(start.measured.map((point) => [point.k, of(point)]));
    return rows.map((row) => {
      const seconds = byK.get(row.k) ?? null;
      return seconds === null ? null : value(row.k, seconds);
    });
  };
  const draw = (answers: Answers, floor: number) => {
    const {dense: rows, optimum, knee, chosen} = answers;
    const ks = rows.map((row) => row.k);
    const end = ks[ks.length - 1] as number;
    const kneeMark: Mark[] = knee.beyond || knee.k > end ? [] : [{at: knee.k, label: `knee: K=${knee.k}`, colour: '--kp-c2'}];
    const fastMark: Mark[] = optimum === null || optimum.kInteger > end ? []
      : [{at: optimum.kInteger, label: `fastest: K=${optimum.kInteger}`, colour: '--kp-c4'}];
    const chosenMark: Mark[] = chosen === null ? [] : [{at: chosen.k, label: `cheapest in time: K=${chosen.k}`, colour: '--kp-c3'}];
    const efficiency = (k: number, seconds: number) => start.t1 / seconds / (start.mode === 'strong' ? k : 1);
    const same = (_k: number, seconds: number) => seconds;
    const median = (point: Measured) => point.seconds;
    const low = (point: Measured) => point.low;
    const high = (point: Measured) => point.high;
    measured.low = measuredAt(rows, efficiency, high);
    measured.high = measuredAt(rows, efficiency, low);
    measuredTime.low = measuredAt(rows, same, low);
    measuredTime.high = measuredAt(rows, same, high);
    charts.efficiency.update(ks, [rows.map((row) => row.efficiency), measuredAt(rows, efficiency, median)],
    [...kneeMark, {at: floor, label: `floor ${digits(floor)}`, colour: '--kp-ink-2', axis: 'y'}],
    `Efficiency against K: from ${digits(rows[0]?.efficiency ?? 1)} at K=1 to ${digits(rows[rows.length - 1]?.efficiency ?? 0)} at K=${end}; the table below has the numbers`);
    charts.time.update(ks, [rows.map((row) => row.seconds), measuredAt(rows, same, median)],
        [...fastMark, {at: answers.deadline, label: `deadline ${duration(answers.deadline)}`, colour: '--kp-ink-2', axis: 'y'}],
        `Time against K, on logarithmic axes; the table below has the numbers`);
    charts.cost.update(ks, [rows.map((row) => row.perResult / 1e6)], chosenMark,
        `Cost of a ${start.resultName} against K; the table below has the numbers`);
  };

  const law = h('fieldset', {}, h('legend', {}, 'The program'),
      add('serial', {id: 'what-if-serial', label: 'Serial fraction s', min: 0, max: 1, scale: 'zeroLog',
        hint: `starts at ${digits(start.law.serial)}`}, start.law.serial),
      add('log', {id: 'what-if-log', label: 'Communication c (each doubling of K)', min: 0, max: 1, most: 1000, scale: 'zeroLog', unit: '× T(1)',
        hint: `starts at ${digits(start.law.logCoefficient)}`}, start.law.logCoefficient),
      add('linear', {id: 'what-if-linear', label: 'Contention d (each further worker)', min: 0, max: 0.1, most: 1000, scale: 'zeroLog', unit: '× T(1)',
        hint: `starts at ${digits(start.law.linear)}`}, start.law.linear),
      add('floor', {id: 'what-if-floor', label: 'Floor of efficiency', min: 0.05, max: 1}, start.floor));
  const startPrice = start.price.perNodeHour / 1e6;
  const wishes = h('fieldset', {}, h('legend', {}, 'Money and time'),
      add('price', {id: 'what-if-price', label: 'Price of a node for an hour', min: 0, max: Math.max(10, 10 * startPrice), most: 1e6, scale: 'zeroLog',
        unit: start.currency, hint: start.priceFrom}, startPrice),
      add('deadline', {id: 'what-if-deadline', label: 'Deadline for one run', min: startDeadline / 1e3, max: 20 * startDeadline, most: 1e9,
        scale: 'log', unit: 's', hint: 'starts at T of the knee'}, startDeadline));
  replace(host,
      h('div', {class: 'panel'},
          h('div', {class: 'controls'}, law, wishes),
          h('div', {class: 'outcome'}, cardsHost,
              h('div', {class: 'charts'},
                  h('figure', {}, h('figcaption', {}, 'Efficiency'), chartHosts.efficiency),
                  h('figure', {}, h('figcaption', {}, 'Time of a run'), chartHosts.time),
                  h('figure', {}, h('figcaption', {}, `Cost per ${start.resultName}`), chartHosts.cost),
                  h('div', {class: 'beside'}, h('h4', {}, 'What this assumes'), assumptionsHost)),
              h('details', {}, h('summary', {}, 'The numbers as a table'), tableHost))));
  const measured: Line = {label: start.made, colour: '--kp-ink', points: true};
  const measuredTime: Line = {...measured};
  const lawLine: Line = {label: 'by the law', colour: '--kp-c1'};
  const whole = (value: number) => String(value);
  const x = `K (${start.worker}s)`;
  const charts = {
    efficiency: makeChart(chartHosts.efficiency, {title: 'Efficiency', x, y: 'efficiency E', logX: true, xFormat: whole,
      yRange: [0, 1.15], lines: [lawLine, measured]}),
    time: makeChart(chartHosts.time, {title: 'Time', x, y: 'T in seconds', logX: true, logY: true, xFormat: whole, yFormat: digits,
      lines: [lawLine, measuredTime]}),
    cost: makeChart(chartHosts.cost, {title: 'Cost', x, y: start.currency, logX: true, xFormat: whole, yFormat: digits, lines: [lawLine]}),
  };
  for (const host_ of [chartHosts.efficiency, chartHosts.time]) host_.after(legend([lawLine, measured]));
  update();
  return () => {
    for (const chart of Object.values(charts)) chart.destroy();
  };
}
