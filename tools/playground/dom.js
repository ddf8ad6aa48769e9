// Elements of the page. Text is always text: nothing that a configuration or a log holds becomes an element.

const SVG = 'http://www.w3.org/2000/svg';
const DRAWN = new Set(['svg', 'rect', 'line', 'title', 'g']);

// A property that is a function listens to the event of its name (onclick), `class` and others are attributes.
export function h(tag, properties = {}, ...children) {
  const element = DRAWN.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const fill = (element, ...children) => element.replaceChildren(...children.flat().filter(Boolean));

// What the tool says when it cannot do what was asked: its own sentences, without its name before them.
export function complaint({ stderr }) {
  const text = stderr.replace(/^apfctl(?: \w+)?: /gm, '').replace(/^Run 'apfctl .*\n/gm, '').trim();
  return h('p', { class: 'complaint', role: 'alert' }, text || 'apfctl says nothing, and ended early.');
}

// The first sentence of a report in text: what it says before all else.
export const verdict_of = (text) => (/^[^]*?[.:](?=\n|$)/.exec(text)?.[0] ?? text.split('\n')[0]).replaceAll(/\s*\n\s*/g, ' ');

export const plural = (count, one, many) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
