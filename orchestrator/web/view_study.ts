// SPDX-License-Identifier: Apache-2.0
//
// One study, live: what is known of every point firms up while runs come in. Each part is drawn anew
// only when what it shows has changed, and keeps the focus.
import type {Curve, Point, Run, Runs, StudyDetail} from 'api_types';

import {follow, get, getFile, part, post, type Link} from './api';
import {badge, eventList, moment} from './badge';
import {digits, duration, h, interval, levels, replace, table} from './dom';
import {plot} from './plot';
import {ask, problem, say, withToken, type View} from './view';
import {progressBar} from './view_studies';

function pointTitle(point: Point): string {
  const runs = `${point.done} of ${point.planned} runs${point.failed > 0 ? `, ${point.failed} failed` : ''}`;
  if (point.efficiency === null) return `K=${point.k}: ${runs}, nothing measured yet`;
  return `K=${point.k}: E = ${interval(point.efficiency, point.efficiency_low, point.efficiency_high, digits)}, ` +
      `T = ${duration(point.seconds ?? NaN)}; measured, ${runs}`;
}

function curveFigure(curve: Curve): HTMLElement {
  const name = curve.name.endsWith(` ${curve.mode}`) ? curve.name.slice(0, -curve.mode.length - 1) : curve.name;
  const most = Math.max(1.1, ...curve.points.map((point) => 1.05 * Math.max(point.efficiency ?? 0, Math.min(2, point.efficiency_high ?? 0))));
  const measured = curve.points.filter((point) => point.efficiency !== null).length;
  return h('article', {class: 'curve'},
      h('h3', {}, name, ' ', h('span', {class: 'mode'}, curve.mode)),
      h('div', {class: 'side'},
          plot({
            label: `Efficiency of ${name}, ${curve.mode}: ${measured} of ${curve.points.length} points measured; the table beside it has the numbers`,
            y: 'efficiency',
            range: [0, most],
            lines: [{at: curve.floor, label: `floor ${digits(curve.floor)}`}],
            points: curve.points.map((point) => ({k: point.k, y: point.efficiency, low: point.efficiency_low, high: point.efficiency_high,
              open: point.done < point.planned, title: pointTitle(point)})),
          }),
          table(`Points of ${name}, ${curve.mode}`, [{title: 'K', right: true}, {title: 'runs', right: true}, {title: 'T', right: true}, {title: `E (${levels(curve.points.map((point) => point.efficiency_level))})`, right: true}],
              curve.points.map((point) => [point.k, `${point.done}/${point.planned}${point.failed > 0 ? ` ✕${point.failed}` : ''}`,
                point.seconds === null ? '–' : duration(point.seconds),
                interval(point.efficiency, point.efficiency_low, point.efficiency_high, (one) => digits(one))]))));
}

const runLink = (study: string, run: number) => `#/study/${part(study)}/run/${run}`;

// Draws a part again only if its value changed.
function remembering(host: HTMLElement): (value: unknown, draw: () => Node[]) => void {
  let before = '';
  return (value, draw) => {
    const now = JSON.stringify(value);
    if (now === before) return;
    before = now;
    const focused = host.contains(document.activeElement) ? document.activeElement?.getAttribute('href') : null;
    const open = [...host.querySelectorAll('details')].map((one) => one.open);
    replace(host, ...draw());
    host.querySelectorAll('details').forEach((one, i) => (one.open = open[i] ?? one.open));
    if (focused) host.querySelector<HTMLElement>(`[href="${CSS.escape(focused)}"]`)?.focus();
  };
}

async function download(id: string, form: string): Promise<void> {
  try {
    const blob = await withToken(() => getFile(`studies/${part(id)}/report.${form}`));
    const link = h('a', {href: URL.createObjectURL(blob), download: `${id}.${form}`});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say(`${id}.${form} was handed to the browser.`);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

// Gives whether the server took it.
async function act(id: string, what: 'cancel' | 'resume'): Promise<boolean> {
  const question = what === 'cancel'
    ? 'Runs that are under way are stopped; what was measured is kept.'
    : 'A controller goes on with the runs that are left.';
  if (!(await ask(`${what === 'cancel' ? 'Cancel' : 'Resume'} ${id}?`, [h('p', {}, question)], what === 'cancel' ? 'Cancel the study' : 'Resume it', 'Leave it'))) return false;
  try {
    const answer = await withToken(() => post(`studies/${part(id)}/${what}`));
    say(answer.message ?? 'Done.');
    return true;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return false;
  }
}

function runTable(id: string, runs: readonly Run[]): HTMLElement {
  return table('Runs', [{title: 'Run', right: true}, {title: 'Point'}, {title: 'K', right: true}, {title: 'Repeat', right: true}, {title: 'State'},
    {title: 'T', right: true}, {title: 'Attempts', right: true}],
  runs.map((run) => [h('a', {href: runLink(id, run.run)}, String(run.run)), run.key, run.k, run.repeat, badge(run.state),
    run.seconds === null ? '–' : duration(run.seconds), run.attempts]));
}

const linkWords: Record<Link, string> = {live: 'live', lost: 'connection lost, trying again', over: 'over: nothing more will come'};

export async function showStudy(view: View, id: string): Promise<void> {
  view.title(id);
  const head = h('div', {class: 'head'});
  const actions = h('div', {class: 'tools'});
  const curves = h('section', {class: 'curves', 'aria-label': 'Curves'});
  const active = h('section', {'aria-label': 'Under way'});
  const events = h('section', {'aria-label': 'Events'});
  const link = h('span', {class: 'link', role: 'status', id: 'link'}, 'connecting');
  const runs = h('div');
  const runPart = h('details', {}, h('summary', {}, 'All runs'), runs);
  const loadRuns = async () => {
    try {
      const answer = await withToken(() => get<Runs>(`studies/${part(id)}/runs`, view.signal));
      replace(runs, answer.next === null ? null : h('p', {class: 'hint'}, `The first ${answer.runs.length} runs.`), runTable(id, answer.runs));
    } catch (error) {
      if (!view.signal.aborted) problem(runs, error);
    }
  };
  runPart.addEventListener('toggle', () => {
    if (runPart.open) void loadRuns();
  });
  const parts = {head: remembering(head), actions: remembering(actions), curves: remembering(curves), active: remembering(active), events: remembering(events)};

  // A stream ends when the study is over; after an action it is looked at again for a while.
  let idle = false;
  let looks = 0;
  const run = async () => {
    idle = false;
    do {
      await withToken(() => follow(id, draw, (state) => {
        link.textContent = linkWords[state];
        link.dataset['state'] = state;
      }, view.signal));
      if (looks > 0) await new Promise((resolve) => setTimeout(resolve, 1000));
    } while (looks-- > 0 && !view.signal.aborted);
    looks = 0;
    idle = true;
  };
  const wish = async (what: 'cancel' | 'resume') => {
    if (!(await act(id, what))) return;
    looks = 30;
    if (idle) run().catch((error: unknown) => say(String(error)));
  };

  const draw = (detail: StudyDetail) => {
    const {study} = detail;
    if (study.running) looks = 0;
    parts.head([study, detail.seconds_left, detail.waiting], () => [
      h('p', {class: 'facts'}, badge(study.state), ' ', link, h('span', {class: 'short'}, `${study.backend} ${study.site === study.backend ? '' : study.site}`),
          h('span', {}, 'series ', h('a', {href: `#/series/${part(study.series)}`}, study.series)), h('span', {}, 'changed ', moment(study.updated))),
      h('p', {class: 'big'}, progressBar(study),
          detail.seconds_left === null ? null : h('span', {class: 'left'}, `about ${duration(Number(detail.seconds_left.toPrecision(2)))} left`)),
      ...(study.headline ? [h('p', {class: 'headline'}, study.headline)] : []),
      ...(detail.waiting.length > 0 ? [h('ul', {class: 'waiting'}, ...detail.waiting.map((text) => h('li', {}, text)))] : [])]);
    parts.actions([study.state, study.running], () => [
      ...['html', 'md', 'csv', 'json'].map((form) => h('button', {type: 'button', onclick: () => void download(id, form)}, `Report .${form}`)),
      study.state === 'running' || study.running ? h('button', {type: 'button', class: 'danger', onclick: () => void wish('cancel')}, 'Cancel …') : h('span'),
      study.state === 'interrupted' || (study.state === 'running' && !study.running)
        ? h('button', {type: 'button', class: 'main', onclick: () => void wish('resume')}, 'Resume …') : h('span')]);
    parts.curves(detail.curves, () => detail.curves.map(curveFigure));
    parts.active(detail.active, () => (detail.active.length === 0 ? [] : [h('h2', {}, 'Under way'),
      table('Attempts under way', [{title: 'Run', right: true}, {title: 'Attempt', right: true}, {title: 'State'}, {title: 'Since'}, {title: 'Samples', right: true}, {title: 'Nodes'}],
          detail.active.map((one) => [h('a', {href: runLink(id, one.run)}, String(one.run)), one.attempt, badge(one.state), moment(one.since),
            one.samples ?? '–', String(one.nodes)]))]));
    parts.events(detail.events, () => [h('h2', {}, 'What happened last'), eventList([...detail.events].reverse(), (event) => (event.run ? h('a', {href: runLink(id, event.run)}, `run ${event.run}`) : null))]);
    if (runPart.open) void loadRuns();
  };
  replace(view.host, head, actions, curves, active, runPart, events);
  await run();
}
