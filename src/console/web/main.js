// The page's entry: wires the form, the examples and the two dialogs to the conversation.
import { getJson } from './agent.js';
import { createConversation } from './conversation.js';
import { h, replace } from './dom.js';
import { showPeers, showReports } from './reports.js';

const byId = (id) => document.getElementById(id);
const form = byId('composer');
const question = byId('question');

const EXAMPLES = [
  'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2',
  'Is the path PE-1 -> P-2 -> PE-3 dropping packets?',
  'check loss between PE-1 and P-2',
];

const conversation = createConversation({
  talk: byId('talk'),
  onBusy: (busy) => {
    byId('send').hidden = busy;
    byId('stop').hidden = !busy;
    // On a touch screen the keyboard would cover the answer.
    if (!busy && matchMedia('(pointer: fine)').matches) question.focus({ preventScroll: true });
  },
  onAnswered: () => void greet(),
  onEdit: (text) => {
    question.value = text;
    grow();
    question.focus();
  },
});

function submit(text) {
  if (text.trim() === '' || conversation.busy) return;
  byId('empty').hidden = true;
  question.value = '';
  grow();
  void conversation.ask(text.trim());
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

/** Who this node is and whom it knows; examples name nodes that exist, where the usual ones do not. */
async function greet() {
  const known = await getJson('/console/peers').catch(() => undefined);
  if (known === undefined) return;
  document.title = `Parley on ${known.node}`;
  replace(byId('node'), `on ${known.node}`);
  replace(byId('empty-node'), known.node);
  byId('open-peers').textContent = known.peers.length === 0 ? 'Peers' : `Peers (${known.peers.length})`;
  showExamples(known);
}

function examplesFor({ node, peers }) {
  const keys = new Set(
    [node, ...peers.map((peer) => peer.node)].map((name) => name.toLowerCase().replace(/[-_.]/g, '')),
  );
  if (peers.length === 0 || ['pe1', 'p2', 'pe3'].every((key) => keys.has(key))) return EXAMPLES;
  return peers
    .slice(0, EXAMPLES.length)
    .map((peer) => `Verify packet loss on the SRv6 path from ${node} to ${peer.node}`);
}

function showExamples(known) {
  const buttons = examplesFor(known).map((text) =>
    h('button', { type: 'button', class: 'example', onclick: () => submit(text) }, text),
  );
  replace(byId('examples'), ...buttons);
}

for (const [name, show] of [
  ['peers', showPeers],
  ['reports', showReports],
]) {
  const dialog = byId(name);
  byId(`open-${name}`).addEventListener('click', () => {
    dialog.showModal();
    void show(dialog.querySelector('.dialog-body'));
  });
  dialog.querySelector('[data-close]').addEventListener('click', () => dialog.close());
}

showExamples({ node: '', peers: [] });
void greet();
