// SPDX-License-Identifier: Apache-2.0
//
// A run's story: its point, its attempts and how each ended, samples, and the tail of its log.
import type {Attempt, Story} from 'api_types';

import {get, getText, part} from './api';
import {badge, eventList} from './badge';
import {duration, h, replace, table} from './dom';
import {withToken, type View} from './view';

const quote = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

function samplesOf(attempt: Attempt): HTMLElement | null {
  const timed = attempt.samples.filter((sample) => !sample.warmup).map((sample) => sample.max_ns / 1e9).sort((a, b) => a - b);
  if (timed.length === 0) return null;
  const middle = timed[Math.floor(timed.length / 2)] as number;
  return h('div', {},
      h('p', {}, `${timed.length} samples: median ${duration(middle)}, from ${duration(timed[0] as number)} to ${duration(timed[timed.length - 1] as number)}.`),
      h('details', {}, h('summary', {}, 'Samples'), table('Samples, the slowest rank of each', [{title: 'Iteration', right: true}, {title: ''},
        {title: 'T', right: true}, {title: 'compute', right: true}, {title: 'communication', right: true}],
      attempt.samples.map((sample) => [sample.iteration, sample.warmup ? 'warm-up' : '', duration(sample.max_ns / 1e9),
        duration(sample.compute_ns / 1e9), duration(sample.communication_ns / 1e9)]))));
}

function attemptPart(attempt: Attempt): HTMLElement {
  const took = attempt.ended_ns > 0 && attempt.started_ns > 0 ? `, took ${duration((attempt.ended_ns - attempt.started_ns) / 1e9)}` : '';
  return h('article', {class: 'attempt'},
      h('h3', {}, `Attempt ${attempt.number} `, badge(attempt.state)),
      h('p', {}, attempt.sentence, attempt.job === '' ? '' : ` Job ${attempt.job}${took}.`, attempt.nodes ? ` On ${attempt.nodes}.` : ''),
      samplesOf(attempt),
      attempt.metrics.length === 0 ? null : table('Metrics', [{title: 'Name'}, {title: 'Value', right: true}, {title: 'Unit'}],
          attempt.metrics.map((metric) => [metric.name, String(metric.value), metric.unit])),
      attempt.provenance.length === 0 ? null : h('details', {}, h('summary', {}, 'Provenance'), table('Facts of where it ran',
          [{title: 'Where'}, {title: 'What'}, {title: 'Value'}], attempt.provenance.map((fact) => [fact.scope, fact.name, fact.value]))));
}

export async function showRun(view: View, study: string, run: string): Promise<void> {
  view.title(`Run ${run} of ${study}`);
  const path = `studies/${part(study)}/runs/${part(run)}`;
  const story = await withToken(() => get<Story>(path, view.signal));
  const log = h('pre', {class: 'log', tabindex: 0, role: 'region', 'aria-label': 'Log tail'}, '…');
  const stream = h('select', {id: 'stream', onchange: () => void loadLog()}, h('option', {value: 'stdout'}, 'stdout'), h('option', {value: 'stderr'}, 'stderr'));
  const loadLog = async () => {
    try {
      const text = await withToken(() => getText(`${path}/log?tail=200&stream=${stream.value}`, view.signal));
      log.textContent = text === '' ? 'nothing was printed' : text;
      log.scrollTop = log.scrollHeight;
    } catch (error) {
      if (!view.signal.aborted) log.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  const {point} = story;
  replace(view.host,
      h('p', {}, h('a', {href: `#/study/${part(study)}`}, '← the study')),
      h('dl', {class: 'facts'},
          ...([['Point', `${point.case}, ${point.mode}, K=${point.k}`], ['Repeat', String(story.repeat)],
            ['Shape', `${point.nodes} nodes, ${point.ranks} ranks`], ['Command', point.command.map(quote).join(' ')]] as const)
              .flatMap(([name, value]) => [h('dt', {}, name), h('dd', {class: name === 'Command' ? 'code' : null}, value)])),
      h('section', {'aria-label': 'Attempts'}, h('h2', {}, 'Attempts'),
          story.attempts.length === 0 ? h('p', {}, 'None yet.') : null, ...story.attempts.map(attemptPart)),
      h('section', {'aria-label': 'Log'}, h('h2', {}, 'Log'), h('div', {class: 'tools'}, h('label', {for: 'stream'}, 'The last lines of'), stream,
          h('button', {type: 'button', onclick: () => void loadLog()}, 'Read again')), log),
      h('section', {'aria-label': 'Events'}, h('h2', {}, 'Events'), eventList(story.events)));
  await loadLog();
}
