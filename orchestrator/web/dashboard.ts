// SPDX-License-Identifier: Apache-2.0
//
// The dashboard: one page over the server's API. The hash says which view is shown; a view stops
// when another one begins.
import {ApiError, token} from './api';
import {h, replace} from './dom';
import {askToken, problem, say, type View} from './view';
import {showCompare} from './view_compare';
import {showRun} from './view_run';
import {showSeries, showSeriesList} from './view_series';
import {showStudies} from './view_studies';
import {showStudy} from './view_study';

const heading = h('h1', {tabindex: -1, id: 'heading'});
const host = h('div', {id: 'view'});
const tokenButton = h('button', {type: 'button', id: 'token-button', onclick: () => {
  if (token.get() === '') {
    void askToken('Actions always need the token; a server that is open to others asks for it everywhere.').then((given) => {
      if (given) void show();
    });
  } else {
    token.set('');
    document.dispatchEvent(new Event('token'));
    say('The token is forgotten.');
    void show();
  }
}});

function link(to: string, text: string): HTMLElement {
  return h('a', {href: to, 'data-route': to}, text);
}

function frame(): void {
  const app = document.getElementById('app');
  if (app === null) return;
  replace(app,
      h('a', {class: 'skip', href: '#heading', onclick: (event) => {
        event.preventDefault();
        heading.focus();
      }}, 'Skip to the content'),
      h('header', {}, h('a', {class: 'brand', href: '#/'}, 'kneepoint'),
          h('nav', {'aria-label': 'Views'}, link('#/', 'Studies'), link('#/series', 'Series'), link('#/compare', 'Compare')), tokenButton),
      h('main', {}, heading, host),
      h('p', {id: 'status', role: 'status', hidden: true}),
      h('footer', {}, h('a', {href: 'openapi.json'}, 'API'), h('a', {href: 'metrics'}, 'Metrics'), h('a', {href: 'healthz'}, 'Health')));
}

function showTokenState(): void {
  tokenButton.textContent = token.get() === '' ? 'Sign in …' : 'Sign out';
}

let current = new AbortController();

function viewOf(view: View): Promise<void> {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').map(decodeURIComponent);
  for (const one of document.querySelectorAll('nav a')) {
    const here = one.getAttribute('href') === `#/${parts[0]}` || (one.getAttribute('href') === '#/' && ['', 'study'].includes(parts[0] ?? ''));
    if (here) one.setAttribute('aria-current', 'page');
    else one.removeAttribute('aria-current');
  }
  if (parts[0] === 'study' && parts[1] && parts[2] === 'run' && parts[3]) return showRun(view, parts[1], parts[3]);
  if (parts[0] === 'study' && parts[1]) return showStudy(view, parts[1]);
  if (parts[0] === 'series') return parts[1] ? showSeries(view, parts[1]) : showSeriesList(view);
  if (parts[0] === 'compare') return showCompare(view, new URLSearchParams(query).getAll('study'));
  return showStudies(view);
}

async function show(): Promise<void> {
  current.abort();
  const mine = (current = new AbortController());
  say('');
  replace(host, h('p', {class: 'hint'}, 'Reading …'));
  const view: View = {host, signal: mine.signal, title(text) {
    heading.textContent = text;
    document.title = `${text} · kneepoint`;
  }};
  try {
    await viewOf(view);
  } catch (error) {
    if (mine.signal.aborted) return;
    problem(host, error);
    if (error instanceof ApiError && error.status === 401) {
      host.append(h('button', {type: 'button', class: 'main', onclick: () => void show()}, 'Give the token'));
    }
  }
}

frame();
showTokenState();
document.addEventListener('token', showTokenState);
window.addEventListener('hashchange', () => {
  heading.focus();
  window.scrollTo(0, 0);
  void show();
});
void show();
