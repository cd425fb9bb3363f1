// SPDX-License-Identifier: Apache-2.0
//
// The dashboard against the real kneepoint serve: a real study on this machine is followed from its
// first run to its end, cancelled and resumed through the page, and nothing is told without the token.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';

import {weakContrast} from './page_checks.mjs';
import {makePlace} from './real_server.mjs';
import {openPage, requireBundle, runTests, startChromium, test} from './support.mjs';

requireBundle();
const browser = await startChromium();
const place = makePlace();
const keep = process.env.KP_SCREENSHOTS;
place.file('token', 'tell-nobody-of-these-words\n', 0o600);
// Sleeps of a known law: strong and weak, so that points come in one after another.
const plan = place.file('plan.yaml', `study: live
worker: rank
scale: [1, 2]
modes: [strong, weak]
workloads:
  - {name: synthetic, use: synthetic, parameters: {work: sleep, s: 0.05, c: 0.01, seconds: 0.05}}
iterations: {warmup: 0, count: 4}
repeat: 4
`);
const url = await place.serve('--token-file', join(place.folder, 'token'));
const study = await openPage(browser);

async function signIn(page, hash) {
  await page.goto(`${url}${hash}`);
  await page.fill('#token', 'tell-nobody-of-these-words');
  await page.keyboard.press('Enter');
}
async function hasStudies() {
  const answer = await fetch(new URL('api/v1/studies', url), {headers: {Authorization: 'Bearer tell-nobody-of-these-words'}});
  return answer.ok && (await answer.json()).studies.length > 0;
}
const state = (page, word) => page.locator('.head .badge', {hasText: word}).waitFor();

test('nothing is told without the token', async () => {
  const {page, seen, context} = await openPage(browser);
  await page.goto(`${url}#/`);
  await page.locator('dialog').waitFor();
  assert.equal(await page.locator('tbody tr').count(), 0);
  const answers = await page.evaluate(async () => Promise.all(['api/v1/studies', 'api/v1/series', 'api/v1/studies/x/events']
      .map(async (path) => (await fetch(path)).status)));
  assert.deepEqual(answers, [401, 401, 401]);
  assert.ok(seen.errors.every((text) => text.includes('401')), seen.errors.join('\n'));
  await context.close();
});

let id = '';
test('a live study is followed from start to end', async () => {
  const {page, seen} = study;
  await signIn(page, '#/');
  await page.locator('p', {hasText: 'No study yet'}).waitFor();
  seen.errors.length = 0; // the refusal before the token is an error to the console
  const run = place.start('run', plan);
  // The list looks every few seconds: the study waits until its page is open.
  while (!await hasStudies()) await sleep(20);
  run.kill('SIGSTOP');
  const link = page.locator('tbody th a').first();
  await link.waitFor();
  id = await link.textContent();
  await link.click();
  await page.locator('#link[data-state=live]').waitFor();
  const counts = [];
  await page.exposeFunction('count', (count) => counts.push(count));
  await page.evaluate(() => new MutationObserver(() => {
    void window.count(Number(document.querySelector('.big progress')?.getAttribute('value') ?? 0));
  }).observe(document.querySelector('#view'), {childList: true, subtree: true}));
  run.kill('SIGCONT');
  await page.locator('#link[data-state=over]').waitFor();
  assert.equal(await run.over, 0, run.said);
  await state(page, 'finished');
  assert.equal(counts[counts.length - 1], 16);
  assert.ok(new Set(counts).size >= 3, `the page saw it grow: ${[...new Set(counts)]}`);
  assert.equal(await page.locator('.plot circle:not(.reach)').count(), 4);
  assert.equal(await page.locator('.plot .open').count(), 0);
  assert.deepEqual(seen.errors, []);
  assert.deepEqual(seen.requests.filter((one) => !one.startsWith(url)), []);
});

test('the figure shows what the report says', async () => {
  const report = JSON.parse(place.run('--json', 'report', id));
  const titles = await study.page.locator('.plot .point title').allTextContents();
  const points = ['strong', 'weak'].flatMap((mode) => report.cases[0].modes[mode].points);
  assert.equal(titles.length, points.length);
  points.forEach((point, i) => {
    const e = point.efficiency.value;
    assert.ok(titles[i].startsWith(`K=${point.k}: E = ${Number(e.toPrecision(3))}`), `${titles[i]} against ${e}`);
  });
});

test("a run's story and log are shown", async () => {
  const {page} = study;
  await page.locator('summary', {hasText: 'All runs'}).click();
  assert.equal(await page.locator('details tbody tr').count() || (await page.locator('details tbody tr').first().waitFor(), 16), 16);
  await page.locator('details tbody a').first().click();
  await page.locator('.attempt .badge', {hasText: 'succeeded'}).waitFor();
  await page.waitForFunction(() => document.querySelector('.log')?.textContent !== '…');
  assert.match(await page.locator('.attempt').textContent(), /4 samples/);
});

test('the report is downloaded in every form', async () => {
  const {page} = study;
  await page.goto(`${url}#/study/${id}`);
  for (const form of ['json', 'csv', 'md', 'html']) {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name: `Report .${form}`}).click()]);
    assert.equal(file.suggestedFilename(), `${id}.${form}`);
  }
});

test('a study that was interrupted is resumed through the page, and cancelled', async () => {
  const {page} = study;
  const long = place.file('long.yaml', `study: long
worker: rank
scale: [1]
modes: [strong]
workloads:
  - {name: synthetic, use: synthetic, parameters: {work: sleep, s: 0.05, c: 0.01, seconds: 0.1}}
iterations: {warmup: 0, count: 5}
repeat: 200
`);
  const run = place.start('run', long);
  await page.goto(`${url}#/`);
  const link = page.locator('tbody th a', {hasText: 'long-'});
  await link.waitFor();
  await link.click();
  await page.locator('#link[data-state=live]').waitFor();
  run.kill('SIGINT');
  assert.equal(await run.over, 130, run.said);
  await page.getByRole('button', {name: 'Resume …'}).click();
  await page.getByRole('button', {name: 'Resume it'}).click();
  await page.locator('#link[data-state=live]').waitFor();
  await state(page, 'running');
  await page.getByRole('button', {name: 'Cancel …'}).click();
  await page.getByRole('button', {name: 'Cancel the study'}).click();
  await state(page, 'cancelled');
});

test('series and comparison are shown', async () => {
  const {page} = study;
  place.run('run', plan, '--new');
  await page.goto(`${url}#/series`);
  await page.locator('td a', {hasText: id.replace(/-\d+$/, '')}).first().click();
  await page.locator('.history canvas').waitFor();
  assert.match(await page.locator('.history').getAttribute('aria-label'), /over 2 nights/);
  await page.goto(`${url}#/compare?study=${id}&study=${id.replace(/-1$/, '-2')}`);
  await page.locator('#outcome .curve').first().waitFor();
  assert.equal(await page.locator('#outcome .plot').count(), 2);
  assert.deepEqual(await weakContrast(page), []);
  if (keep) await page.screenshot({path: join(keep, 'real-compare.png'), fullPage: true});
});

let status = 1;
try {
  status = await runTests();
} finally {
  await browser.close();
  await place.stop();
}
process.exit(status);
