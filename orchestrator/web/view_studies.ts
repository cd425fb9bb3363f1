// SPDX-License-Identifier: Apache-2.0
//
// The list of studies, newest first, with a filter and a choice of those to compare.
import type {Studies, Study} from 'api_types';

import {get, part} from './api';
import {badge, moment} from './badge';
import {h, replace} from './dom';
import {repeat, withToken, type View} from './view';

const pageSize = 100;

export function progressBar(study: Study): HTMLElement {
  const ended = study.succeeded + study.failed;
  return h('span', {class: 'progress'},
      h('progress', {max: Math.max(1, study.runs), value: ended, 'aria-label': `${ended} of ${study.runs} runs`}),
      h('span', {}, `${ended} of ${study.runs}`, study.failed > 0 ? h('span', {class: 'bad'}, `, ${study.failed} failed`) : null));
}

export async function showStudies(view: View): Promise<void> {
  view.title('Studies');
  const chosen = new Set<string>();
  const filter = h('input', {type: 'search', id: 'filter', placeholder: 'name, site or state', oninput: () => show()});
  const compare = h('button', {type: 'button', disabled: true, onclick: () => {
    location.hash = `#/compare?${[...chosen].map((id) => `study=${part(id)}`).join('&')}`;
  }}, 'Compare those chosen');
  const body = h('tbody');
  const more = h('button', {type: 'button', hidden: true}, 'Show older ones');
  const count = h('p', {class: 'hint', role: 'status'});
  let studies: Study[] = [];
  let next: string | null = null;

  const row = (study: Study) => h('tr', {},
      h('td', {}, h('input', {type: 'checkbox', 'aria-label': `compare ${study.id}`, checked: chosen.has(study.id), id: `choose-${study.id}`,
        onchange: (event) => {
          if ((event.target as HTMLInputElement).checked) chosen.add(study.id);
          else chosen.delete(study.id);
          compare.disabled = chosen.size < 2;
        }})),
      h('th', {scope: 'row'}, h('a', {href: `#/study/${part(study.id)}`, id: `study-${study.id}`}, study.id)),
      h('td', {}, badge(study.state), study.running ? h('span', {class: 'live', title: 'a controller works on it'}, ' live') : null),
      h('td', {}, progressBar(study)),
      h('td', {}, h('span', {class: 'short'}, study.backend, h('span', {class: 'hint'}, study.site === study.backend ? '' : ` ${study.site}`))),
      h('td', {}, moment(study.updated)));
  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
    const shown = studies.filter((study) => {
      const text = `${study.id} ${study.name} ${study.site} ${study.backend} ${study.state}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const focused = document.activeElement?.id;
    replace(body, ...shown.map(row));
    if (focused) document.getElementById(focused)?.focus();
    more.hidden = next === null;
    count.textContent = studies.length === 0 ? 'No study yet: kneepoint run PLAN starts one.'
      : shown.length === studies.length ? `${studies.length} ${studies.length === 1 ? 'study' : 'studies'}${next === null ? '' : ' so far'}` : `${shown.length} of ${studies.length} studies`;
  };
  const load = async (before: string | null) => {
    const page = await withToken(() => get<Studies>(`studies?limit=${pageSize}${before === null ? '' : `&before=${part(before)}`}`, view.signal));
    studies = before === null ? page.studies : [...studies, ...page.studies];
    next = page.next;
    show();
  };
  more.addEventListener('click', () => void load(next));
  await load(null);
  replace(view.host,
      h('div', {class: 'tools'}, h('label', {for: 'filter'}, 'Filter'), filter, compare),
      count,
      h('div', {class: 'table wide', tabindex: 0, role: 'region', 'aria-label': 'Studies'},
          h('table', {}, h('thead', {}, h('tr', {}, ...['', 'Study', 'State', 'Runs', 'Where', 'Changed'].map((title) =>
            h('th', {scope: 'col'}, title === '' ? h('span', {class: 'unseen'}, 'Compare') : title)))), body)),
      more);
  repeat(view, 5, async () => {
    if (studies.length > pageSize) return; // older pages are open: leave them
    await load(null);
  });
}
