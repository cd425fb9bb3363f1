// SPDX-License-Identifier: Apache-2.0
//
// The real programs for the browser tests: a folder of its own with a database, kneepoint with it,
// and kneepoint serve on a free port. stop() ends what was started and removes the folder.
import {spawn, spawnSync} from 'node:child_process';
import {chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';

import {bin, skip} from './support.mjs';

export function makePlace() {
  const program = join(bin, 'kneepoint');
  if (!existsSync(program)) skip(`${program} is not built`);
  const folder = mkdtempSync(join(tmpdir(), 'kp-browser-'));
  const env = {...process.env, KNEEPOINT_DB: join(folder, 'kneepoint.db'), XDG_STATE_HOME: folder, OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1'};
  const children = [];
  const start = (...words) => {
    const child = spawn(program, words, {env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe']});
    child.said = '';
    child.stderr.on('data', (text) => (child.said += text));
    child.over = new Promise((resolve) => child.on('close', resolve));
    children.push(child);
    return child;
  };
  return {
    folder,
    start,
    file(name, text, mode) {
      writeFileSync(join(folder, name), text);
      if (mode !== undefined) chmodSync(join(folder, name), mode);
      return join(folder, name);
    },
    // Runs a command to its end; throws with its words when it fails.
    run(...words) {
      const done = spawnSync(program, words, {env, cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28});
      if (done.status !== 0) throw new Error(`kneepoint ${words.join(' ')}: ${done.status}\n${done.stdout}${done.stderr}`);
      return done.stdout;
    },
    // Gives the address of a server on this database.
    async serve(...words) {
      const child = start('--json', 'serve', '--listen', '127.0.0.1:0', ...words);
      const lines = createInterface({input: child.stdout});
      const line = await Promise.race([new Promise((resolve) => lines.once('line', resolve)), child.over.then(() => null)]);
      if (line === null) throw new Error(`kneepoint serve ended: ${child.said}`);
      return JSON.parse(line).url;
    },
    async stop() {
      for (const child of children) if (child.exitCode === null) child.kill('SIGTERM');
      await Promise.all(children.map((child) => child.over));
      rmSync(folder, {recursive: true, force: true});
    },
  };
}
