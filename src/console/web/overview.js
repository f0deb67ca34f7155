// What the page opens with: this node's neighbours, the network's links with both ends, the last faults, and questions with the names of this
// network. Everything is what nodes say now, or a report that this node keeps.
import { getJson } from './agent.js';
import { h, replace } from './dom.js';
import { visible } from './words.js';

const MOST_EXAMPLES = 5;
const MOST_FAULTS = 3;
const MOST_LINKS = 12;
/** Reading the links asks every known node. With more nodes than this the operator says when. */
const MOST_NODES_UNASKED = 32;

const BELIEVED = {
  confirmed: 'both ends report it',
  likely: 'both ends report it, by one sign',
  claimed: 'one end alone reports it',
};

export function overviewView({ known, place, openReport, onAsk }) {
  const links = h('section', { class: 'tile', 'aria-label': 'Links' });
  const faults = h('section', { class: 'tile', 'aria-label': 'Last faults' });
  const examples = h('div', { class: 'examples' });
  replace(place, faults, links, neighboursTile(known));
  const readLinks = () => fill(links, 'Links', '/console/links', (map) => [...linksTile(map), readAgain(readLinks)]);
  if (known.peers.length <= MOST_NODES_UNASKED) void readLinks();
  else replace(links, h('h3', {}, 'Links'), h('p', {}, 'Reading them asks every known node.'), readAgain(readLinks));
  void fill(faults, 'Last faults', '/console/reports', (list) => faultsTile(list, openReport));
  replace(examples, ...exampleButtons(known, onAsk));
  return examples;
}

function neighboursTile({ peers, node }) {
  const near = peers.toSorted((one, other) => one.hops - other.hops);
  const rows = near.map((peer) =>
    h(
      'li',
      {},
      h('strong', {}, visible(peer.node)),
      h(
        'span',
        { class: `badge ${peer.verified ? 'badge-healthy' : 'badge-inconclusive'}` },
        peer.verified ? 'authenticated' : 'only heard of',
      ),
    ),
  );
  const none = h(
    'p',
    {},
    `${node} knows no other node yet. It looks for them by LLDP, by IS-IS, and in its configuration.`,
  );
  return h(
    'section',
    { class: 'tile', 'aria-label': 'Neighbours' },
    h('h3', {}, 'Known nodes'),
    rows.length === 0 ? none : h('ul', { class: 'short' }, rows),
  );
}

function linksTile({ links, missing, nodes }) {
  const silent = nodes.filter(({ seen }) => !seen).map(({ node }) => node);
  const rows = links.slice(0, MOST_LINKS).map(({ from, to, state, confidence }) => {
    const isWell = state === 'up' && confidence !== 'claimed';
    return h(
      'li',
      {},
      h('span', { class: 'ends' }, h('code', {}, endText(from)), ' ⇄ ', h('code', {}, endText(to))),
      h(
        'span',
        { class: `badge ${isWell ? 'badge-healthy' : state === 'down' ? 'badge-fault' : 'badge-inconclusive'}` },
        state === 'unknown' ? 'state not known' : state,
      ),
      h('span', { class: 'small' }, BELIEVED[confidence] ?? confidence),
    );
  });
  return [
    h('h3', {}, 'Links'),
    rows.length === 0 ? h('p', {}, 'No link is known.') : h('ul', { class: 'short' }, rows),
    links.length > MOST_LINKS && h('p', { class: 'small' }, `${links.length - MOST_LINKS} more: parley topology`),
    missing.map((text) => h('p', { class: 'missing' }, visible(text))),
    silent.length > 0 && h('p', { class: 'missing' }, `No answer from ${silent.map(visible).join(', ')}.`),
  ];
}

function endText({ node, ifname }) {
  return `${visible(node)} ${visible(ifname)}`;
}

function faultsTile({ reports }, openReport) {
  const found = reports.filter(({ verdict }) => verdict === 'fault').slice(0, MOST_FAULTS);
  const rows = found.map(({ id, created, sentence }) =>
    h(
      'li',
      {},
      h('button', { type: 'button', class: 'link', onclick: () => openReport(id) }, visible(sentence)),
      h('time', { class: 'small', datetime: created }, new Date(created).toLocaleString()),
    ),
  );
  const none = 'The newest reports of this node name no fault. “What is wrong?” measures now.';
  return [h('h3', {}, 'Last faults'), rows.length === 0 ? h('p', {}, none) : h('ul', { class: 'short' }, rows)];
}

/** Nearest first, with names that exist. */
function exampleButtons({ node, peers }, onAsk) {
  const near = peers.toSorted((one, other) => one.hops - other.hops).map((peer) => peer.node);
  const texts = [
    'What is wrong?',
    ...near.slice(0, 2).map((peer) => `Verify packet loss between ${node} and ${peer}`),
    ...near.slice(-1).map((peer) => `What changed on ${peer} in the last hour?`),
    'What changed here today?',
  ].slice(0, MOST_EXAMPLES);
  return texts.map((text) => h('button', { type: 'button', class: 'example', onclick: () => onAsk(text) }, text));
}

function readAgain(act) {
  return h('button', { type: 'button', class: 'quiet', onclick: () => void act() }, 'Read again');
}

async function fill(place, title, path, view) {
  replace(place, h('h3', {}, title), h('p', { class: 'small', role: 'status' }, 'Asking …'));
  try {
    replace(place, ...view(await getJson(path)).flat());
  } catch (error) {
    replace(place, h('h3', {}, title), h('p', { role: 'alert' }, visible(error.message)));
  }
}
