// SPDX-License-Identifier: Apache-2.0
//
// A fake of kneepoint serve for what a real one cannot show in seconds: sixty nights with a change
// of level, hostile names, a token, a study that grows one run at a time under the test's control.
// Its answers have the form of docs/reference/api.md; tests that follow a live study use the real one.
import {createServer} from 'node:http';
import {readFileSync} from 'node:fs';

export const hostile = `<script>window.broken=1</script>"'\u{1F4A5}<img src=x onerror="window.broken=1">`;
export const endless = hostile + 'x'.repeat(10000); // as a log line or a fact may be
const schema = 'kneepoint.api/1';
const at = (minute) => new Date(Date.UTC(2026, 10, 17, 18, minute)).toISOString();

function study(id, more = {}) {
  return {id, name: id.replace(/-[0-9a-f]{8}-\d+$/, ''), series: id.replace(/-\d+$/, ''), state: 'finished', backend: 'slurm', site: 'cluster', created: at(0),
    updated: at(40), runs: 70, succeeded: 70, failed: 0, running: false, ...more};
}

// Amdahl with 4% serial and a little communication; intervals narrow as runs come in.
function point(k, done, planned, mode) {
  const t = mode === 'weak' ? 1 + 0.02 * Math.log2(k) : 0.04 + 0.96 / k + 0.004 * Math.log2(k);
  const e = mode === 'weak' ? 1 / t : 1 / (k * t);
  const half = done > 1 ? 0.09 / Math.sqrt(done) : null;
  const about = (value) => (half === null || k === 1 ? [null, null] : [value * (1 - half), value * (1 + half)]);
  const [low, high] = about(e);
  const [fast, slow] = done > 1 ? [41 * t * (1 - half / 2), 41 * t * (1 + half / 2)] : [null, null];
  const none = done === 0;
  return {key: `jacobi/${mode}/k${k}`, k, planned, done, failed: 0, seconds: none ? null : 41 * t, seconds_low: none ? null : fast, seconds_high: none ? null : slow,
    efficiency: none ? null : e, efficiency_low: none ? null : low, efficiency_high: none ? null : high, seconds_level: done > 1 ? 0.9375 : null,
    efficiency_level: done > 1 && k > 1 ? 0.9682 : null, efficiency_basis: 'time', efficiency_plain: none ? null : e};
}

const ks = [1, 2, 4, 8, 16, 32, 64];

// The live study after `done` of its 70 runs: repeats come round by round, as the engine does.
export function detail(id, done) {
  const per = (i) => Math.min(5, Math.floor((done + 13 - i) / 14));
  const curve = (mode, offset) => ({name: `jacobi n=512 ${mode}`, workload: 'jacobi', case: 'jacobi n=512', mode, floor: 0.7, recommended_k: null,
    points: ks.map((k, i) => point(k, per(2 * i + offset), 5, mode))});
  const over = done >= 70;
  return {schema, study: study(id, {state: over ? 'finished' : 'running', running: !over, succeeded: Math.min(70, done), headline: done > 20
    ? 'use K=8 for jacobi n=512 strong, K=64 for jacobi n=512 weak' : undefined}),
  seconds_left: over || done === 0 ? null : (70 - done) * 6.2, waiting: over ? [] : ['2 jobs wait for resources in partition batch', `one waits: ${endless}`],
  curves: [curve('strong', 0), curve('weak', 1)],
  active: over ? [] : [{run: done + 1, attempt: 1, state: 'running', since: at(39), nodes: 'n[01-16]', samples: 12}, {run: done + 2, attempt: 2, state: 'queued', since: at(38), nodes: ''}],
  events: Array.from({length: Math.min(50, done + 1)}, (_, i) => i === 0 ? {time: at(1), kind: 'study_started', run: null, text: 'by ci on login1'}
    : {time: at(i % 60), kind: i % 9 === 0 ? 'run_retried' : 'run_succeeded', run: i, text: i % 9 === 0 ? 'node n07 failed; another attempt' : `T = ${(41 / (1 + i % 7)).toFixed(2)} s`})};
}

function history(id) {
  const nights = Array.from({length: 60}, (_, i) => ({study: `${id}-${i + 1}`, time: new Date(Date.UTC(2026, 8, 18 + i, 2)).toISOString(),
    verdict: i < 5 ? 'NO_BASELINE' : i === 38 ? 'SUSPECT' : i === 39 ? 'REGRESSED' : i === 47 ? 'ENV_CHANGE' : i === 52 ? 'IMPROVED' : 'PASS', judged: i === 10 || i === 59 ? 'now' : 'then'}));
  const wave = (i, k) => 1 + 0.006 * Math.sin(7.3 * i + k) + 0.004 * Math.sin(2.1 * i * k);
  return {schema, series: id, nights, points: ks.map((k) => ({key: `jacobi/strong/k${k}`, workload: 'jacobi',
    mode: 'strong', k, seconds: nights.map((_, i) => (i === 20 ? null : point(k, 5, 5, 'strong').seconds * wave(i, k) * (i >= 39 && i < 52 && k >= 16 ? 1.062 : 1))),
    changes: k >= 16 ? [{night: 39, ratio: 1.062}, {night: 52, ratio: 0.945}] : []}))};
}

const comparison = {schema: 'kneepoint.compare/1', floor: 0.7, studies: [{study: 'a', site: 'old'}, {study: 'b', site: 'new'}], pairs: [{a: 'jacobi-1a2b3c4d-59', b: 'jacobi-1a2b3c4d-60',
  curves: [{case: 'jacobi n=512', mode: 'strong', knee_a: {k: 10.6, where: 'measured'}, knee_b: {k: 12.1, where: 'measured'}, obstacles: [],
    points: ks.map((k, i) => ({k, a: {runs: 5, seconds: 40 / k + 2, efficiency: 0.9}, b: {runs: 5, seconds: 38 / k + 1.9, efficiency: 0.92}, ratio: 0.99 - 0.012 * i,
      ratio_interval: {low: 0.965 - 0.012 * i, high: 1.012 - 0.012 * i, level: 0.95}, faster: i > 1 ? 'b' : 'tie', why: 'by the interval of the ratio'})), differences: [{what: 'kernel', a: '6.1.0-18', b: '6.1.0-25'}]}],
  not_compared: [], differences: [{what: 'MPI', a: 'Open MPI 4.1.4', b: 'Open MPI 5.0.3'}], notes: []}]};

function story(id, run) {
  return {study: id, run, repeat: 2, round: 0, finished: true, point: {key: 'jacobi/strong/k16', case: 'jacobi n=512', mode: 'strong', k: 16, nodes: 16, ranks: 256, command: ['kp-jacobi3d', '--n', '512', '--label', hostile]},
    attempts: [{number: 1, state: 'lost', sentence: 'lost: node n07 failed while it ran.', job: '4711', nodes: 'n[01-16]', started_ns: 1e9, ended_ns: 5e9, samples: [], metrics: [], provenance: []},
      {number: 2, state: 'succeeded', sentence: 'succeeded.', job: '4718', nodes: 'n[01-06,08-17]', started_ns: 6e9, ended_ns: 2e10, samples: Array.from({length: 12}, (_, i) => ({iteration: i, warmup: i < 2,
        max_ns: 3.1e8 + 4e6 * (i % 5), compute_ns: 2.4e8, communication_ns: 6e7})), metrics: [{name: 'gflops', value: 812.4, unit: 'Gflop/s'}],
      provenance: [{scope: 'n01', name: 'cpu', value: endless}]}],
    events: [{time: at(3), kind: 'attempt_lost', run, text: endless}, {time: at(9), kind: 'run_succeeded', run, text: 'T = 3.11 s'}]};
}

// startFake({page, token?}): {url, advance(runs), posts, close()}.
export async function startFake({page, token = ''}) {
  const html = readFileSync(page, 'utf8');
  const streams = new Set();
  const posts = [];
  let done = 0;
  const live = 'jacobi-1a2b3c4d-61';
  const list = () => [detail(live, done).study, study(`night-0a0b0c0d-1`, {name: hostile, site: endless, failed: 3, succeeded: 61, state: 'interrupted'}),
    ...Array.from({length: 38}, (_, i) => study(`${['jacobi-1a2b3c4d', 'allreduce-99aa00bb', 'train-7b-5e5f6061'][i % 3]}-${60 - i}`, {backend: ['slurm', 'kubernetes', 'local'][i % 3],
      site: ['cluster', 'gpu-pool', 'local'][i % 3], state: i === 6 ? 'cancelled' : 'finished', failed: i % 11 === 5 ? 2 : 0, succeeded: i % 11 === 5 ? 68 : 70}))];
  const send = (stream) => {
    stream.write(`event: study\ndata: ${JSON.stringify(detail(live, done))}\n\n`);
    if (done < 70) return;
    stream.end('event: end\ndata: {}\n\n');
    streams.delete(stream);
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost');
    const path = decodeURIComponent(url.pathname);
    const json = (value, status = 200) => response.writeHead(status, {'Content-Type': 'application/json'}).end(JSON.stringify(value));
    const refuse = (status, code, message) => json({schema, error: {code, message}}, status);
    if (path === '/') return response.writeHead(200, {'Content-Type': 'text/html; charset=utf-8'}).end(html);
    if (path === '/favicon.ico') return response.writeHead(204).end();
    const given = request.headers.authorization === `Bearer ${token}`;
    if (token !== '' && !given) return refuse(401, 'unauthorized', 'This server wants its token.');
    if (request.method === 'POST') {
      if (token === '') return refuse(403, 'forbidden', 'Actions are off: kneepoint serve was started without --token-file.');
      posts.push(path);
      return json({schema, study: live, message: `${path.split('/').pop()} was asked for ${live}.`}, 202);
    }
    if (path === '/api/v1/studies') return json({schema, studies: list(), next: null});
    if (path === '/api/v1/series') return json({schema, series: [{id: 'jacobi-1a2b3c4d', name: 'jacobi', studies: 60, newest: 'jacobi-1a2b3c4d-60', verdict: 'PASS'},
      {id: 'allreduce-99aa00bb', name: 'allreduce', studies: 31, newest: 'allreduce-99aa00bb-31', verdict: 'REGRESSED'}, {id: 'train-7b-5e5f6061', name: hostile, studies: 2, newest: 'train-7b-5e5f6061-2', verdict: null}]});
    if (path.startsWith('/api/v1/series/')) return json(history(path.slice(15)));
    if (path === '/api/v1/compare') return json(comparison);
    const parts = path.split('/').slice(4);
    if (path.startsWith('/api/v1/studies/') && parts[0] === 'missing') return refuse(404, 'not_found', 'No study is called missing.');
    if (parts[1] === 'events') {
      response.writeHead(200, {'Content-Type': 'text/event-stream'});
      streams.add(response);
      response.on('close', () => streams.delete(response));
      return send(response);
    }
    if (parts[1] === 'runs' && parts[3] === 'log') return response.writeHead(200, {'Content-Type': 'text/plain; charset=utf-8'}).end(`iteration 1: residual 3.1e-4\n${hostile}\n`.repeat(20) + endless);
    if (parts[1] === 'runs' && parts[2]) return json(story(parts[0], Number(parts[2])));
    if (parts[1] === 'runs') return json({schema, next: null, runs: Array.from({length: 70}, (_, i) => ({run: i + 1, key: `jacobi/strong/k${ks[i % 7]}`, k: ks[i % 7], repeat: Math.floor(i / 14), state: i < done ? 'succeeded' : 'planned',
      seconds: i < done ? 3.2 : null, attempts: i < done ? 1 : 0}))});
    if (parts[1]?.startsWith('report.')) return response.writeHead(200, {'Content-Type': 'application/octet-stream'}).end('a report');
    return refuse(404, 'not_found', `Nothing is at ${path}.`);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    live,
    posts,
    advance(runs) {
      done = runs;
      for (const stream of [...streams]) send(stream);
    },
    async close() {
      server.closeAllConnections?.();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
