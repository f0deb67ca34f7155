// A map of what was asked, for an answer that is about no path and no finding: the nodes, the links that both ends report, and what the probes lost on
// each. Up to three nodes in a row are drawn as a path is; more stand in a ring.
import { h, svg } from './dom.js';
import { drawLinks } from './path-picture.js';
import { nodeKey, visible } from './words.js';

/** More are no picture. */
const MOST_NODES = 12;
const MOST_IN_A_ROW = 3;
const RING = { width: 680, height: 330, boxHigh: 34, letter: 9, beside: 22 };
const NARROW_RING = { width: 330, height: 400, boxHigh: 30, letter: 8.5, beside: 14 };

/** `silent`: nodes that answered nothing. Undefined where there is nothing to draw. */
export function networkPicture({ verdict, links = [], segments = [], outcomes = [] }, silent, own) {
  if (!['healthy', 'inconclusive'].includes(verdict.kind)) return undefined;
  const names = [...links.flatMap(({ from, to }) => [from.node, to.node]), ...outcomes.map(({ node }) => node)];
  const nodes = new Map(names.map((name) => [nodeKey(name), { name, isGuilty: false, isSilent: false }]));
  for (const { node } of silent) nodes.get(nodeKey(node)).isSilent = true;
  if (links.length === 0 || nodes.size > MOST_NODES) return undefined;
  const edges = links.map(({ from, to }) => ({
    from,
    to,
    there: laneOf(from, to, segments),
    back: laneOf(to, from, segments),
  }));
  const row = rowOf(nodes, edges, nodeKey(own ?? ''));
  const drawn = row ? drawLinks(row) : [RING, NARROW_RING].map((form) => drawRing(nodes, edges, form));
  return h('figure', { class: 'picture' }, drawn, h('figcaption', {}, captionOf(nodes, edges, row !== undefined)));
}

function laneOf(from, to, segments) {
  const measured = segments.filter(
    (each) =>
      nodeKey(each.from) === nodeKey(from.node) && nodeKey(each.to) === nodeKey(to.node) && each.ifname === from.ifname,
  );
  const losses = measured.map(({ lossPercent }) => lossPercent);
  return { loss: losses.length === 0 ? undefined : Math.max(...losses), ifname: from.ifname, isGuilty: false };
}

/** The nodes one after the other, where the links make a row of them; undefined otherwise. */
function rowOf(nodes, edges, own) {
  if (nodes.size > MOST_IN_A_ROW || edges.length !== nodes.size - 1) return undefined;
  const at = (key) => edges.filter(({ from, to }) => [from, to].some(({ node }) => nodeKey(node) === key));
  const ends = [...nodes.keys()].filter((key) => at(key).length === 1);
  const order = [ends.includes(own) ? own : ends[0]];
  const links = [];
  while (order.length < nodes.size) {
    const edge = at(order.at(-1)).find((each) => !links.some((link) => link.edge === each));
    if (edge === undefined) return undefined;
    const isAlong = nodeKey(edge.from.node) === order.at(-1);
    order.push(nodeKey(isAlong ? edge.to.node : edge.from.node));
    links.push({ edge, there: isAlong ? edge.there : edge.back, back: isAlong ? edge.back : edge.there });
  }
  if (new Set(order).size < nodes.size) return undefined;
  const shown = order.map((key) => nodes.get(key));
  return { names: shown.map(({ name }) => visible(name)), nodes: shown, links };
}

/** Neighbours beside each other, as far as a walk from the best connected node brings them: few lines cross then. */
function ringOrder(nodes, edges) {
  const near = new Map([...nodes.keys()].sort().map((key) => [key, new Set()]));
  for (const [one, other] of edges.map(({ from, to }) => [nodeKey(from.node), nodeKey(to.node)])) {
    near.get(one).add(other);
    near.get(other).add(one);
  }
  const byDegree = (keys) => [...keys].sort((one, other) => near.get(one).size - near.get(other).size);
  const order = new Set();
  const walk = (key) => {
    if (order.has(key)) return;
    order.add(key);
    for (const next of byDegree(near.get(key))) walk(next);
  };
  for (const key of byDegree(near.keys()).reverse()) walk(key);
  return [...order];
}

function drawRing(nodes, edges, form) {
  const { width, height, boxHigh, letter, beside } = form;
  const keys = ringOrder(nodes, edges);
  const boxWide = Math.max(...keys.map((key) => visible(nodes.get(key).name).length)) * letter + beside;
  const place = new Map(
    keys.map((key, index) => {
      const angle = (2 * Math.PI * index) / keys.length - Math.PI / 2;
      const x = width / 2 + (width / 2 - boxWide / 2 - 6) * Math.cos(angle);
      return [key, { x, y: height / 2 + (height / 2 - boxHigh / 2 - 6) * Math.sin(angle) }];
    }),
  );
  const lines = edges.map(({ from, to, there, back }) => {
    const [one, other] = [from, to].map(({ node }) => place.get(nodeKey(node)));
    return svg(
      'g',
      { class: `lane ${edgeClass(there, back)}` },
      svg('line', { x1: one.x, y1: one.y, x2: other.x, y2: other.y }),
    );
  });
  const boxes = keys.map((key) => {
    const [{ name, isSilent }, { x, y }] = [nodes.get(key), place.get(key)];
    return svg(
      'g',
      { class: `router small-router${isSilent ? ' silent-router' : ''}` },
      svg('rect', { x: x - boxWide / 2, y: y - boxHigh / 2, width: boxWide, height: boxHigh, rx: 9 }),
      svg('text', { x, y: y + 5, 'text-anchor': 'middle' }, visible(name)),
    );
  });
  const direction = form === RING ? 'lying' : 'standing';
  const label = spoken(nodes, edges);
  return svg(
    'svg',
    { class: direction, viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label },
    lines,
    boxes,
  );
}

function edgeClass({ loss: there }, { loss: back }) {
  if (there > 0 || back > 0) return 'lossy';
  return there === undefined || back === undefined ? 'unknown' : 'clean';
}

function captionOf(nodes, edges, isRow) {
  const silent = [...nodes.values()].filter(({ isSilent }) => isSilent).length;
  const links = edges.length === 1 ? '1 link' : `${edges.length} links`;
  const colours = isRow ? '' : ' Green lost no probe, red lost some, grey was not measured.';
  const dashed = silent === 0 ? '' : ' A dashed box did not answer.';
  return `${nodes.size} nodes, and ${links} that both ends report, with the loss of probes.${colours}${dashed}`;
}

function spoken(nodes, edges) {
  const words = { lossy: 'lost probes', clean: 'lost no probe', unknown: 'was not measured' };
  const each = edges.map(
    ({ from, to, there, back }) => `${visible(from.node)} to ${visible(to.node)} ${words[edgeClass(there, back)]}`,
  );
  const silent = [...nodes.values()].filter(({ isSilent }) => isSilent).map(({ name }) => visible(name));
  const quiet = silent.length === 0 ? '' : ` No answer from ${silent.join(', ')}.`;
  return `Map of ${nodes.size} nodes. ${each.join('; ')}.${quiet}`;
}
