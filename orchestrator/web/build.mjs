// SPDX-License-Identifier: Apache-2.0
//
// node build.mjs MODULES OUTPUT SCHEMAS: makes the types of the API's objects, checks all types, bundles
// the two pages and writes them as one C++ file and, beside it, what the tests read. MODULES is the node_modules that npm made in the build
// folder; the source tree is only read.
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const sources = dirname(fileURLToPath(import.meta.url));
const modules = resolve(process.argv[2]);
const output = resolve(process.argv[3]);
const beside = dirname(output);
mkdirSync(beside, {recursive: true});

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

// A JSON schema as the type that TypeScript has for it.
function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split('/').pop();
  const choices = schema.anyOf?.map(typeOf) ?? schema.enum?.map((word) => JSON.stringify(word)) ?? [schema.type].flat().map((kind) => {
    if (kind === 'array') return `(${typeOf(schema.items)})[]`;
    if (kind !== 'object') return kind === 'integer' ? 'number' : kind;
    return schema.properties ? fieldsOf(schema) : `Record<string, ${typeOf(schema.additionalProperties)}>`;
  });
  return choices.join(' | ');
}

function fieldsOf(schema) {
  return `{${Object.entries(schema.properties).map(([name, one]) =>
    `${name}${schema.required.includes(name) ? '' : '?'}: ${typeOf(one)}`).join('; ')}}`;
}

// What `import type ... from 'api_types'` reads.
function writeApiTypes() {
  const schemas = JSON.parse(readFileSync(process.argv[4], 'utf8'));
  const types = Object.entries(schemas).map(([name, schema]) => `export interface ${name} ${fieldsOf(schema)}\n`);
  writeFileSync(join(beside, 'api_types.ts'), types.join(''));
}

function checkTypes() {
  const project = join(beside, 'tsconfig.json');
  writeFileSync(project, JSON.stringify({
    extends: join(sources, 'tsconfig.json'),
    compilerOptions: {paths: {uplot: [join(modules, 'uplot/dist/uPlot.d.ts')], api_types: [join(beside, 'api_types.ts')]}},
    include: [join(sources, '*.ts')],
  }));
  const done = spawnSync(process.execPath, [join(modules, 'typescript/bin/tsc'), '-p', project],
      {encoding: 'utf8', cwd: sources});
  if (done.status !== 0) fail(`${done.stdout}${done.stderr}orchestrator/web: tsc refuses the types`);
}

const require = createRequire(join(modules, 'x.js'));
const esbuild = require('esbuild');

function bundle(entry, more = {}) {
  return esbuild.buildSync({
    entryPoints: [join(sources, entry)],
    bundle: true,
    write: false,
    minify: true,
    charset: 'ascii',
    format: 'iife',
    target: ['es2022'],
    legalComments: 'none',
    logLevel: 'warning',
    alias: {uplot: join(modules, 'uplot/dist/uPlot.esm.js')},
    ...more,
  }).outputFiles[0].text.trim();
}

// The licence of what is bundled travels with it.
const licence = `/*!\nuPlot ${JSON.parse(readFileSync(join(modules, 'uplot/package.json'), 'utf8')).version}\n` +
    `${readFileSync(join(modules, 'uplot/LICENSE'), 'utf8').trim()}\n*/`;

function script(entry) {
  const text = `${licence}\n${bundle(entry)}`;
  // Inside <script>, only "</script" and "<!--" end or change it; "<\/" means the same in strings.
  return text.replaceAll('</', '<\\/').replaceAll('<!--', '<\\!--');
}

function style(...names) {
  const css = names.map((name) => readFileSync(name, 'utf8')).join('\n');
  return esbuild.transformSync(css, {loader: 'css', minify: true, charset: 'ascii'}).code.trim();
}

const uplotStyle = join(modules, 'uplot/dist/uPlot.min.css');
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

// Fills {{STYLE}}, {{SCRIPT}} and {{POLICY}}; the policy names the two by their hashes.
function page(name, values) {
  const policy = `default-src 'none'; script-src ${hash(values.SCRIPT)}; style-src ` +
      `${hash(values.STYLE)}; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'`;
  return readFileSync(join(sources, name), 'utf8').replace(/\{\{([A-Z]+)\}\}/g,
      (_, key) => (key === 'POLICY' ? policy : values[key]));
}

// A literal of at most 60,000 characters: compilers need not take longer ones; neighbours join.
function literal(text) {
  const parts = [];
  for (let at = 0; at < text.length; at += 60000) parts.push(text.slice(at, at + 60000));
  if (text.includes(')kpweb"')) fail('the bundle holds the end mark of its own literal');
  return parts.map((part) => `R"kpweb(${part})kpweb"`).join('\n      ') || '""';
}

writeApiTypes();
checkTypes();
const report = {script: script('report_page.ts'), style: style(uplotStyle, join(sources, 'what_if.css'))};
const dashboard = page('dashboard.html', {
  SCRIPT: script('dashboard.ts'),
  STYLE: style(uplotStyle, join(sources, 'dashboard.css')),
});
writeFileSync(output, `// SPDX-License-Identifier: Apache-2.0
// Made by orchestrator/web/build.mjs.
#include "orchestrator/web/bundle.h"

namespace kneepoint {

const WebBundle& web_bundle() {
  static const WebBundle bundle{
      .built = true,
      .report_script =
      ${literal(report.script)},
      .report_style =
      ${literal(report.style)},
      .dashboard_html =
      ${literal(dashboard)}};
  return bundle;
}

}  // namespace kneepoint
`);
writeFileSync(join(beside, 'report_page.js'), report.script);
writeFileSync(join(beside, 'report_page.css'), report.style);
writeFileSync(join(beside, 'dashboard.html'), dashboard);
writeFileSync(join(beside, 'formulas.mjs'), bundle('formulas.ts', {format: 'esm', minify: false}));
const kb = (text) => `${(text.length / 1000).toFixed(1)} kB`;
process.stdout.write(`report: script ${kb(report.script)}, style ${kb(report.style)}; ` +
    `dashboard: ${kb(dashboard)}\n`);
