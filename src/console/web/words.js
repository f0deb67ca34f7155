// Words that several parts of the page share: verdicts as badges, and nodes as the operator spelled them.
import { h } from './dom.js';

const VERDICTS = {
  fault: { mark: '✕', words: 'Fault found' },
  healthy: { mark: '✓', words: 'Healthy' },
  inconclusive: { mark: '?', words: 'Inconclusive' },
};

export function verdictBadge(kind) {
  const { mark, words } = VERDICTS[kind] ?? { mark: '?', words: kind };
  return h('span', { class: `badge badge-${kind}` }, h('span', { 'aria-hidden': 'true' }, mark), ` ${words}`);
}

/** Names as the operator spelled them. */
export function spelling(path) {
  const names = new Map(path.map(({ as, key }) => [key, as]));
  return (node) => names.get(nodeKey(node)) ?? node;
}

export function nodeKey(name) {
  return name.toLowerCase().replace(/[-_.\s]/g, '');
}

/** A number stays with its percent sign. */
export function unbroken(text) {
  return text.replaceAll(' %', '\u00a0%');
}
