// SPDX-License-Identifier: Apache-2.0
//
// Elements without markup: whatever a server or a report says becomes text, never HTML.

type Child = Node | string | number | null | undefined | false;
type Handler = (event: Event) => void;
type Value = string | number | boolean | null | undefined | Handler;

function fill(element: Element, attributes: Record<string, Value>, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  put(element, ...children);
}

// h('p', {class: 'note'}, text): handlers are named "onclick" and so on.
export function h<Tag extends keyof HTMLElementTagNameMap>(
    tag: Tag, attributes: Record<string, Value> = {}, ...children: Child[]): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg(tag: string, attributes: Record<string, Value> = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(element, attributes, children);
  return element;
}

export function put(parent: Element, ...children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function replace(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  put(parent, ...children);
}

export interface Column {
  title: string;
  right?: boolean; // numbers
}

export function table(caption: string, columns: readonly Column[], rows: readonly (readonly Child[])[]): HTMLElement {
  const cell = (tag: 'th' | 'td', column: Column | undefined, child: Child) =>
    h(tag, {class: column?.right ? 'number' : null, scope: tag === 'th' ? 'col' : null}, child);
  return h('div', {class: 'table', tabindex: 0, role: 'region', 'aria-label': caption},
      h('table', {},
          h('caption', {}, caption),
          h('thead', {}, h('tr', {}, ...columns.map((column) => cell('th', column, column.title)))),
          h('tbody', {}, ...rows.map((row) => h('tr', {}, ...row.map((child, i) => cell('td', columns[i], child)))))));
}

// --- numbers for people -------------------------------------------------------------------------

export function digits(value: number, significant = 3): string {
  if (!Number.isFinite(value)) return '–';
  if (value !== 0 && (Math.abs(value) >= 1e7 || Math.abs(value) < 1e-4)) {
    return value.toExponential(significant - 1).replace('e+', 'e');
  }
  const decimals = value === 0 ? 0 : Math.max(0, significant - 1 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en', {maximumFractionDigits: decimals, useGrouping: true});
}

// "0.81 (0.78 to 0.84)"
export function interval(value: number | null, low: number | null | undefined, high: number | null | undefined, format: (one: number) => string): string {
  if (value === null) return '–';
  return low == null || high == null ? format(value) : `${format(value)} (${format(low)} to ${format(high)})`;
}

// "96.8%": the levels that intervals really have, never rounded up; of several kinds, no number.
export function levels(some: readonly (number | null | undefined)[]): string {
  const texts = new Set(some.filter((level): level is number => level != null).map((level) =>
    `${Number.isInteger(level * 400) ? level * 100 : Math.floor(level * 1000 + 1e-9) / 10}%`));
  return texts.size === 1 ? [...texts].join() : 'interval';
}

// A number and its unit stay on one line.
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–';
  if (seconds < 1e-3) return `${digits(seconds * 1e6)}\u00a0µs`;
  if (seconds < 1) return `${digits(seconds * 1e3)}\u00a0ms`;
  if (seconds < 120) return `${digits(seconds)}\u00a0s`;
  if (seconds < 7200) return `${digits(seconds / 60)}\u00a0min`;
  if (seconds < 172800) return `${digits(seconds / 3600)}\u00a0h`;
  return `${digits(seconds / 86400)}\u00a0days`;
}
