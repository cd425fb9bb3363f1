// SPDX-License-Identifier: Apache-2.0
//
// One value that can be moved: a slider and a number field that say the same, with a label, a unit
// and where it starts. Values are clamped to their domain, so formulas never see another.
import {digits, h} from './dom';

export interface FieldOptions {
  id: string;
  label: string;
  unit?: string;
  hint?: string;
  min: number;
  max: number; // of the slider; the number field takes up to `most`
  most?: number;
  // linear; log: equal steps are equal ratios; zeroLog: the same, with 0 at the left end.
  scale?: 'linear' | 'log' | 'zeroLog';
  whole?: boolean;
}

export interface Field {
  element: HTMLElement;
  value: number;
  set(value: number): void; // without an event
}

const steps = 1000;

export function makeField(options: FieldOptions, start: number, changed: () => void): Field {
  const {id, min, whole} = options;
  const most = options.most ?? options.max;
  const scale = options.scale ?? 'linear';
  const least = scale === 'zeroLog' ? options.max / 1e5 : min; // the smallest value above 0
  const toPlace = (value: number): number => {
    const max = Math.max(options.max, value);
    if (scale === 'linear') return (steps * (value - min)) / (max - min);
    if (scale === 'zeroLog' && value < least) return 0;
    const place = (steps * Math.log(value / least)) / Math.log(max / least);
    return scale === 'zeroLog' ? Math.max(1, place) : place;
  };
  const toValue = (place: number): number => {
    if (scale === 'linear') return min + ((options.max - min) * place) / steps;
    if (scale === 'zeroLog' && place === 0) return 0;
    return Number((least * (options.max / least) ** (place / steps)).toPrecision(3));
  };
  const clamp = (value: number): number => {
    const inside = Math.min(most, Math.max(min, value));
    return whole ? Math.round(inside) : inside;
  };

  const slider = h('input', {type: 'range', id: `${id}-slider`, min: 0, max: steps, step: 1, 'aria-labelledby': `${id}-label`});
  const number = h('input', {type: 'number', id, min, max: most, step: whole ? 1 : 'any', inputmode: 'decimal',
    'aria-describedby': options.hint ? `${id}-hint` : null});
  const field: Field = {
    element: h('div', {class: 'field'},
        h('label', {for: id, id: `${id}-label`}, options.label,
            options.unit ? h('span', {class: 'unit'}, ` (${options.unit})`) : null),
        slider, number,
        options.hint ? h('p', {class: 'hint', id: `${id}-hint`}, options.hint) : null),
    value: start,
    set(value) {
      field.value = clamp(value);
      show(true);
    },
  };
  const show = (withNumber: boolean) => {
    slider.value = String(Math.round(toPlace(field.value)));
    slider.setAttribute('aria-valuetext', `${digits(field.value)} ${options.unit ?? ''}`.trim());
    if (withNumber) number.value = String(Number(field.value.toPrecision(6)));
    number.removeAttribute('aria-invalid');
  };
  slider.addEventListener('input', () => {
    field.value = clamp(toValue(Number(slider.value)));
    number.value = String(Number(field.value.toPrecision(6)));
    slider.setAttribute('aria-valuetext', `${digits(field.value)} ${options.unit ?? ''}`.trim());
    changed();
  });
  number.addEventListener('input', () => {
    const value = number.valueAsNumber;
    if (!Number.isFinite(value) || value < min || value > most) {
      number.setAttribute('aria-invalid', 'true');
      return;
    }
    field.value = clamp(value);
    show(false);
    changed();
  });
  number.addEventListener('change', () => show(true)); // what was refused goes back
  field.set(start);
  return field;
}

// Fields by name, with one listener for all.
export function makeFields(changed: () => void) {
  const fields: Record<string, Field> = {};
  return {
    value: (name: string) => (fields[name] as Field).value,
    add(name: string, options: FieldOptions, start: number): HTMLElement {
      const field = (fields[name] = makeField(options, start, changed));
      return field.element;
    },
  };
}

// One answer beside the fields; `data` is what tests read of it.
export function card(id: string, title: string, big: string, small: string, data: Record<string, string>): HTMLElement {
  const element = h('div', {class: 'answer', id}, h('span', {class: 'title'}, title), h('strong', {}, big), h('span', {class: 'small'}, small));
  Object.assign(element.dataset, data);
  return element;
}
