// What the page opens with: the network's links with both ends, the known nodes and whether they answer, the faults of past reports, and questions
// with the names of this network. Everything is what nodes say now, or a report that this node keeps; each part says when it was read.
import { getTimed } from './agent.js';
import { h, replace } from './dom.js';
import { agentNowMs, setAgentClock, whenView } from './when.js';
import { nodeKey, unbroken, visible } from './words.js';

const MOST_EXAMPLES = 5;
const MOST_FAULTS = 3;
const MOST_LINKS = 12;
/** Reading the links asks every known node. With more nodes than this the operator says when. */
const MOST_NODES_UNASKED = 32;

const SIGN_NAMES = {
  ...{ addresses: 'addresses', lldp: 'LLDP', isis: 'IS-IS', ospf: 'OSPF', bgp: 'BGP' },
  neighbours: 'neighbour tables',
};
/** What must be looked at comes first. */
const STATES = ['down', 'unknown', 'up'];

export function overviewView({ known, place, openReport, onAsk }) {
  const links = h('section', { class: 'tile', 'aria-label': 'Links' });
  const nodes = h('section', { class: 'tile', 'aria-label': 'Nodes' });
  const faults = h('section', { class: 'tile', 'aria-label': 'Last faults' });
  const examples = h('div', { class: 'examples' });
  replace(place, links, nodes, faults);
  const showNodes = (map) => replace(nodes, h('h3', {}, 'Nodes'), ...nodesList(known, map));
  const readLinks = () =>
    fill(links, 'Links now', '/console/links', (map) => {
      showNodes(map);
      return [...linksTile(map), h('p', { class: 'small' }, 'Read ', whenView(agentNowMs())), readAgain(readLinks)];
    });
  showNodes(undefined);
  if (known.peers.length <= MOST_NODES_UNASKED) void readLinks();
  else
    replace(links, h('h3', {}, 'Links now'), h('p', {}, 'Reading them asks every known node.'), readAgain(readLinks));
  void fill(faults, 'Faults of past answers', '/console/reports', (list) => faultsTile(list, openReport));
  replace(examples, ...exampleButtons(known, onAsk));
  return examples;
}

/** This node, then the nearest, then what others name. `map`: what the nodes just said; undefined before. */
function nodesList({ peers, node }, map) {
  const near = peers.toSorted((one, other) => one.hops - other.hops);
  const known = new Set([node, ...near.map((peer) => peer.node)].map(nodeKey));
  const named = (map?.nodes ?? []).map((each) => each.node).filter((each) => !known.has(nodeKey(each)));
  const answering = (name) => map?.nodes.find((each) => nodeKey(each.node) === nodeKey(name))?.seen;
  const row = (name, more) =>
    h(
      'li',
      {},
      h('strong', {}, visible(name)),
      stateBadge(answering(name)),
      more && h('span', { class: 'small' }, more),
    );
  const rows = [
    row(node, 'this node'),
    ...near.map((peer) => row(peer.node, peer.verified ? 'authenticated' : 'only heard of')),
    ...named.map((name) => row(name, 'named by others')),
  ];
  const none = `${node} knows no other node yet. It looks for them by LLDP, by IS-IS, and in its configuration.`;
  return [h('ul', { class: 'short' }, rows), rows.length === 1 && h('p', {}, none)];
}

function stateBadge(seen) {
  if (seen === undefined) return false;
  return seen
    ? h('span', { class: 'badge badge-healthy' }, 'answers')
    : h('span', { class: 'badge badge-fault' }, 'no answer');
}

function linksTile({ links, missing, nodes }) {
  const silent = nodes.filter(({ seen }) => !seen).map(({ node }) => node);
  const sorted = links.toSorted((one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state));
  const rows = sorted.slice(0, MOST_LINKS).map(({ from, to, state, confidence, signs }) => {
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
      h('span', { class: 'small' }, believedWords(confidence, signs)),
    );
  });
  return [
    h('h3', {}, 'Links now'),
    rows.length === 0 ? h('p', {}, 'No link is known.') : h('ul', { class: 'short' }, rows),
    links.length > MOST_LINKS && h('p', { class: 'small' }, `${links.length - MOST_LINKS} more: parley topology`),
    missing.map((text) => h('p', { class: 'missing' }, visible(text))),
    silent.length > 0 &&
      h(
        'p',
        { class: 'missing' },
        `No answer from ${silent.map(visible).join(', ')}: its links are not known from it.`,
      ),
  ];
}

/** Who says that there is such a link, and by what it shows. */
function believedWords(confidence, signs = []) {
  if (confidence === 'claimed') return 'one end alone reports it';
  const names = signs.map((sign) => SIGN_NAMES[sign] ?? visible(sign));
  if (names.length === 0) return 'both ends report it';
  return `both ends report it, by ${names.length === 1 ? `${names[0]} alone` : names.join(', ')}`;
}

function endText({ node, ifname }) {
  return `${visible(node)} ${visible(ifname)}`;
}

/** The same fault once, with how often it was found, when last, and what a later answer to the same question said. */
function faultsTile({ reports }, openReport) {
  const found = reports.filter(({ verdict }) => verdict === 'fault');
  const groups = [...Map.groupBy(found, sameFault).values()];
  const rows = groups.slice(0, MOST_FAULTS).map((group) => faultRow(group, reports, openReport));
  const more = groups.length - rows.length;
  const none = 'The newest reports of this node name no fault. “What is wrong?” measures now.';
  return [
    h('h3', {}, 'Faults of past answers'),
    rows.length === 0 ? h('p', {}, none) : h('ul', { class: 'short' }, rows),
    more > 0 && h('p', { class: 'small' }, `${more} more under “Reports”.`),
  ];
}

function faultRow([last, ...earlier], reports, openReport) {
  const { id, created, intent, hypothesis, sentence } = last;
  const since = reports.find(
    (each) => each.verdict === 'healthy' && each.intent === intent && Date.parse(each.created) > Date.parse(created),
  );
  const count = earlier.length === 0 ? 'once, ' : `${earlier.length + 1} times, last `;
  const title = unbroken(visible(hypothesis ?? sentence));
  return h(
    'li',
    {},
    h('button', { type: 'button', class: 'link', onclick: () => openReport(id) }, title),
    h('span', { class: 'small wide' }, count, whenView(created)),
    since && h('span', { class: 'small wide' }, 'Asked again, and healthy: ', whenView(since.created)),
  );
}

/** Measured figures differ from answer to answer. */
function sameFault({ hypothesis, sentence }) {
  return (hypothesis ?? sentence).replace(/\d+(\.\d+)? %/g, '%');
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
    const { body, serverMs } = await getTimed(path);
    setAgentClock(serverMs);
    replace(place, ...view(body).flat());
  } catch (error) {
    replace(place, h('h3', {}, title), h('p', { role: 'alert' }, visible(error.message)));
  }
}
