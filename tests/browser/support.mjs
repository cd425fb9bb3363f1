// SPDX-License-Identifier: Apache-2.0
//
// What the browser tests share: skipping with a reason, a small list of tests, and Chromium without
// any request of its own. A test fails by throwing.
import {existsSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';

export const bin = process.env.KP_BIN;
export const bundle = process.env.KP_BUNDLE;
export const source = process.env.KP_SOURCE;

export function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

export function requireBundle() {
  if (!bundle || !existsSync(join(bundle, 'dashboard.html'))) {
    skip('the web page is not in this build; configure with -DKNEEPOINT_WEB=ON to learn why');
  }
}

const tests = [];
export function test(name, run) {
  tests.push({name, run});
}

// Runs them in turn; one that fails does not stop the others.
export async function runTests() {
  let failed = 0;
  for (const {name, run} of tests) {
    const began = performance.now();
    try {
      await run();
      console.log(`ok   ${name} (${Math.round(performance.now() - began)} ms)`);
    } catch (problem) {
      failed += 1;
      console.log(`FAIL ${name}\n${problem.stack ?? problem}`);
    }
  }
  console.log(`${tests.length - failed} passed, ${failed} failed`);
  if (tests.length === 0) failed = 1;
  return failed === 0 ? 0 : 1;
}

const chromiums = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
// As root there is no sandbox; the rest keeps Chromium from asking the network on its own.
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--force-color-profile=srgb'];

export async function startChromium() {
  const executablePath = process.env.KP_CHROMIUM ?? chromiums.find((path) => existsSync(path));
  if (!executablePath) skip('no Chromium (Debian: chromium)');
  const modules = process.env.KP_BROWSER_MODULES;
  if (!modules || !existsSync(join(modules, 'node_modules/playwright-core'))) {
    skip("playwright-core is not installed; tests/browser/install BUILD/browser fetches it");
  }
  const {chromium} = createRequire(join(modules, 'x.js'))('playwright-core');
  return chromium.launch({executablePath, args: flags});
}

// A page that keeps what went wrong on it and every request it made.
export async function openPage(browser, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  context.setDefaultTimeout(300000); // of an event that must come: against hangs, not a judgement
  const page = await context.newPage();
  const seen = {errors: [], requests: []};
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') seen.errors.push(message.text());
  });
  page.on('pageerror', (problem) => seen.errors.push(problem.message));
  page.on('request', (request) => seen.requests.push(request.url()));
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    if (why !== 'net::ERR_ABORTED') seen.errors.push(`${request.url()}: ${why}`); // aborted: the page ended it itself
  });
  return {page, seen, context};
}
