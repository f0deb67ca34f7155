// The remedy of a finding, from the proposal to a change that runs: shows exactly what would change, asks for consent where the node demands it,
// and applies it unconfirmed. What follows is `open-change.js`. Changes only the node that serves this page; another's is done on its own page.
import { call, getJson } from './agent.js';
import { diffView } from './consent-view.js';
import { h, replace } from './dom.js';
import { findingId } from './model/reports/remedy-judge.js';
import { openChangeView } from './open-change.js';
import { nodeKey, visible } from './words.js';

/** Time until the change undoes itself; the question is asked again within it. */
const CONFIRM_SECONDS = 300;
const TOKEN_BYTES = 16;
const POLL_MS = 3_000;

/** `here`: what the page knows of this node, and where turns and the open change are kept. */
export function remedyView(finding, answer, here) {
  const { remedy } = finding;
  const nothing = h('p', { class: 'small' }, `A proposal for ${remedy.node}. Nothing was changed.`);
  if (here === undefined) return nothing;
  if (remedy.change === undefined) {
    const decide = remedy.decide ?? 'what exactly to change is not known, or could not be undone';
    return [nothing, h('p', { class: 'small' }, `For a person to decide: ${decide}.`)];
  }
  if (nodeKey(remedy.node) !== nodeKey(here.node)) return [nothing, elsewhere(remedy.node, answer, here)];
  const place = h('div', { class: 'remedy' });
  const task = { finding, answer, here, place, change: remedy.change };
  replace(
    place,
    nothing,
    button('Show the exact change', () => propose(task)),
  );
  return place;
}

/** A router changes itself alone: no other router's page asks for it in an operator's name. */
function elsewhere(node, answer, { peers }) {
  const peer = peers.find((each) => nodeKey(each.node) === nodeKey(node));
  const address = peer?.addresses[0];
  const words = `${node} makes this change itself: ask the same question on its own page.`;
  if (address === undefined) return h('p', { class: 'small' }, words);
  const host = address.includes(':') ? `[${address}]` : address;
  const href = `${location.protocol}//${host}:${peer.port}/#ask=${encodeURIComponent(answer.intent.text)}`;
  return h(
    'p',
    { class: 'small' },
    words,
    ' ',
    h('a', { href, target: '_blank', rel: 'noopener noreferrer' }, `Open the page of ${node}`),
  );
}

async function propose(task) {
  const { change, place } = task;
  busy(place, 'Preparing the change on the router; nothing runs yet …');
  try {
    task.hadCandidate = await hasCandidate();
    const { lines, live = [] } = change;
    const drawn = await call('network.cli.configure', { ...(lines === undefined ? {} : { commands: lines }), live });
    if (drawn.status !== 'candidate') throw new Error(`The router would refuse the change: ${drawn.wrong}`);
    task.changes = drawn.changes;
    if (drawn.changes.length === 0) {
      await drop(task);
      return replace(
        place,
        h('p', {}, 'The change would alter nothing: the configuration is already as it should be.'),
      );
    }
    showProposal(task);
  } catch (error) {
    await drop(task);
    replace(
      place,
      failure(error),
      button('Try again', () => propose(task)),
    );
  }
}

/** `mayApply`: false while an admin is waited for. */
function showProposal(task, { mayApply = true, more } = {}) {
  const { place, changes, change } = task;
  replace(
    place,
    h('h4', {}, 'Exactly this would change'),
    diffView(changes),
    (change.live ?? []).length > 0 &&
      h(
        'p',
        { class: 'small' },
        'This changes the running system only. The setting for the next start stays as it is.',
      ),
    h(
      'p',
      { class: 'small' },
      'When it is applied, the same question is asked again. The change stays only if the fault is gone and no other appears; otherwise, and at the latest after 5 min, it undoes itself.',
    ),
    more,
    h(
      'div',
      { class: 'choices' },
      mayApply && button('Apply it', () => apply(task), 'main'),
      button('Leave it', () => leave(task)),
    ),
  );
}

async function apply(task) {
  const { place, changes, finding, answer, here } = task;
  // The same after a reload: an approval is for this token alone.
  const persist = here.kept.tokenFor(`${answer.id} ${findingId(finding)}`, randomToken);
  busy(place, 'Applying, unconfirmed; the node asks its neighbours …', diffView(changes));
  try {
    const committed = await call('network.commit', { confirmed: CONFIRM_SECONDS, persist });
    const open = {
      commit: committed['commit-id'],
      node: here.node,
      persist,
      changes,
      endsMs: Date.now() + committed.rollbackTimeout * 1_000,
      report: answer.uri,
      intent: answer.intent.text,
      finding: findingId(finding),
      before: {
        verdict: answer.verdict.kind,
        findings: answer.findings.map(({ fault, resource, details }) => ({
          fault,
          resource,
          details: { over: details.over },
        })),
      },
      ...(committed.warning === undefined ? {} : { warning: committed.warning }),
    };
    here.kept.keepChange(open);
    replace(place, openChangeView(open, here, { start: true }));
  } catch (error) {
    const data = error.detail?.data ?? {};
    if (typeof data.consent === 'string') return wait(task, data.consent);
    replace(
      place,
      failure(error),
      button('Show the exact change again', () => propose(task)),
    );
  }
}

/** Until an admin has decided. The page applies nothing by itself: the operator may have left. */
function wait(task, id) {
  const status = h('p', { role: 'status' }, 'It waits for an admin.');
  const href = `/console/approvals#${id}`;
  const link = h('a', { href, target: '_blank', rel: 'noopener' }, 'Open the page where admins decide');
  const command = h('code', {}, `parley approve ${id} --identity DIR`);
  const other = h('p', { class: 'small' }, 'Or on the command line: ', command);
  const more = h('div', { class: 'waiting' }, status, h('p', {}, link), other);
  showProposal(task, { mayApply: false, more });
  const settled = (text, mayApply) =>
    showProposal(task, { mayApply, more: h('div', { class: 'waiting' }, h('p', { role: 'status' }, text)) });
  const poll = async () => {
    if (!status.isConnected) return;
    const progress = await progressOf(id).catch(() => undefined);
    const by = (progress?.by ?? []).map(visible).join(' and ');
    if (progress?.state === 'approved') return settled(`Approved by ${by}. You can apply it now.`, true);
    if (progress?.state === 'denied') return settled(`Denied by ${by}.`, false);
    if (progress?.state === 'gone') return settled('The time of this request is over. Apply it to ask again.', true);
    if (by !== '') replace(status, `${by} has agreed. It waits for a second admin.`);
    setTimeout(poll, POLL_MS);
  };
  void poll();
}

async function progressOf(id) {
  const { decisions } = await getJson('/console/waiting');
  return decisions.find((each) => each.id === id) ?? { state: 'gone', by: [] };
}

async function leave(task) {
  await drop(task);
  replace(
    task.place,
    h('p', { class: 'small' }, 'Nothing was changed.'),
    button('Show the exact change', () => propose(task)),
  );
}

/** A candidate that was there before belongs to another task of this operator, and stays. */
async function drop({ hadCandidate }) {
  if (hadCandidate === false) await call('network.rollback', { discard: true }).catch(() => {});
}

async function hasCandidate() {
  try {
    await call('network.file.pull', { file: 'candidate-config' });
    return true;
  } catch (error) {
    return error.detail?.data?.errorCode !== 'caller/no-candidate';
  }
}

function busy(place, text, ...more) {
  replace(place, ...more, h('p', { role: 'status' }, text));
}

function failure(error) {
  return h('p', { class: 'failed', role: 'alert' }, `Not applied: ${visible(error.message)}`);
}

function button(text, act, kind) {
  return h('button', { type: 'button', class: kind, onclick: () => void act() }, text);
}

function randomToken() {
  return Array.from(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
