// One change that waits for an admin, as it will be signed: what changes line by line, who asked, how long it stands, who has agreed, and how
// much time is left. Every text is shown with its invisible characters made visible: what is read is what is signed.
import { h, replace } from './dom.js';
import { clockWords, spanWords, visible } from './words.js';

/** Tools whose consent needs more than reading: the right key of a backup, which only the admin knows. */
const BACKUP_FILE = 'backup';
const LOCAL_USER = 'local';

export function consentView(consent, { by, leftMs }) {
  const { summary, tool, arguments: args, user, impact, node, approvers = 1, persist, id } = consent;
  const changes = changesOf(summary);
  const left = h('strong', { class: 'left', role: 'timer' }, clockWords(leftMs()));
  const view = h(
    'section',
    { class: 'consent', 'aria-label': `Change of ${node}` },
    h(
      'h2',
      {},
      changes === undefined
        ? `${visible(tool)} on ${visible(node)}`
        : `A change of ${visible(node)} waits for an admin`,
    ),
    changes === undefined ? callView(summary, args) : diffView(changes),
    h(
      'dl',
      { class: 'facts' },
      fact('asked by', userWords(user)),
      fact('in force', impactWords(impact)),
      persist &&
        fact(
          'session',
          'it stays when the session that asked ends: a later session with its token can confirm or undo it',
        ),
      fact('must agree', agreedWords(approvers, by)),
      fact('time left', left),
    ),
    h(
      'details',
      { class: 'small' },
      h('summary', {}, 'The exact call'),
      h('p', {}, h('code', {}, `${visible(tool)} ${visible(JSON.stringify(args))}`)),
      h(
        'p',
        {},
        'Id ',
        h('code', {}, visible(id)),
        ': the first part is random, the rest is a digest of everything above.',
      ),
    ),
  );
  return { view, tick: () => replace(left, clockWords(leftMs())) };
}

/** Why this page takes no approval of it; undefined when it does. */
export function whyNotHere({ arguments: args, id }) {
  if (args.file !== BACKUP_FILE && args.recipient === undefined) return undefined;
  return `A backup goes to the holder of one key, and only you know which key is right. Approve it with: parley approve ${id} --identity DIR --recipient FILE`;
}

/** `changes`: `{ sign, context, line }`, as the node shows them. */
export function diffView(changes) {
  return h(
    'ol',
    { class: 'diff', 'aria-label': 'What changes' },
    changes.map(({ sign, context, line }) =>
      h(
        'li',
        { class: sign === '+' ? 'added' : 'removed' },
        h('span', { class: 'sign', 'aria-hidden': 'true' }, sign === '+' ? '+' : '−'),
        h('span', { class: 'hidden' }, sign === '+' ? 'added: ' : 'removed: '),
        h('code', {}, context === '' ? visible(line) : `${visible(context)}: ${visible(line)}`),
      ),
    ),
  );
}

/** Of a consent to something else than lines of a configuration: what it is, and everything that it is asked for with. */
function callView(summary, args) {
  return h(
    'div',
    { class: 'call', role: 'group', 'aria-label': 'What is asked for' },
    summary !== '' && summary.split('\n').map((line) => h('p', {}, visible(line))),
    h(
      'dl',
      { class: 'facts' },
      Object.entries(args).map(([name, value]) => fact(visible(name), h('code', {}, visible(JSON.stringify(value))))),
    ),
  );
}

/** Each line whole: where its block ends does not matter here. Undefined for a summary that is no list of changed lines. */
function changesOf(summary) {
  const lines = summary.split('\n');
  if (!lines.every((line) => /^[+-] /.test(line))) return undefined;
  return lines.map((line) => ({ sign: line[0], context: '', line: line.slice(2) }));
}

function fact(name, value) {
  return h('div', {}, h('dt', {}, name), h('dd', {}, value));
}

function impactWords({ rollbackSeconds }) {
  if (rollbackSeconds === 0) return 'for good: it needs no confirmation, and does not undo itself';
  return `for ${spanWords(rollbackSeconds)}, then it undoes itself unless it is confirmed`;
}

/** The signed words, and what the one name means that no certificate has. */
function userWords({ kind, name, role }) {
  const meaning = name === LOCAL_USER ? ' (a user of this router’s own socket; its audit trail says which)' : '';
  return `${visible(kind)} ${visible(name)}, with the role ${visible(role)}${meaning}`;
}

function agreedWords(approvers, by) {
  const names = by.map((each) => visible(each.replace(/^operator\//, ''))).join(' and ');
  if (approvers === 1) return 'one admin';
  return by.length === 0
    ? 'two different admins; none has agreed yet'
    : `two different admins; ${names} has agreed, one is missing`;
}
