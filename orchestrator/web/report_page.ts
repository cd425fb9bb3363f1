// SPDX-License-Identifier: Apache-2.0
//
// What the report's page runs: reads the report's own JSON and fills its what-if section. The page
// is complete without it.
import {h, replace} from './dom';
import {startsOf, type Report} from './report_data';
import {showTraining} from './training_panel';
import {showWhatIf} from './what_if';

function main(): void {
  const section = document.getElementById('what-if');
  const data = document.getElementById('kneepoint-report');
  if (section === null || data === null) return;
  // Before any chart listens: on paper they are drawn in the colours of light ground.
  window.addEventListener('beforeprint', () => document.documentElement.classList.add('paper'));
  window.addEventListener('afterprint', () => document.documentElement.classList.remove('paper'));
  const report = JSON.parse(data.textContent ?? '') as Report;
  const starts = startsOf(report);
  const panel = h('div', {id: 'what-if-law'});
  const training = h('div', {id: 'what-if-training-panel'});
  const select = h('select', {id: 'what-if-curve'}, ...starts.map((start, i) => h('option', {value: i}, start.name)));
  let clear = () => {};
  const show = () => {
    const start = starts[Number(select.value)];
    clear();
    if (start !== undefined) clear = showWhatIf(panel, start);
  };
  const opened = h('details', {id: 'what-if-training-part'}, h('summary', {}, h('h3', {}, 'Training: how far replicas carry')), training);
  opened.addEventListener('toggle', () => {
    if (opened.open && training.childElementCount === 0) showTraining(training, report.cost?.currency ?? 'USD');
  });
  section.classList.add('alive');
  replace(section,
      h('h2', {}, 'What if'),
      h('p', {}, 'Move a value and see what follows. The curves here are modelled, by the same formulas as ',
          h('code', {}, 'kneepoint predict'), ' and ', h('code', {}, 'recommend'), '; what was measured is above.'),
      starts.length === 0 ? h('p', {}, 'No curve was measured, so there is nothing to start from.') : null,
      starts.length === 0 ? null : h('div', {class: 'choose'}, h('label', {for: 'what-if-curve'}, 'Curve'), select,
          h('button', {type: 'button', id: 'what-if-reset', onclick: show}, 'Back to the start values')),
      starts.length === 0 ? null : panel,
      opened);
  select.addEventListener('change', show);
  show();
}

main();
