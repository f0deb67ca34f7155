// Words that several parts of the page share: verdicts as badges, and nodes as the operator spelled them.
import { h } from './dom.js';

const VERDICTS = new Map([
  ['fault', { mark: '✕', words: 'Fault found' }],
  ['healthy', { mark: '✓', words: 'Healthy' }],
  ['answered', { mark: '✓', words: 'Answered' }],
  ['inconclusive', { mark: '?', words: 'Inconclusive' }],
]);

/** What the list does not have looks undecided: no word of an answer is a class of the style sheet. */
export function verdictBadge(kind) {
  const { mark, words } = VERDICTS.get(kind) ?? { mark: '?', words: visible(kind) };
  const look = VERDICTS.has(kind) ? kind : 'inconclusive';
  return h('span', { class: `badge badge-${look}` }, h('span', { 'aria-hidden': 'true' }, mark), ` ${words}`);
}

/** Names as the operator spelled them. */
export function spelling(path) {
  const names = new Map(path.map(({ as, key }) => [key, as]));
  return (node) => names.get(nodeKey(node)) ?? node;
}

export function nodeKey(name) {
  return name.toLowerCase().replace(/[-_.\s]/g, '');
}

/** In the largest unit of which there are two. */
export function agoWords(agoMs) {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
  ];
  const unit = units.find(([, lengthMs]) => agoMs >= 2 * lengthMs);
  return unit === undefined ? `${Math.round(agoMs / 1000)} s` : `${Math.floor(agoMs / unit[1])} ${unit[0]}`;
}

/** `3 min ago`; where the moment is not known, `between 2 h and 3 min ago`. */
export function whenWords({ agoMs, fromAgoMs = agoMs }) {
  const [from, until] = [agoWords(fromAgoMs), agoWords(agoMs)];
  return from === until ? `${until} ago` : `between ${from} and ${until} ago`;
}

/** `12 s ago`, in steps that are worth reading; a moment that the clocks put into the future is now. */
export function ageWords(agoMs) {
  const seconds = Math.max(0, Math.round(agoMs / 1000));
  if (seconds < 10) return 'just now';
  if (seconds < 60) return `${seconds - (seconds % 5)} s ago`;
  return seconds < 120 ? '1 min ago' : `${agoWords(seconds * 1000)} ago`;
}

/** `2026-11-27 03:25:05 UTC+01:00`, in the time zone of this browser. */
export function momentWords(atMs) {
  const at = new Date(atMs);
  const two = (value) => String(value).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const east = -at.getTimezoneOffset();
  const far = Math.abs(east);
  const zone = east === 0 ? '' : `${east < 0 ? '−' : '+'}${two(Math.floor(far / 60))}:${two(far % 60)}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())} UTC${zone}`;
}

/** A number stays with its percent sign. */
export function unbroken(text) {
  return text.replaceAll(' %', '\u00a0%');
}

/** As `/console/approvals` shows it: what does not print, or turns the direction of text, shows its number instead of what it does. */
export function visible(text) {
  return String(text).replace(
    /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu,
    (char) => `\u2039U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}\u203a`,
  );
}

/** `14:05`; whole seconds, never below zero. */
export function clockWords(leftMs) {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** `2 min`, `90 s`. */
export function spanWords(seconds) {
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
