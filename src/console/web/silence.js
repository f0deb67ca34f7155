// Calls without an answer: silence is shown, never left out (TS-21). A node that answered other calls is distinguished from one that answered none, and
// reasons are given in words; the exact ones stand below.
import { h } from './dom.js';
import { nodeKey, visible } from './words.js';

/** What the operating system or the agent says, and what it means for the operator. The first that fits counts. */
const MEANINGS = [
  [/no agent of this node is known/, () => 'no agent of this node is known'],
  [/ECONNREFUSED/, () => 'it refuses connections: its agent does not run, or a filter rejects them'],
  [/EHOSTUNREACH|ENETUNREACH/, () => 'there is no route to it'],
  [/ETIMEDOUT/, () => 'connections to it are not answered'],
  [/ECONNRESET|EPIPE/, () => 'the connection to it broke'],
  [/within (\d+) ms/, (ms) => `no answer within ${Math.max(1, Math.round(ms / 1000))} s`],
];

/** `silent`: nodes that answered nothing; `refusing`: that answered with refusals alone; `partly`: calls that failed to nodes that answered others. */
export function silenceOf(outcomes, own) {
  const found = { silent: [], refusing: [], partly: [] };
  for (const calls of Map.groupBy(outcomes, ({ node }) => nodeKey(node)).values()) {
    const failed = calls.filter(({ status }) => status !== 'answered');
    if (failed.length === 0) continue;
    const isOwn = nodeKey(failed[0].node) === nodeKey(own ?? '');
    if (isOwn || failed.length < calls.length) found.partly.push(...failed);
    else if (failed.every(({ status }) => status === 'refused')) found.refusing.push(failed[0]);
    else found.silent.push(failed.find(({ status }) => status !== 'refused'));
  }
  return found;
}

export function silenceView({ silent, refusing, partly }) {
  const lines = [
    ...silent.map((each) => h('li', {}, h('strong', {}, visible(each.node)), `: ${meaningOf(each)}`)),
    ...refusing.map((each) => h('li', {}, h('strong', {}, visible(each.node)), ` refused: ${meaningOf(each)}`)),
  ];
  const exact = [...silent, ...refusing].map((each) => h('li', {}, h('code', {}, exactWords(each))));
  return [
    lines.length > 0 &&
      h(
        'section',
        { class: 'silent' },
        h('h3', {}, 'Nodes that did not answer'),
        h('ul', {}, lines),
        h('details', { class: 'small' }, h('summary', {}, 'The exact reasons'), h('ul', {}, exact)),
      ),
    partly.length > 0 && partlyView(partly),
  ];
}

/** Of nodes that answered other calls of this question: no fault of theirs, and kept out of the way. */
function partlyView(partly) {
  const count = partly.length === 1 ? '1 call' : `${partly.length} calls`;
  const lines = partly.map((each) => h('li', {}, h('code', {}, exactWords(each))));
  return h(
    'details',
    { class: 'small partly' },
    h('summary', {}, `${count} without a result, to nodes that answered others`),
    h('ul', {}, lines),
  );
}

function meaningOf(outcome) {
  const text = reasonOf(outcome);
  for (const [form, words] of MEANINGS) {
    const match = form.exec(text);
    if (match !== null) return words(...match.slice(1));
  }
  return visible(text.replace(/^-\d+ /, ''));
}

function exactWords(outcome) {
  const { node, name, status } = outcome;
  return visible(`${node} ${name ?? ''} ${status}: ${reasonOf(outcome)}`);
}

function reasonOf({ untrusted, reason }) {
  return untrusted ?? reason ?? 'no reason given';
}
