// SPDX-License-Identifier: Apache-2.0
//
// What every view of the dashboard is given and shares: where to draw, when to stop, how to say that
// something failed, and questions that need an answer first.
import {ApiError, token} from './api';
import {h, put, replace} from './dom';

export interface View {
  host: HTMLElement;
  signal: AbortSignal; // aborted when another view is shown
  title(text: string): void;
}

export function problem(host: HTMLElement, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  replace(host, h('p', {class: 'problem', role: 'alert'}, message));
}

// A sentence at the page's edge, read out by screen readers.
export function say(text: string): void {
  const status = document.getElementById('status');
  if (status === null) return;
  status.textContent = text;
  status.hidden = text === '';
}

// A dialog with some content and two buttons; gives whether the first was chosen.
export function ask(title: string, content: Node[], yes: string, no: string): Promise<boolean> {
  return new Promise((resolve) => {
    const form = h('form', {method: 'dialog'}, h('h2', {}, title));
    put(form, ...content, h('div', {class: 'buttons'},
        h('button', {type: 'submit', class: 'main', value: 'yes'}, yes),
        h('button', {type: 'button', onclick: () => dialog.close('')}, no)));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      dialog.close('yes');
    });
    const dialog = h('dialog', {'aria-label': title}, form);
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

let asking: Promise<boolean> | null = null;

// Asks for the token; gives whether there is a new one. One dialog at a time.
export function askToken(why: string): Promise<boolean> {
  asking ??= (async () => {
    const input = h('input', {type: 'password', id: 'token', autocomplete: 'off', spellcheck: 'false', required: true});
    const given = await ask('Token', [h('p', {}, why),
      h('label', {for: 'token'}, 'Token of kneepoint serve'), input,
      h('p', {class: 'hint'}, 'It is kept until this tab is closed.')], 'Use it', 'Not now');
    if (given) token.set(input.value.trim());
    asking = null;
    document.dispatchEvent(new Event('token'));
    return given && token.get() !== '';
  })();
  return asking;
}

// Runs a call; where the server wants a token, asks for one and tries again. null: no answer.
export async function withToken<T>(run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      const refused = error instanceof ApiError && error.status === 401;
      if (!refused || !(await askToken(error.message))) throw error;
    }
  }
}

// Runs `work` now and every `seconds` while the view is shown and the tab is seen.
export function repeat(view: View, seconds: number, work: () => Promise<void>): void {
  const once = async () => {
    if (view.signal.aborted) return;
    try {
      if (!document.hidden) await work();
    } catch (error) {
      if (view.signal.aborted) return;
      say(error instanceof Error ? error.message : String(error));
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) return;
    }
    setTimeout(() => void once(), 1000 * seconds);
  };
  setTimeout(() => void once(), 1000 * seconds);
}
