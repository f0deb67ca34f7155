// The page of changes that wait: reads them, shows each whole, and hands in what an admin signs here. `#<id>` shows that one alone. Signs the
// very object that is on the screen: where the agent shows another one under its id, nothing is signed.
import { loadAdminKey, signConsent } from './admin-key.js';
import { call, getJson, getTimed } from './agent.js';
import { consentView, whyNotHere } from './consent-view.js';
import { h, replace } from './dom.js';
import { hasOwnIdPortable } from './sign/portable/decision.js';
import { momentWords, visible } from './words.js';

/** Each look is a call that the router records: often while something waits, then seldom, and then no more. */
const REFRESH_MS = 3_000;
const IDLE_MS = 15_000;
const IDLE_LOOKS = 40;
const TICK_MS = 1_000;
const CHOOSE = 'Choose chain.pem and signing-key.pem';
const byId = (id) => document.getElementById(id);

let admin;
let drawn = '';
let ticks = [];
let offsetMs = 0;
let idleLooks = 0;

async function refresh() {
  const { body, serverMs } = await getTimed('/console/waiting');
  if (serverMs !== undefined) offsetMs = serverMs - Date.now();
  const wanted = decodeURIComponent(location.hash.slice(1));
  const pending = body.pending.filter(({ id }) => wanted === '' || id === wanted);
  idleLooks = pending.length > 0 ? 0 : idleLooks + 1;
  const progress = new Map((body.decisions ?? []).map((each) => [each.id, each]));
  // Nothing that is being read moves, unless it is another.
  const state = JSON.stringify([wanted, pending, body.decisions, admin?.name]);
  if (state === drawn) return;
  drawn = state;
  ticks = [];
  const honest = await Promise.all(pending.map(hasOwnIdPortable));
  const cards = pending.map((consent, index) =>
    honest[index] ? card(consent, progress.get(consent.id)?.by ?? []) : refusedCard(consent),
  );
  replace(byId('waiting'), ...(cards.length === 0 ? [noneCard(wanted, progress.get(wanted))] : cards));
}

function card(consent, by) {
  const leftMs = () => Date.parse(consent.expires) - Date.now() - offsetMs;
  const { view, tick } = consentView(consent, { by, leftMs });
  ticks.push(tick);
  const why = whyNotHere(consent);
  const needsKey = admin === undefined;
  const approve = h(
    'button',
    { type: 'button', class: 'main', disabled: needsKey, onclick: () => void decide('approve', consent) },
    needsKey ? 'Approve' : `Approve as ${admin.name}`,
  );
  const deny = h(
    'button',
    { type: 'button', class: 'stop', disabled: needsKey, onclick: () => void decide('deny', consent) },
    'Deny',
  );
  view.append(
    h('div', { class: 'choices' }, why === undefined && approve, deny),
    why === undefined
      ? needsKey
        ? h('p', { class: 'small' }, 'Load your signing key below to decide.')
        : ''
      : h('p', {}, why),
  );
  return view;
}

function refusedCard({ id }) {
  return h(
    'section',
    { class: 'notice', role: 'alert' },
    h('h2', {}, 'Sign nothing that this agent shows.'),
    h(
      'p',
      {},
      'It shows a change under an id that belongs to another one: ',
      h('code', {}, visible(String(id).slice(0, 64))),
    ),
  );
}

function noneCard(wanted, progress) {
  if (progress?.state === 'approved')
    return h(
      'p',
      { class: 'nothing' },
      `Approved by ${progress.by.map(visible).join(' and ')}. The operator who asked can apply it now.`,
    );
  if (progress?.state === 'denied')
    return h('p', { class: 'nothing' }, `Denied by ${progress.by.map(visible).join(' and ')}.`);
  const all = wanted === '' ? false : h('p', {}, h('a', { href: '/console/approvals' }, 'All changes that wait'));
  const text =
    wanted === ''
      ? 'No change waits for an admin.'
      : 'This change does not wait: it was applied, has expired, or was never asked for.';
  return h('div', { class: 'nothing' }, h('p', {}, text), all);
}

async function decide(decision, consent) {
  try {
    const signed = await signConsent(admin, decision, consent);
    const { by, waits } = await call('parley-decide', signed);
    const done = decision === 'approve' ? 'Approved' : 'Denied';
    say(`${done} by ${visible(by)}. ${nextWords(decision, consent, waits)}`, 'good');
  } catch (error) {
    say(`Not decided. ${error.message}`);
  }
  await refreshOrSay();
}

function nextWords(decision, { node, user, expires }, waits) {
  const change = `The change of ${visible(node)} that ${visible(user.kind)} ${visible(user.name)} asked for`;
  if (decision !== 'approve') return `${change} is not made.`;
  if (waits) return `${change} is not made yet. It waits for a second admin.`;
  return `${change} is made when the same call comes again, until ${momentWords(Date.parse(expires) - offsetMs)}.`;
}

/** `mood`: `good` for what was done; a refusal or a remark where it is left out. */
function say(text, mood) {
  byId('said').hidden = false;
  byId('said').classList.toggle('good', mood === 'good');
  replace(byId('said'), text);
}

async function refreshOrSay() {
  await refresh().catch((error) => say(error.message));
}

async function loadChosen() {
  const chosen = byId('key-files');
  try {
    admin = await loadAdminKey(chosen.files);
    replace(byId('key-state'), `You sign as ${admin.name} of ${admin.domain}.`);
    byId('forget-key').hidden = false;
    replace(byId('choose-key'), 'Choose another key');
  } catch (error) {
    admin = undefined;
    byId('forget-key').hidden = true;
    replace(byId('choose-key'), CHOOSE);
    replace(byId('key-state'), error.message);
  }
  chosen.value = '';
  await refreshOrSay();
}

byId('key-files').addEventListener('change', () => void loadChosen());
// Chosen while the page was loading.
if (byId('key-files').files.length > 0) void loadChosen();
byId('forget-key').addEventListener('click', async () => {
  admin = undefined;
  byId('forget-key').hidden = true;
  replace(byId('choose-key'), CHOOSE);
  replace(byId('key-state'), 'No key is loaded. You can read the changes, and neither approve nor deny them.');
  await refreshOrSay();
});
addEventListener('hashchange', () => void refreshOrSay());

const known = await getJson('/console/peers').catch(() => undefined);
if (known !== undefined) {
  document.title = `Changes that wait on ${known.node} · Parley`;
  replace(byId('node'), `on ${known.node}, for ${known.operator}`);
}
await refreshOrSay();
setInterval(() => {
  for (const tick of ticks) tick();
}, TICK_MS);
lookAgain();

function lookAgain() {
  if (idleLooks > IDLE_LOOKS)
    return say('Nothing has waited for ten minutes, and this page looks no longer. Reload it to look again.');
  const look = async () => {
    if (document.visibilityState === 'visible') await refreshOrSay();
    lookAgain();
  };
  setTimeout(look, idleLooks === 0 ? REFRESH_MS : IDLE_MS);
}
