// The links that findings are about, each with its two ends and both directions: for a question that has no path. The end at fault is marked.
import { h } from './dom.js';
import { drawLinks } from './path-picture.js';
import { nodeKey } from './words.js';

const MOST_LINKS = 4;

export function linksPicture({ links = [], findings, segments = [] }) {
  const concerned = concernedLinks(links, findings);
  if (concerned.length === 0) return undefined;
  const shown = concerned.slice(0, MOST_LINKS);
  const more = concerned.length - shown.length;
  const pictures = shown.flatMap(({ link, faults }) => drawLinks(modelOf(link, faults, segments)));
  const mark = shown.some(({ link, faults }) => [link.from, link.to].some((end) => faults.has(endKey(end))));
  const caption = [
    'Both directions of each link that a finding is about, with the probes lost',
    mark ? '; ⚠ is the end at fault.' : '.',
    more > 0 ? ` ${more} more are not drawn.` : '',
  ].join('');
  return h('figure', { class: 'picture' }, pictures, h('figcaption', {}, caption));
}

/** In the order of the findings. `faults`: words by end, or by node where a node is at fault. */
function concernedLinks(links, findings) {
  const found = new Map();
  for (const finding of findings) {
    const words = finding.fault.replaceAll('_', ' ');
    for (const link of links) {
      const hit = hitsOf(finding, link);
      if (hit === undefined) continue;
      const entry = found.get(link) ?? { link, faults: new Map() };
      for (const key of hit) entry.faults.set(key, words);
      found.set(link, entry);
    }
  }
  return [...found.values()];
}

/** Ends (`node/ifname`) and nodes of this link that the finding is about; undefined: none. */
function hitsOf({ resource, details = {} }, { from, to }) {
  const [kind, ...rest] = resource.split('/');
  const ends = new Set();
  const nodes = new Set();
  if (kind === 'interface') ends.add(`${nodeKey(rest[0])}/${rest.slice(1).join('/')}`);
  else if (kind === 'link') for (const end of rest.join('/').split('--')) ends.add(endOfText(end));
  else if (kind === 'node' && typeof details.interface === 'string')
    ends.add(`${nodeKey(rest[0])}/${details.interface}`);
  else if (kind === 'node') nodes.add(nodeKey(rest[0]));
  const hit = [from, to].map(endKey).filter((key) => ends.has(key));
  hit.push(...[from, to].map(({ node }) => nodeKey(node)).filter((key) => nodes.has(key)));
  return hit.length === 0 ? undefined : hit;
}

function endOfText(end) {
  const colon = end.indexOf(':');
  return `${nodeKey(end.slice(0, colon))}/${end.slice(colon + 1)}`;
}

function endKey({ node, ifname }) {
  return `${nodeKey(node)}/${ifname}`;
}

/** The end at fault, which sends, comes first: as the finding's words have it. */
function modelOf(link, faults, segments) {
  const isTurned = faults.has(endKey(link.to)) && !faults.has(endKey(link.from));
  const [from, to] = isTurned ? [link.to, link.from] : [link.from, link.to];
  const lane = (one, other) => {
    const measured = segments.find(
      (each) =>
        nodeKey(each.from) === nodeKey(one.node) &&
        nodeKey(each.to) === nodeKey(other.node) &&
        each.ifname === one.ifname,
    );
    const words = faults.get(endKey(one));
    // What is wrong at this end says more than that no probe was lost.
    const loss = words === undefined || measured?.lossPercent > 0 ? measured?.lossPercent : undefined;
    return { loss, words: words ?? '', ifname: one.ifname, isGuilty: words !== undefined };
  };
  return {
    names: [from.node, to.node],
    nodes: [from, to].map(({ node }) => ({ isGuilty: faults.has(nodeKey(node)), isSilent: false })),
    links: [{ there: lane(from, to), back: lane(to, from) }],
  };
}
