// SPDX-License-Identifier: Apache-2.0
//
// The dashboard in Chromium against the fake API: what it shows, what it refuses to run, and that a
// keyboard and a phone suffice. KP_SCREENSHOTS=DIR keeps pictures.
import assert from 'node:assert/strict';
import {join} from 'node:path';

import {endless, hostile, startFake} from './fake_api.mjs';
import {sideways, unnamedPictures, unreached, weakContrast} from './page_checks.mjs';
import {bundle, openPage, requireBundle, runTests, startChromium, test} from './support.mjs';

requireBundle();
const browser = await startChromium();
const page_ = join(bundle, 'dashboard.html');
const keep = process.env.KP_SCREENSHOTS;

async function withFake(options, run, context = {}) {
  const fake = await startFake({page: page_, ...options});
  const {page, seen, context: opened} = await openPage(browser, context);
  try {
    await run({fake, page, seen});
  } finally {
    await opened.close();
    await fake.close();
  }
}
const heading = (page) => page.locator('h1').textContent();
const settled = (page) => page.waitForFunction(() => !document.querySelector('#view')?.textContent?.includes('Reading …'));

const views = ['#/', '#/study/jacobi-1a2b3c4d-61', '#/study/jacobi-1a2b3c4d-61/run/17', '#/series', '#/series/jacobi-1a2b3c4d',
  '#/compare?study=jacobi-1a2b3c4d-59&study=jacobi-1a2b3c4d-60'];

test('every view opens without an error, asks only its own server, and shows server text as text', () => withFake({}, async ({fake, page, seen}) => {
  fake.advance(38);
  for (const view of views) {
    await page.goto(`${fake.url}${view}`);
    await settled(page);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    assert.equal(await page.evaluate(() => window.broken), undefined, `${view}: hostile text ran`);
    assert.equal(await page.locator('main img, main script').count(), 0, `${view}: hostile text became an element`);
    assert.deepEqual(await unnamedPictures(page), [], view);
    if (keep) await page.screenshot({path: join(keep, `${views.indexOf(view)}.png`), fullPage: true});
  }
  assert.deepEqual(seen.errors, []);
  assert.deepEqual(seen.requests.filter((url) => !url.startsWith(fake.url)), []);
  await page.goto(`${fake.url}#/`);
  await page.locator('td', {hasText: hostile}).first().waitFor();
}));

test('a study is followed from its first run to its end', () => withFake({}, async ({fake, page, seen}) => {
  await page.goto(`${fake.url}#/study/${fake.live}`);
  await page.locator('#link[data-state=live]').waitFor();
  const measured = () => page.locator('.plot circle:not(.reach)').count();
  const width = () => page.locator('.plot .interval').first().evaluate((path) => path.getBBox().height);
  assert.equal(await measured(), 0);
  fake.advance(30);
  await page.waitForFunction(() => document.querySelectorAll('.plot circle:not(.reach)').length === 14);
  assert.ok(await page.locator('.plot .open').count() > 0, 'points that lack runs are drawn open');
  const early = await width();
  fake.advance(70);
  await page.locator('#link[data-state=over]').waitFor();
  assert.ok(await width() < early, 'intervals narrow as runs come in');
  assert.equal(await page.locator('.plot .open').count(), 0);
  assert.match(await page.locator('.big').textContent(), /70 of 70/);
  assert.deepEqual(seen.errors, []);
}));

test('the table beside a figure says what the figure shows', () => withFake({}, async ({fake, page}) => {
  fake.advance(70);
  await page.goto(`${fake.url}#/study/${fake.live}`);
  await page.locator('.curve').first().waitFor();
  const title = await page.locator('.plot .point title').nth(3).textContent();
  const row = await page.locator('.curve tbody tr').nth(3).textContent();
  assert.match(title, /K=8: E = 0\.727 \(/);
  assert.match(row, /0\.727 \(/);
  assert.match(await page.locator('.curve thead').first().textContent(), /E \(96\.8%\)/, 'the level that the intervals have');
}));

test('nothing is shown without the token, which stays out of addresses and storage that lasts', () => withFake({token: 'secret-7'}, async ({fake, page, seen}) => {
  await page.goto(`${fake.url}#/`);
  await page.locator('dialog').waitFor();
  assert.equal(await page.locator('tbody tr').count(), 0);
  await page.fill('#token', 'wrong');
  await page.keyboard.press('Enter');
  await page.locator('dialog').waitFor();
  assert.match(await page.locator('dialog').textContent(), /wants its token/);
  await page.fill('#token', 'secret-7');
  await page.keyboard.press('Enter');
  await page.locator('tbody tr').first().waitFor();
  assert.ok(seen.requests.every((url) => !url.includes('secret-7')));
  assert.equal(await page.evaluate(() => JSON.stringify(localStorage) + document.cookie), '{}');
  await page.click('#token-button');
  await page.locator('dialog').waitFor();
}));

test('cancel and resume ask first, then need the token', () => withFake({token: 'secret-7'}, async ({fake, page}) => {
  await page.goto(`${fake.url}#/study/${fake.live}`);
  await page.fill('#token', 'secret-7');
  await page.keyboard.press('Enter');
  await page.getByRole('button', {name: 'Cancel …'}).click();
  await page.getByRole('button', {name: 'Leave it'}).click();
  assert.deepEqual(fake.posts, []);
  await page.getByRole('button', {name: 'Cancel …'}).click();
  await page.getByRole('button', {name: 'Cancel the study'}).click();
  await page.locator('#status', {hasText: 'cancel was asked for'}).waitFor();
  assert.deepEqual(fake.posts, [`/api/v1/studies/${fake.live}/cancel`]);
}));

test('a server without a token says that actions are off', () => withFake({}, async ({fake, page}) => {
  await page.goto(`${fake.url}#/study/${fake.live}`);
  await page.getByRole('button', {name: 'Cancel …'}).click();
  await page.getByRole('button', {name: 'Cancel the study'}).click();
  await page.locator('#status', {hasText: 'Actions are off'}).waitFor();
}));

test('a report is downloaded under the name of its study', () => withFake({}, async ({fake, page}) => {
  await page.goto(`${fake.url}#/study/${fake.live}`);
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name: 'Report .html'}).click()]);
  assert.equal(file.suggestedFilename(), `${fake.live}.html`);
}));

test('the history shows verdicts and changes of level, and can be zoomed by keyboard and mouse', () => withFake({}, async ({fake, page}) => {
  await page.goto(`${fake.url}#/series/jacobi-1a2b3c4d`);
  await page.locator('.history canvas').waitFor();
  assert.match(await page.locator('.history').getAttribute('aria-label'), /60 nights with 2 changes/);
  assert.equal(await page.locator('.night.REGRESSED').count(), 1);
  assert.equal(await page.locator('.badge', {hasText: 'REGRESSED'}).count(), 1);
  assert.equal(await page.locator('td', {hasText: 'judged now'}).count(), 2, 'what nobody judged on its night says so');
  const picture = () => page.locator('.history canvas').evaluate((canvas) => canvas.toDataURL());
  const all = await picture();
  await page.getByRole('button', {name: 'show fewer nights'}).press('Enter');
  await page.waitForFunction((before) => document.querySelector('.history canvas').toDataURL() !== before, all);
  await page.getByRole('button', {name: 'show all nights'}).press('Enter');
  await page.waitForFunction((before) => document.querySelector('.history canvas').toDataURL() === before, all);
  const box = await page.locator('.history .u-over').boundingBox();
  await page.mouse.move(box.x + 50, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + 200, box.y + 50, {steps: 4});
  await page.mouse.up();
  await page.waitForFunction((before) => document.querySelector('.history canvas').toDataURL() !== before, all);
}));

test('an unknown study is told in words', () => withFake({}, async ({fake, page}) => {
  await page.goto(`${fake.url}#/study/missing`);
  await page.locator('.problem', {hasText: 'No study is called missing.'}).waitFor();
}));

test('a comparison names the studies that it is of, however old', () => withFake({}, async ({fake, page}) => {
  await page.goto(`${fake.url}#/compare?study=jacobi-1a2b3c4d-59&study=jacobi-1a2b3c4d-60`);
  await page.locator('#outcome .curve').waitFor();
  assert.equal(await page.inputValue('#study-a'), 'jacobi-1a2b3c4d-59'); // not in the list
  assert.equal(await page.inputValue('#study-b'), 'jacobi-1a2b3c4d-60');
  assert.match(await page.locator('#outcome .side tbody tr').last().textContent(), /B$/);
}));

for (const colorScheme of ['light', 'dark']) {
  test(`text stands out from its ground, ${colorScheme}`, () => withFake({}, async ({fake, page}) => {
    fake.advance(38);
    for (const view of views) {
      await page.goto(`${fake.url}${view}`);
      await settled(page);
      assert.deepEqual(await weakContrast(page), [], view);
    }
    await page.click('#token-button');
    assert.deepEqual(await weakContrast(page), [], 'the dialog');
  }, {colorScheme}));
}

test('every link, button and field is reached by the Tab key', () => withFake({}, async ({fake, page}) => {
  fake.advance(38);
  for (const view of views) {
    await page.goto('about:blank');
    await page.goto(`${fake.url}${view}`);
    await settled(page);
    assert.deepEqual(await unreached(page), [], view);
  }
}));

test('the focus survives an update, and goes to the heading of a new view', () => withFake({}, async ({fake, page}) => {
  fake.advance(20);
  await page.goto(`${fake.url}#/study/${fake.live}`);
  const link = page.locator('.events a[href$="/run/19"]');
  await link.focus();
  fake.advance(24);
  await page.locator('.events a[href$="/run/24"]').waitFor();
  assert.match(await page.evaluate(() => document.activeElement?.getAttribute('href') ?? ''), /run\/19$/);
  await page.keyboard.press('Enter');
  await page.locator('.attempt').first().waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'heading');
  assert.match(await heading(page), /^Run 19 of/);
}));

test('the checks of this file see what they look for', async () => {
  const {page, context} = await openPage(browser, {viewport: {width: 390, height: 844}});
  await page.setContent(`<body style="background:#fff"><p style="color:#999">pale</p><p>dark</p><button>reached</button>
    <button tabindex="-1">not reached</button><svg width="9" height="9"></svg><div style="width:900px">wide</div>`);
  const pale = await weakContrast(page);
  assert.equal(pale.length, 1);
  assert.match(pale[0], /^2\.85 at 'pale'/);
  assert.match((await unreached(page)).join(), /^<button tabindex="-1"[^>]*>not reached<\/button>$/);
  assert.equal((await unnamedPictures(page)).length, 1);
  assert.ok(await sideways(page) > 400);
  await context.close();
});

test('a phone shows every view without scrolling sideways', () => withFake({}, async ({fake, page}) => {
  fake.advance(38);
  for (const view of views) {
    await page.goto(`${fake.url}${view}`);
    await settled(page);
    assert.equal(await sideways(page), 0, view);
  }
}, {viewport: {width: 390, height: 844}}));

test('ten thousand characters are text like any other, and leave room for the rest', () => withFake({}, async ({fake, page}) => {
  fake.advance(38);
  await page.goto(`${fake.url}#/`);
  const row = page.locator('tr', {hasText: hostile});
  await row.waitFor();
  assert.ok((await row.boundingBox()).height < 200);
  await page.goto(`${fake.url}#/study/${fake.live}`);
  await page.locator('.waiting li', {hasText: endless}).waitFor();
  assert.ok((await page.locator('.waiting').boundingBox()).height < 300);
  await page.goto(`${fake.url}#/study/${fake.live}/run/17`);
  await page.locator('.log', {hasText: endless}).waitFor();
  await page.locator('.events li', {hasText: endless}).waitFor();
  await page.locator('summary', {hasText: 'Provenance'}).click();
  await page.locator('td', {hasText: endless}).waitFor();
  assert.equal(await sideways(page), 0);
}));

const status = await runTests();
await browser.close();
process.exit(status);
