// SPDX-License-Identifier: Apache-2.0
//
// The calls of docs/reference/api.md. The token lives in sessionStorage only; event streams are read
// with fetch(), which can send it.

export interface Study {
  id: string;
  name: string;
  series: string;
  state: string;
  backend: string;
  site: string;
  created: string;
  updated: string;
  runs: number;
  succeeded: number;
  failed: number;
  running: boolean;
  headline?: string;
}
export interface CurvePoint {
  key: string;
  k: number;
  planned: number;
  done: number;
  failed: number;
  seconds: number | null;
  seconds_low: number | null;
  seconds_high: number | null;
  seconds_level: number | null;
  efficiency: number | null;
  efficiency_low: number | null;
  efficiency_high: number | null;
  efficiency_level: number | null;
  efficiency_basis: 'time' | 'work';
  efficiency_plain: number | null;
}
export interface Curve {
  name: string;
  workload: string;
  case: string;
  mode: string;
  floor: number;
  recommended_k: number | null;
  points: CurvePoint[];
}
export interface StudyEvent {
  time: string;
  kind: string;
  run: number | null;
  text: string;
}
export interface Detail {
  study: Study;
  seconds_left: number | null;
  waiting: string[];
  curves: Curve[];
  active: {run: number; attempt: number; state: string; since: string | null; nodes: string; samples?: number}[];
  events: StudyEvent[];
}
export interface Run {
  run: number;
  key: string;
  k: number;
  repeat: number;
  state: string;
  seconds: number | null;
  attempts: number;
}
export interface Attempt {
  number: number;
  state: string;
  sentence: string;
  job: string;
  nodes?: string;
  started_ns: number;
  ended_ns: number;
  samples: {iteration: number; warmup: boolean; max_ns: number; compute_ns: number; communication_ns: number}[];
  metrics: {name: string; value: number; unit: string}[];
  provenance: {scope: string; name: string; value: string}[];
}
export interface Story {
  study: string;
  run: number;
  repeat: number;
  finished: boolean;
  point: {key: string; case: string; mode: string; k: number; nodes: number; ranks: number; command: string[]};
  attempts: Attempt[];
  events: StudyEvent[];
}
export interface Series {
  id: string;
  name: string;
  studies: number;
  newest: string;
  verdict: string | null;
}
export interface History {
  series: string;
  nights: {study: string; time: string; verdict: string | null; judged: 'then' | 'now' | null}[];
  points: {key: string; workload: string; mode: string; k: number; seconds: (number | null)[]; changes: {night: number; ratio: number}[]}[];
}
interface Bounds {
  low: number;
  high: number;
  level: number;
}
interface Side {
  runs: number;
  seconds: number;
  efficiency: number;
}
export interface Comparison {
  studies: {study: string; site: string}[];
  pairs: {
    a: string;
    b: string;
    curves: {
      case: string;
      mode: string;
      knee_a: {k: number | null; where: string};
      knee_b: {k: number | null; where: string};
      points: {k: number; a: Side; b: Side; ratio: number | null; ratio_interval: Bounds | null; faster: string; why: string}[];
      obstacles: string[];
      differences: {what: string; a: string; b: string}[];
    }[];
    not_compared: string[];
    differences: {what: string; a: string; b: string}[];
    notes: string[];
  }[];
}

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
export async function post(path: string): Promise<{message?: string}> {
  return (await (await call(path, {method: 'POST'})).json()) as {message?: string};
}

// Reads an event stream to its end: true when the server said that the study is over.
async function readStream(path: string, onStudy: (detail: Detail) => void, signal: AbortSignal): Promise<boolean> {
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
      if (kind === 'study') onStudy(JSON.parse(field('data').join('\n')) as Detail);
      if (kind === 'end') return true;
    }
  }
}

export type Link = 'live' | 'lost' | 'over';

// Follows a study until it is over, the signal, or a refusal; a lost connection is tried again.
export async function follow(id: string, onStudy: (detail: Detail) => void, onLink: (link: Link) => void, signal: AbortSignal): Promise<void> {
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
