// The page's entry: wires the form, the overview and the two dialogs to the conversation.
import { getTimed } from './agent.js';
import { createConversation } from './conversation.js';
import { replace } from './dom.js';
import { createKept } from './kept.js';
import { openChangeView } from './open-change.js';
import { overviewView } from './overview.js';
import { showPeers, showReport, showReports } from './reports.js';
import { countWaiting, keepCounting } from './waiting.js';
import { setAgentClock } from './when.js';

const byId = (id) => document.getElementById(id);
const form = byId('composer');
const question = byId('question');
const ASK = '#ask=';

/** What answers need of this page: filled in once the agent has said who it is. */
const here = {
  node: '',
  peers: [],
  kept: createKept(''),
  addAnswer: (text, answer) => conversation.add(text, answer),
  ask: (text) => {
    for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
    submit(text);
  },
};

const conversation = createConversation({
  talk: byId('talk'),
  here,
  onBusy: (busy) => {
    byId('send').hidden = busy;
    byId('stop').hidden = !busy;
    // On a touch screen the keyboard would cover the answer.
    if (!busy && matchMedia('(pointer: fine)').matches) question.focus({ preventScroll: true });
  },
  onAnswered: (text, { id, notStored }) => {
    if (notStored === undefined) here.kept.addTurn({ text, id });
    show(byId('talk').hidden ? 'overview' : 'talk');
    void greet();
    void countWaiting(byId('open-approvals'));
  },
  onEdit: (text) => {
    question.value = text;
    grow();
    question.focus();
  },
});

function submit(text) {
  if (text.trim() === '' || conversation.busy) return;
  show('talk');
  question.value = '';
  grow();
  void conversation.ask(text.trim());
}

/** The conversation, or the overview. Where there is a conversation, one button leads from each to the other. */
function show(view) {
  const isTalk = view === 'talk';
  const turns = byId('talk').children.length;
  byId('empty').hidden = isTalk;
  byId('talk').hidden = !isTalk;
  byId('clear').hidden = !isTalk || turns === 0;
  byId('switch').hidden = !isTalk && turns === 0;
  byId('switch').textContent = isTalk ? 'Overview' : `Answers (${turns})`;
}

async function showOverview() {
  show('overview');
  scrollTo(0, 0);
  const known = await greet();
  if (known === undefined)
    return replace(byId('examples'), 'This router does not answer. Reload the page once it does.');
  const openReport = (id) => {
    byId('reports').showModal();
    void showReport(byId('reports').querySelector('.dialog-body'), id, here);
  };
  replace(byId('examples'), overviewView({ known, place: byId('state'), openReport, onAsk: submit }));
}

/** The field grows with its text, up to what the style sheet allows. */
function grow() {
  question.style.height = 'auto';
  question.style.height = `${question.scrollHeight + 2}px`;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  submit(question.value);
});
question.addEventListener('input', grow);
question.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});
byId('stop').addEventListener('click', () => conversation.stop());
byId('clear').addEventListener('click', () => {
  here.kept.forgetTurns();
  byId('talk').replaceChildren();
  void showOverview();
  question.focus();
});
byId('switch').addEventListener('click', () => {
  if (byId('talk').hidden) show('talk');
  else void showOverview();
});

/** Who this node is and whom it knows. */
async function greet() {
  const timed = await getTimed('/console/peers').catch(() => undefined);
  if (timed === undefined) return undefined;
  const known = timed.body;
  setAgentClock(timed.serverMs);
  document.title = `Parley on ${known.node}`;
  replace(byId('node'), `on ${known.node}`);
  replace(byId('empty-node'), known.node);
  byId('open-peers').textContent = known.peers.length === 0 ? 'Peers' : `Peers (${known.peers.length})`;
  Object.assign(here, { node: known.node, peers: known.peers, kept: createKept(`${known.operator}@${known.node}`) });
  return known;
}

async function open() {
  await showOverview();
  if (here.node === '') return;
  const turns = here.kept.turns();
  if (turns.length > 0) {
    const restored = conversation.restore(turns);
    show('talk');
    await restored;
  }
  const change = here.kept.openChange();
  if (change !== undefined) replace(byId('open-change'), openChangeView(change, here, { start: false }));
  prefill();
}

/** A question that another router's page hands over: shown, and asked by the operator alone. */
function prefill() {
  if (!location.hash.startsWith(ASK)) return;
  question.value = decodeURIComponent(location.hash.slice(ASK.length)).slice(0, question.maxLength);
  history.replaceState(null, '', '/');
  grow();
  question.focus();
}

for (const [name, show] of [
  ['peers', showPeers],
  ['reports', showReports],
]) {
  const dialog = byId(name);
  byId(`open-${name}`).addEventListener('click', () => {
    dialog.showModal();
    void show(dialog.querySelector('.dialog-body'), here);
  });
  dialog.querySelector('[data-close]').addEventListener('click', () => dialog.close());
}

void countWaiting(byId('open-approvals'));
keepCounting(byId('open-approvals'));
void open();
