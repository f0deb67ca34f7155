// Makes elements. Text only ever becomes text: what a device says of itself is a text node, never markup.

const SVG = 'http://www.w3.org/2000/svg';

/** `h('p', { class: 'x', onclick: f }, 'text', node, …)`; children that are undefined or false are left out. */
export function h(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

export function svg(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

export function replace(parent, ...children) {
  parent.replaceChildren(...children.filter(isThere));
}

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat().filter(isThere));
  return element;
}

function isThere(child) {
  return child !== undefined && child !== null && child !== false;
}
