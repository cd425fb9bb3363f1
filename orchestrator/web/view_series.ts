// SPDX-License-Identifier: Apache-2.0
//
// Series: the list with the last verdicts, and the nights of one: T of a point over the nights with
// its changes of level, which can be zoomed by dragging or by buttons.
import type {Series, SeriesList} from 'api_types';

import {get, part} from './api';
import {badge, moment} from './badge';
import {makeChart, type Chart, type Mark} from './chart';
import {digits, duration, h, replace, table} from './dom';
import {withToken, type View} from './view';

export async function showSeriesList(view: View): Promise<void> {
  view.title('Series');
  const answer = await withToken(() => get<SeriesList>('series', view.signal));
  replace(view.host, answer.series.length === 0 ? h('p', {}, 'No series yet.')
    : table('Studies of the same name and hash, night after night', [{title: 'Series'}, {title: 'Studies', right: true}, {title: 'Newest'}, {title: 'Last verdict'}],
        answer.series.map((one) => [h('a', {href: `#/series/${part(one.id)}`}, one.id), one.studies,
          h('a', {href: `#/study/${part(one.newest)}`}, one.newest), one.verdict === null ? '–' : badge(one.verdict)])));
}

type Point = Series['points'][number];

const percent = (ratio: number) => `${ratio >= 1 ? '+' : '−'}${digits(Math.abs(100 * (ratio - 1)))}%`;

function lastChange(point: Point): string {
  const last = point.changes[point.changes.length - 1];
  return last === undefined ? '–' : `${percent(last.ratio)} at night ${last.night + 1}`;
}

function lastValue(point: Point): string {
  const value = [...point.seconds].reverse().find((one) => one !== null);
  return value === undefined || value === null ? '–' : duration(value);
}

export async function showSeries(view: View, id: string): Promise<void> {
  view.title(id);
  const history = await withToken(() => get<Series>(`series/${part(id)}`, view.signal));
  const {nights, points} = history;
  const changed = points.findIndex((point) => point.changes.length > 0);
  const select = h('select', {id: 'point', onchange: () => show()}, ...points.map((point, i) =>
    h('option', {value: i, selected: i === Math.max(0, changed)}, `${point.workload} ${point.mode} K=${point.k}`)));
  const host = h('div', {class: 'history'});
  const numbers = h('div', {class: 'tall'});
  let chart: Chart | null = null;
  let shown: [number, number] = [1, Math.max(2, nights.length)];
  const show = () => {
    const point = points[Number(select.value)];
    if (point === undefined) return;
    chart?.destroy();
    chart = makeChart(host, {title: 'History', x: 'night', y: 'T', height: 300, zoom: true, yFormat: duration,
      xFormat: (night) => (Number.isInteger(night) ? String(night) : ''),
      lines: [{label: 'median of the night', colour: '--kp-c1', points: true, joined: true}]});
    const marks: Mark[] = point.changes.map((change) => ({at: change.night + 1, label: percent(change.ratio), colour: '--kp-c2'}));
    chart.update(nights.map((_, i) => i + 1), [point.seconds], marks,
        `T of ${point.key} over ${nights.length} nights with ${point.changes.length} changes of level; the table below has the numbers`);
    shown = [1, Math.max(2, nights.length)];
    replace(numbers, table(`Nights of ${point.key}`, [{title: 'Night', right: true}, {title: 'Verdict'}, {title: 'T', right: true}, {title: 'Change', right: true}, {title: 'Study'}, {title: 'Time'}],
        nights.map((night, i) => {
          const change = point.changes.find((one) => one.night === i);
          const value = point.seconds[i];
          const verdict = night.verdict === null ? '–'
            : h('span', {}, badge(night.verdict), night.judged === 'now' ? h('span', {class: 'hint'}, ' judged now') : null);
          return [i + 1, verdict, value == null ? '–' : duration(value), change === undefined ? '' : percent(change.ratio),
            h('a', {href: `#/study/${part(night.study)}`}, night.study), moment(night.time)];
        }).reverse()));
  };
  const zoom = (by: number, shift: number) => {
    const size = (shown[1] - shown[0]) * by;
    const middle = (shown[0] + shown[1]) / 2 + shift * (shown[1] - shown[0]);
    const end = Math.max(2, nights.length);
    const width = Math.min(end - 1, Math.max(4, size));
    const from = Math.min(Math.max(1, middle - width / 2), end - width);
    shown = [from, from + width];
    chart?.zoom(shown[0], shown[1]);
  };
  const button = (text: string, label: string, by: number, shift: number) =>
    h('button', {type: 'button', 'aria-label': label, title: label, onclick: () => zoom(by, shift)}, text);
  const newest = nights[nights.length - 1];
  replace(view.host,
      newest === undefined ? h('p', {}, 'No night yet.') : h('p', {class: 'facts'}, h('span', {}, `${nights.length} nights, the last `, moment(newest.time)),
          newest.verdict === null ? null : badge(newest.verdict)),
      h('div', {class: 'strip', role: 'img', 'aria-label': 'Verdicts of the nights; the table below has them in words'},
          ...nights.slice(-90).map((night, i, some) => h('a', {href: `#/study/${part(night.study)}`, tabindex: -1,
            class: `night ${night.verdict ?? 'none'}`, title: `night ${nights.length - some.length + i + 1}: ${night.verdict ?? 'no verdict'}, ${night.time}`}))),
      h('div', {class: 'tools'}, h('label', {for: 'point'}, 'Point'), select, button('−', 'show more nights', 2, 0), button('+', 'show fewer nights', 0.5, 0),
          button('←', 'earlier', 1, -0.5), button('→', 'later', 1, 0.5), button('all', 'show all nights', 1e9, 0)),
      host, h('p', {class: 'hint'}, 'Drag to zoom, double-click for all. Dashed: where the level changed, and by how much.'),
      h('h2', {}, 'Points'),
      table('Every point, its last time and its last change of level', [{title: 'Point'}, {title: 'K', right: true}, {title: 'T', right: true}, {title: 'Last change', right: true}],
          points.map((point) => [`${point.workload} ${point.mode}`, point.k, lastValue(point), lastChange(point)])),
      h('h2', {}, 'Nights'), numbers);
  view.signal.addEventListener('abort', () => chart?.destroy());
  show();
}
