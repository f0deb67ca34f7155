// What changed, as nodes remember it: nearest first, then what is not known.
import { h } from './dom.js';
import { whenWords } from './words.js';

/** `said`: lines that the answer shows elsewhere; they are not repeated among what is not known. */
export function changesView({ changes, left, notKnown = [] }, said) {
  const more = left > 0 && h('p', { class: 'small' }, `${left} more than an answer holds.`);
  const none = changes.length === 0 && h('p', {}, 'No change is known.');
  const unknown = notKnown.filter((line) => !said.includes(line));
  return h(
    'section',
    { class: 'reasons changes' },
    h('h3', {}, 'What changed'),
    none,
    h('ul', {}, changes.map(changeView)),
    more,
    unknown.length > 0 && h('h3', {}, 'Not known'),
    unknown.length > 0 &&
      h(
        'ul',
        { class: 'not-known' },
        unknown.map((line) => h('li', {}, line)),
      ),
  );
}

function changeView(change) {
  const { node, kind, subject, setting, was = '–', is = '–' } = change;
  // The setting of a filter is a digest.
  const name = [kind, kind === 'filter' ? undefined : setting, subject].filter(Boolean).join(' ');
  return h('li', {}, h('code', {}, node), ` ${name}: ${was} → ${is}, ${whenWords(change)}`);
}
