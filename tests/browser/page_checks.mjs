// SPDX-License-Identifier: Apache-2.0
//
// What every page must hold: text that can be read, all that can be worked reached by the Tab key,
// no scrolling sideways. Each gives a list of what is wrong.

// Contrast of every visible text with what lies below it: 4.5, or 3 where it is large (WCAG AA).
export async function weakContrast(page) {
  return page.evaluate(() => {
    const channel = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const luminance = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
    const read = (text) => {
      const numbers = text.match(/[\d.]+/g)?.map(Number) ?? [];
      return numbers.length < 3 ? null : {rgb: numbers.slice(0, 3), alpha: numbers[3] ?? 1};
    };
    const over = (top, below) => top.rgb.map((value, i) => value * top.alpha + below[i] * (1 - top.alpha));
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const ground = (element) => {
      const layers = [];
      for (let one = element; one !== null; one = one.parentElement) {
        const colour = read(getComputedStyle(one).backgroundColor);
        if (colour !== null && colour.alpha > 0) layers.push(colour);
        if (colour !== null && colour.alpha === 1) break;
      }
      return layers.reverse().reduce((below, top) => over(top, below), dark ? [18, 18, 18] : [255, 255, 255]);
    };
    const wrong = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      if (node.textContent.trim() === '' || element === null || element.closest('script, style, noscript, title, desc, [hidden], :disabled') !== null) continue;
      if (!element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}) || element.getClientRects().length === 0) continue;
      const style = getComputedStyle(element);
      const inside = element instanceof SVGElement;
      const colour = read(inside ? style.fill : style.color);
      if (colour === null) continue;
      const below = ground(element);
      const a = luminance(over(colour, below));
      const b = luminance(below);
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      const size = parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      if (contrast < (large ? 3 : 4.5) - 0.005) {
        wrong.add(`${contrast.toFixed(2)} at '${node.textContent.trim().slice(0, 40)}' (${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''})`);
      }
    }
    return [...wrong];
  });
}

// What can be worked with a mouse but is never reached by Tab. Inside a picture the table beside it
// has the same links.
export async function unreached(page) {
  const marked = await page.evaluate(() => {
    const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')].filter((one) =>
      !one.disabled && one.closest('[role="img"]') === null && one.checkVisibility({checkVisibilityCSS: true}) && one.getClientRects().length > 0);
    // Of radio buttons with one name only the chosen one is a stop; arrows reach the others.
    const stops = all.filter((one) => one.type !== 'radio' || one.checked);
    stops.forEach((one, i) => one.setAttribute('data-stop', String(i)));
    document.activeElement?.blur();
    return stops.length;
  });
  const seen = new Set();
  await page.evaluate(() => {
    document.body.setAttribute('tabindex', '-1');
    document.body.focus();
  });
  for (let i = 0; i < marked + 60 && seen.size < marked; ++i) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => document.activeElement?.getAttribute('data-stop') ?? null);
    if (stop !== null) seen.add(stop);
  }
  return page.evaluate((reached) => [...document.querySelectorAll('[data-stop]')].filter((one) => !reached.includes(one.getAttribute('data-stop')))
      .map((one) => one.outerHTML.slice(0, 100)), [...seen]);
}

// By how many pixels the page is wider than the window.
export async function sideways(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

// Every picture says what it shows.
export async function unnamedPictures(page) {
  return page.evaluate(() => [...document.querySelectorAll('[role="img"], svg:not([aria-hidden])')].filter((one) =>
    one.closest('[aria-hidden="true"]') === null && (one.parentElement?.closest('[role="img"], svg') ?? null) === null &&
    !one.getAttribute('aria-label') && !one.getAttribute('aria-labelledby') && one.querySelector(':scope > title') === null).map((one) => one.outerHTML.slice(0, 100)));
}
