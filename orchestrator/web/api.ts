// SPDX-License-Identifier: Apache-2.0
//
// The calls of docs/reference/api.md; the types of their objects are made by build.mjs. The token lives in sessionStorage only; event streams are read
// with fetch(), which can send it.

import type {Done, StudyDetail} from 'api_types';

export class ApiError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

const tokenKey = 'kneepoint-token';
export const token = {
  get: () => sessionStorage.getItem(tokenKey) ?? '',
  set(value: string) {
    if (value === '') sessionStorage.removeItem(tokenKey);
    else sessionStorage.setItem(tokenKey, value);
  },
};

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers: Record<string, string> = {};
  if (token.get() !== '') headers['Authorization'] = `Bearer ${token.get()}`;
  let response: Response;
  try {
    response = await fetch(`api/v1/${path}`, {cache: 'no-store', ...init, headers});
  } catch (problem) {
    if (init.signal?.aborted) throw problem;
    throw new ApiError(0, 'The server does not answer. Is kneepoint serve still running?');
  }
  if (response.ok) return response;
  let message = `The server answered ${response.status}.`;
  try {
    const body = (await response.json()) as {error?: {message?: unknown}};
    if (typeof body.error?.message === 'string') message = body.error.message;
  } catch {
    // not JSON: the status says enough
  }
  throw new ApiError(response.status, message);
}

export const part = encodeURIComponent;

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await call(path, signal ? {signal} : {})).json()) as T;
}
export async function getText(path: string, signal?: AbortSignal): Promise<string> {
  return (await call(path, signal ? {signal} : {})).text();
}
export async function getFile(path: string): Promise<Blob> {
  return (await call(path)).blob();
}
export async function post(path: string): Promise<Done> {
  return (await (await call(path, {method: 'POST'})).json()) as Done;
}

// Reads an event stream to its end: true when the server said that the study is over.
async function readStream(path: string, onStudy: (detail: StudyDetail) => void, signal: AbortSignal): Promise<boolean> {
  const response = await call(path, {signal});
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return false;
  let text = '';
  for (;;) {
    const {value, done} = await reader.read();
    if (done) return false;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string) => lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trimStart());
      const kind = field('event')[0];
      if (kind === 'study') onStudy(JSON.parse(field('data').join('\n')) as StudyDetail);
      if (kind === 'end') return true;
    }
  }
}

export type Link = 'live' | 'lost' | 'over';

// Follows a study until it is over, the signal, or a refusal; a lost connection is tried again.
export async function follow(id: string, onStudy: (detail: StudyDetail) => void, onLink: (link: Link) => void, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted;) {
    try {
      const over = await readStream(`studies/${part(id)}/events`, (detail) => {
        failures = 0;
        onLink('live');
        onStudy(detail);
      }, signal);
      if (over) return onLink('over');
    } catch (problem) {
      if (signal.aborted) return;
      if (problem instanceof ApiError && problem.status >= 400 && problem.status < 500) throw problem;
    }
    if (signal.aborted) return;
    onLink('lost');
    const wait = Math.min(15000, 1000 * 2 ** failures++);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
