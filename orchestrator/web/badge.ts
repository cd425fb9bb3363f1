// SPDX-License-Identifier: Apache-2.0
//
// States and verdicts as a sign, a word and a colour, so that none is told by colour alone; and
// times of day as people say them.
import {h} from './dom';

type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'plain';

const signs: Record<string, [string, Tone]> = {
  running: ['●', 'busy'], finished: ['✓', 'good'], interrupted: ['❙❙', 'warn'], cancelled: ['■', 'plain'],
  succeeded: ['✓', 'good'], failed: ['✕', 'bad'], timed_out: ['✕', 'bad'], invalid: ['✕', 'bad'], lost: ['✕', 'bad'],
  preempted: ['↺', 'warn'], planned: ['○', 'plain'], submitting: ['○', 'busy'], queued: ['…', 'busy'], collecting: ['●', 'busy'],
  PASS: ['✓', 'good'], IMPROVED: ['▲', 'good'], SUSPECT: ['?', 'warn'], REGRESSED: ['▼', 'bad'], INCONCLUSIVE: ['~', 'warn'],
  ENV_CHANGE: ['⇄', 'warn'], NO_BASELINE: ['○', 'plain'], FAILED: ['✕', 'bad'],
};

export function badge(word: string): HTMLElement {
  const [sign, tone] = signs[word] ?? ['•', 'plain'];
  return h('span', {class: `badge ${tone}`}, h('span', {'aria-hidden': 'true'}, `${sign} `), word.replaceAll('_', ' '));
}

// What happened when; `link`: what stands before the sentence.
export function eventList<Event extends {time: string; kind: string; text: string}>(
    events: readonly Event[], link: (event: Event) => HTMLElement | null = () => null): HTMLElement {
  return h('ol', {class: 'events'}, ...events.map((event) => h('li', {},
      h('time', {datetime: event.time, title: event.time}, event.time.slice(11, 19)), ' ',
      h('span', {class: 'kind'}, event.kind.replaceAll('_', ' ')), ' ', link(event), ' ', event.text)));
}

const relative = new Intl.RelativeTimeFormat('en', {numeric: 'auto'});

export function moment(iso: string | null): HTMLElement | string {
  if (iso === null || iso === '') return '–';
  const at = Date.parse(iso);
  if (!Number.isFinite(at)) return iso;
  const seconds = Math.round((at - Date.now()) / 1000);
  const size = Math.abs(seconds);
  const words = size < 60 ? relative.format(seconds, 'second') : size < 3600 ? relative.format(Math.round(seconds / 60), 'minute')
    : size < 86400 * 2 ? relative.format(Math.round(seconds / 3600), 'hour') : iso.slice(0, 16).replace('T', ' ');
  return h('time', {datetime: iso, title: iso}, words);
}
