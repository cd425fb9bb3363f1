// SPDX-License-Identifier: Apache-2.0
//
// Studies side by side: the choice, then for each common curve the ratio of times with its interval.
import type {Comparison, Studies} from 'api_types';

import {get, part} from './api';
import {digits, duration, h, interval, levels, replace, table} from './dom';
import {plot} from './plot';
import {problem, withToken, type View} from './view';

type Curve = Comparison['pairs'][number]['curves'][number];
type Knee = Curve['knee_a'];

const kneeText = (knee: Knee) => (knee.k === null ? knee.where : `K=${digits(knee.k)}`);

function curvePart(curve: Curve): HTMLElement {
  const ratios = curve.points.flatMap((point) => [point.ratio ?? 1, point.ratio_interval?.low ?? 1, point.ratio_interval?.high ?? 1]);
  const low = Math.min(0.9, ...ratios) - 0.05;
  const high = Math.max(1.1, ...ratios) + 0.05;
  const ratio = (point: Curve['points'][number]) => interval(point.ratio, point.ratio_interval?.low, point.ratio_interval?.high, (one) => digits(one));
  return h('article', {class: 'curve'},
      h('h3', {}, curve.case, ' ', h('span', {class: 'mode'}, curve.mode)),
      ...curve.obstacles.map((text) => h('p', {class: 'problem'}, text)),
      h('p', {}, `Knee: ${kneeText(curve.knee_a)} in A, ${kneeText(curve.knee_b)} in B.`),
      curve.points.length === 0 ? null : h('div', {class: 'side'},
          plot({label: `Ratio of the times of ${curve.case}, ${curve.mode}; the table beside it has the numbers`, y: 'ratio of times', range: [Math.max(0, low), high],
            lines: [{at: 1, label: 'the same'}],
            points: curve.points.map((point) => ({k: point.k, y: point.ratio, low: point.ratio_interval?.low ?? null, high: point.ratio_interval?.high ?? null,
              title: `K=${point.k}: ${ratio(point)}. ${point.why}`}))}),
          table(`${curve.case}, ${curve.mode}`, [{title: 'K', right: true}, {title: 'T of A', right: true}, {title: 'T of B', right: true}, {title: `Ratio (${levels(curve.points.map((point) => point.ratio_interval?.level))})`, right: true}, {title: 'Faster'}],
              curve.points.map((point) => [point.k, duration(point.a.seconds), duration(point.b.seconds), ratio(point),
                point.faster === 'a' || point.faster === 'b' ? point.faster.toUpperCase() : point.faster]))),
      differences(curve.differences));
}

function differences(list: readonly {what: string; a: string; b: string}[]): HTMLElement | null {
  if (list.length === 0) return null;
  return h('details', {}, h('summary', {}, list.length === 1 ? '1 difference of circumstance' : `${list.length} differences of circumstance`),
      table('What differs besides', [{title: 'What'}, {title: 'A'}, {title: 'B'}], list.map((one) => [one.what, one.a, one.b])));
}

export async function showCompare(view: View, chosen: readonly string[]): Promise<void> {
  view.title('Compare');
  const answer = await withToken(() => get<Studies>('studies?limit=500', view.signal));
  const ids = [...new Set([...chosen, ...answer.studies.map((study) => study.id)])]; // one that was chosen may be older than the list
  const choice = (name: string, id: string, value: string | undefined) => [h('label', {for: id}, name), h('select', {id},
      ...ids.map((one) => h('option', {value: one, selected: one === value}, one)))];
  const others = chosen.length > 2 ? chosen.slice(2) : [];
  const outcome = h('div', {id: 'outcome'});
  const value = (id: string) => (document.getElementById(id) as HTMLSelectElement).value;
  replace(view.host,
      h('div', {class: 'tools'}, ...choice('A', 'study-a', chosen[0]), ...choice('B', 'study-b', chosen[1] ?? answer.studies[1]?.id),
          h('button', {type: 'button', class: 'main', onclick: () => {
            location.hash = `#/compare?study=${part(value('study-a'))}&study=${part(value('study-b'))}`;
          }}, 'Compare')),
      outcome);
  if (chosen.length < 2) {
    replace(outcome, h('p', {class: 'hint'}, 'Choose two studies. Those of one series, or of the same plan on two sites, have points in common.'));
    return;
  }
  try {
    const query = [...chosen.slice(0, 2), ...others].map((id) => `study=${part(id)}`).join('&');
    const comparison = await withToken(() => get<Comparison>(`compare?${query}`, view.signal));
    replace(outcome, ...comparison.pairs.map((pair) => h('section', {},
        h('h2', {}, `A: ${pair.a}, B: ${pair.b}`),
        ...pair.notes.map((text) => h('p', {class: 'hint'}, text)),
        ...pair.not_compared.map((text) => h('p', {class: 'hint'}, `Not compared: ${text}`)),
        ...pair.curves.map(curvePart), differences(pair.differences))));
  } catch (error) {
    if (!view.signal.aborted) problem(outcome, error);
  }
}
