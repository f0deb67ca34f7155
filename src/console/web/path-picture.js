// The path as a picture: routers, the links between them, the loss measured on each in each direction, and the guilty interface
// marked. Drawn twice, lying for wide windows and standing for narrow ones; the style sheet shows one of them.
import { h, svg } from './dom.js';
import { silenceOf } from './silence.js';
import { nodeKey } from './words.js';

const LYING = { across: 340, boxWide: 116, boxHigh: 58, lane: 16, margin: 12, crossing: 116 };
const STANDING = { across: 168, boxWide: 124, boxHigh: 50, lane: 20, margin: 8, crossing: 330 };
/** What fits beside each other in the width of the page; everything else stands. */
const MOST_LYING = 3;
const LYING_NAME_CHARS = 10;
const LYING_PORT_CHARS = 8;
/** Room for a letter of a router's name, and beside the name. */
const LETTER = 11;
const BESIDE = 28;

export function pathPicture(answer) {
  const path = answer.intent?.path ?? [];
  if (path.length < 2) return undefined;
  const model = modelOf(answer, path);
  return h('figure', { class: 'picture' }, drawLinks(model), h('figcaption', {}, caption(model)));
}

/** Whether the picture would say anything of a link or a node of the path. */
export function isPathKnown(answer) {
  const { links, nodes } = modelOf(answer, answer.intent.path);
  return (
    nodes.some(({ isGuilty }) => isGuilty) ||
    links.some(({ there, back }) => [there, back].some(({ loss, isGuilty }) => isGuilty || loss !== undefined))
  );
}

/** Routers in a row and the links between them, for wide and for narrow windows. */
export function drawLinks(model) {
  const longest = Math.max(...model.names.map((name) => name.length));
  const standing = { ...STANDING, boxWide: Math.max(STANDING.boxWide, longest * LETTER + BESIDE) };
  return fitsLying(model, longest)
    ? [draw(model, LYING, 'lying'), draw(model, standing, 'standing')]
    : [draw(model, standing, 'standing always')];
}

function fitsLying({ names, links }, longest) {
  const ports = links.flatMap(({ there, back }) => [there.ifname ?? '', back.ifname ?? '']);
  return (
    names.length <= MOST_LYING &&
    longest <= LYING_NAME_CHARS &&
    ports.every((ifname) => ifname.length <= LYING_PORT_CHARS)
  );
}

/** What is known of each link and node, before anything is drawn. */
function modelOf({ segments, findings, outcomes = [] }, path) {
  const keys = path.map(({ key }) => key);
  const guilty = guiltOf(findings);
  const silent = new Set(silenceOf(outcomes).silent.map(({ node }) => nodeKey(node)));
  const lane = (from, to) => {
    const found = segments.find((each) => nodeKey(each.from) === from && nodeKey(each.to) === to);
    const isGuilty = found?.ifname !== undefined && guilty.interfaces.has(`${from}/${found.ifname}`);
    return { loss: found?.lossPercent, ifname: found?.ifname, isGuilty };
  };
  return {
    names: path.map(({ as }) => as),
    nodes: keys.map((key) => ({ isGuilty: guilty.nodes.has(key), isSilent: silent.has(key) })),
    links: keys.slice(1).map((key, index) => ({ there: lane(keys[index], key), back: lane(key, keys[index]) })),
    whole: keys.length > 2 ? { there: lane(keys[0], keys.at(-1)), back: lane(keys.at(-1), keys[0]) } : undefined,
  };
}

function guiltOf(findings) {
  const interfaces = new Set();
  const nodes = new Set();
  for (const { resource, details } of findings) {
    const [kind, ...rest] = resource.split('/');
    if (kind === 'interface') interfaces.add(`${nodeKey(rest[0])}/${rest.slice(1).join('/')}`);
    if (kind === 'node') nodes.add(nodeKey(rest[0]));
    if (kind === 'node' && typeof details?.interface === 'string')
      interfaces.add(`${nodeKey(rest[0])}/${details.interface}`);
    if (kind !== 'link') continue;
    for (const end of rest.join('/').split('--')) {
      const colon = end.indexOf(':');
      interfaces.add(`${nodeKey(end.slice(0, colon))}/${end.slice(colon + 1)}`);
    }
  }
  return { interfaces, nodes };
}

function caption({ whole, links, names }) {
  if (whole === undefined) return ['Loss of each direction, measured by probes.'];
  const [head, tail] = [names[0], names.at(-1)];
  const part = (lane, words) => h('span', { class: laneClass(lane) }, `${words} ${lossText(lane)}`);
  const both = [
    'End to end: ',
    part(whole.there, `${head} → ${tail}`),
    ', ',
    part(whole.back, `${tail} → ${head}`),
    '.',
  ];
  return isLostBetween(whole, links) ? [...both, ` ${PROBES_DIFFER}`] : both;
}

const PROBES_DIFFER =
  'Probes of one link are other packets than those of the whole path: a filter on the path can drop these and pass those.';

/** The path loses packets, and none of its links does alone. */
function isLostBetween(whole, links) {
  const lanes = links.flatMap(({ there, back }) => [there, back]);
  return [whole.there, whole.back].some(({ loss }) => loss > 0) && lanes.every(({ loss }) => loss === 0);
}

/** `words`: what is said of a lane whose loss was not measured. */
function lossText({ loss, words = 'not measured' }) {
  return loss === undefined ? words : `${loss} % lost`;
}

function laneClass({ loss, words }) {
  if (loss === undefined && words) return 'lossy';
  if (loss === undefined) return 'unknown';
  return loss > 0 ? 'lossy' : 'clean';
}

/** Draws along an axis: `at(along, beside)` is a point so far along the path and so far beside its middle line. */
function draw(model, form, direction) {
  const isLying = direction === 'lying';
  const length = (model.names.length - 1) * form.across + (isLying ? form.boxWide : form.boxHigh) + 2 * form.margin;
  const at = (along, beside) =>
    isLying ? { x: along, y: form.crossing / 2 + beside } : { x: form.crossing / 2 - beside, y: along };
  const half = (isLying ? form.boxWide : form.boxHigh) / 2;
  const centre = (index) => form.margin + half + index * form.across;
  const [width, height] = isLying ? [length, form.crossing] : [form.crossing, length];
  const shapes = model.links.flatMap(({ there, back }, index) => {
    const [start, end] = [centre(index) + half, centre(index + 1) - half];
    return [
      ...drawLane({ lane: there, from: at(start, -form.lane), to: at(end, -form.lane), isLying, side: -1 }),
      ...drawLane({ lane: back, from: at(end, form.lane), to: at(start, form.lane), isLying, side: 1 }),
    ];
  });
  const boxes = model.nodes.map((node, index) => drawNode(model.names[index], node, at(centre(index), 0), form));
  return svg(
    'svg',
    { class: direction, viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': spoken(model) },
    shapes,
    boxes,
  );
}

function drawNode(name, { isGuilty, isSilent }, { x, y }, { boxWide, boxHigh }) {
  const place = { x: x - boxWide / 2, y: y - boxHigh / 2, width: boxWide, height: boxHigh, rx: 12 };
  return svg(
    'g',
    { class: `router${isGuilty ? ' guilty' : ''}${isSilent ? ' silent-router' : ''}` },
    svg('rect', place),
    svg('text', { x, y: y + 6, 'text-anchor': 'middle' }, name),
  );
}

/** A line with its arrow, the loss in its middle, and the sending interface at its beginning. */
function drawLane({ lane, from, to, isLying, side }) {
  const toward = isLying ? { x: Math.sign(to.x - from.x), y: 0 } : { x: 0, y: Math.sign(to.y - from.y) };
  const tip = { x: to.x - toward.x * 3, y: to.y - toward.y * 3 };
  const base = { x: tip.x - toward.x * 10, y: tip.y - toward.y * 10 };
  const across = { x: toward.y * 5, y: toward.x * 5 };
  const points = [tip, { x: base.x + across.x, y: base.y + across.y }, { x: base.x - across.x, y: base.y - across.y }];
  const kind = `lane ${laneClass(lane)}${lane.isGuilty ? ' guilty' : ''}`;
  return [
    svg(
      'g',
      { class: kind },
      svg('line', { x1: from.x, y1: from.y, x2: base.x, y2: base.y }),
      svg('polygon', { points: points.map(({ x, y }) => `${x},${y}`).join(' ') }),
      lossLabel(lane, from, to, isLying, side),
      ...interfaceLabel(lane, from, toward, isLying, side),
    ),
  ];
}

function lossLabel(lane, from, to, isLying, side) {
  // Beside each other, the name of the port takes the first part of the lane.
  const middle = { x: from.x + (to.x - from.x) * (isLying ? 0.62 : 0.5), y: (from.y + to.y) / 2 };
  const text = lossText(lane);
  return isLying
    ? svg('text', { class: 'loss', x: middle.x, y: middle.y + (side < 0 ? -13 : 25), 'text-anchor': 'middle' }, text)
    : svg(
        'text',
        { class: 'loss', x: middle.x - side * 14, y: middle.y + 5, 'text-anchor': side < 0 ? 'start' : 'end' },
        text,
      );
}

/** The sending interface; the guilty one has a ring around its port, and says so. */
function interfaceLabel(lane, from, toward, isLying, side) {
  if (lane.ifname === undefined) return [];
  const place = isLying
    ? { x: from.x + toward.x * 8, y: from.y + (side < 0 ? -13 : 25), 'text-anchor': toward.x > 0 ? 'start' : 'end' }
    : { x: from.x - side * 14, y: from.y + toward.y * 18 + 4, 'text-anchor': side < 0 ? 'start' : 'end' };
  const label = svg('text', { class: 'port', ...place }, lane.isGuilty ? `⚠ ${lane.ifname}` : lane.ifname);
  const port = svg('circle', { class: 'port', cx: from.x, cy: from.y, r: lane.isGuilty ? 7 : 4 });
  return [port, label];
}

function spoken({ names, links }) {
  const each = links.map(({ there, back }, index) => {
    const [one, other] = [names[index], names[index + 1]];
    const mark = (lane) => (lane.isGuilty ? `, ${lane.ifname} is at fault` : '');
    const lane = (from, to, each) => `${from} to ${to} ${lossText(each)}${mark(each)}`;
    return `${lane(one, other, there)}; ${lane(other, one, back)}`;
  });
  return `Path ${names.join(', ')}. ${each.join('. ')}.`;
}
