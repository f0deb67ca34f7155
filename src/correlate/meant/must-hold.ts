// What operators said must hold, held against what is there. What does not hold is a symptom, unless another symptom says it already; what
// could not be looked at is lacking in the proof of health. Accuses no node: that is faults/nodes/expectation-unmet.ts.
import { covers, parsePrefix } from '#base/ip.ts';
import { addressIn, type Said } from '#model/expectations.ts';
import { interfaceResource, type LinkEnd, linkResource, nodeResource } from '#model/names.ts';
import type { ExpectLine } from '#model/router/expectations.ts';
import type { CaseFile, Unmet } from '../engine/facts.ts';
import type { Symptom } from '../engine/symptom.ts';
import { walk } from '../network/forwarding.ts';
import { attachedTo } from '../network/hosts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { interfaceOf, peerEnd, sourcesOf, type World } from '../network/world.ts';
import { type ExpectedDetail, expectedSymptom } from '../symptoms/expectations.ts';
import { type LineOf, linesOf } from './meant.ts';

export type MustHold = {
  readonly unmet: readonly Unmet[];
  /** Of what no other symptom says. */
  readonly symptoms: readonly Symptom[];
  /** What could not be looked at. */
  readonly lacking: readonly string[];
};

/** Symptoms whose results lost routes are. */
const CUTS: readonly string[] = ['daemon', 'isis', 'ospf', 'bgp', 'down', 'silent'];
const NOWHERE: readonly string[] = ['none', 'blackhole', 'unreachable'];

export function mustHold(file: Pick<CaseFile, 'world' | 'symptoms'>, said: Said | undefined): MustHold {
  const judged = linesOf(file.world, said)
    .filter((each): each is LineOf<ExpectLine> => each.line.kind === 'expect')
    .flatMap((each) => {
      const judgement = judgementOf(file.world, each.line);
      return judgement !== undefined && (each.isOwn || judgement.nodes.includes(each.node))
        ? [{ ...each, judgement }]
        : [];
    });
  const broken = judged.flatMap(({ judgement, ...each }) =>
    'why' in judgement ? [brokenOf(file, each, judgement)] : [],
  );
  const placed = new Set(broken.flatMap(({ id, isElsewhere }) => (isElsewhere ? [] : [id])));
  const once = [
    ...new Map(
      broken.filter(({ id, isElsewhere }) => !isElsewhere || !placed.has(id)).map((each) => [each.id, each]),
    ).values(),
  ];
  return {
    unmet: once.map(({ unmet }) => unmet),
    symptoms: once.flatMap(({ raised }) => raised),
    lacking: judged.flatMap(({ line, judgement }) =>
      'unknown' in judgement ? [`${lineName(line)} is expected, and was not looked at: ${judgement.unknown}`] : [],
    ),
  };
}

/**
 * Undefined: it holds, or is about nodes that the question is not about. `nodes`: whom it concerns, the one to accuse first. `part`: as a
 * baseline would call what is missing.
 */
type Judgement = { readonly nodes: readonly string[] } & (
  | { readonly why: string; readonly part: ExpectedDetail['part'] }
  | { readonly unknown: string }
);

function judgementOf(world: World, line: ExpectLine): Judgement | undefined {
  switch (line.what) {
    case 'link':
      return linkJudgement(world, line);
    case 'session':
      return sessionJudgement(world, line);
    case 'route':
      return routeJudgement(world, line);
    case 'service':
      return serviceJudgement(world, line);
  }
}

function linkJudgement(world: World, line: ExpectLine): Judgement | undefined {
  const ends = endsOf(line);
  const known = ends.filter(({ node }) => world.views.has(node));
  for (const end of known) {
    const state = interfaceOf(world, end);
    const others = ends.filter((each) => each !== end).map(({ node }) => node);
    const why =
      state === undefined ? 'is not there' : state.adminUp ? (state.operUp ? undefined : 'is down') : 'is shut down';
    if (why !== undefined)
      return { nodes: [end.node, ...others], part: 'link', why: `${nodeRef(end.node)} ${end.ifname} ${why}` };
  }
  const key = linkResource(ends[0]!, ends[1]!);
  if (known.length < 2 || world.links.some((link) => link.key === key)) return undefined;
  return {
    nodes: ends.map(({ node }) => node),
    part: 'link',
    why: 'both interfaces are up, and no link is seen between them',
  };
}

function sessionJudgement(world: World, { subject, at = '' }: ExpectLine): Judgement | undefined {
  const state = world.views.get(at)?.state;
  if (state === undefined) return undefined;
  const nodes = [at];
  if (state.bgp === undefined)
    return state.daemons === undefined
      ? { nodes, unknown: `${nodeRef(at)} said nothing of BGP` }
      : { nodes, part: 'said', why: 'BGP does not run' };
  const row = state.bgp.sessions.find(({ peer }) => peer === subject);
  if (row?.state === 'Established') return undefined;
  if (row === undefined) return { nodes, part: 'session', why: 'it is not configured' };
  return { nodes, part: 'said', why: row.shutdown ? 'it is shut down' : `it is ${row.state}` };
}

/** A route for the prefix itself or a part of it; a less specific one, such as a default route, is not what is expected. */
function routeJudgement(world: World, { subject, at = '' }: ExpectLine): Judgement | undefined {
  if (!world.views.has(at)) return undefined;
  const nodes = [at];
  const answer = world.lookups.get(at)?.get(addressIn(subject));
  if (answer === undefined) return { nodes, unknown: `${nodeRef(at)} gave no route` };
  if (NOWHERE.includes(answer.kind))
    return { nodes, part: 'said', why: answer.kind === 'none' ? 'it has none' : `what matches is ${answer.kind}` };
  const { matched } = answer;
  const exact =
    matched === undefined ||
    matched === subject ||
    (matched !== 'default' && covers(subject, matched.split('/')[0]!) && lengthOf(matched) >= lengthOf(subject));
  return exact ? undefined : { nodes, part: 'said', why: `only ${matched} matches` };
}

function serviceJudgement(world: World, { subject, at = '' }: ExpectLine): Judgement | undefined {
  const [service, port] = [subject.split('/')[0], Number(subject.split('/')[1])];
  const host = attachedTo(world, at);
  const tries = world.serviceProbes.filter(
    (each) => each.destination === at && each.service === service && each.port === port,
  );
  if (tries.some(({ open }) => open)) return undefined;
  // A question about a few nodes says nothing of what hangs on others.
  if (host === undefined)
    return world.whole ? { nodes: [], unknown: `no node that answered has a network with ${at}` } : undefined;
  const nodes = [host.node];
  if (tries.length === 0) return { nodes, unknown: `${nodeRef(host.node)} did not try it` };
  return { nodes, part: 'said', why: tries.some(({ answered }) => answered) ? 'the host refuses' : 'no answer' };
}

/** `isElsewhere`: it is another node's interface that another node's file accuses. */
type Broken = {
  readonly id: string;
  readonly isElsewhere: boolean;
  readonly unmet: Unmet;
  readonly raised: readonly Symptom[];
};

function brokenOf(
  { world, symptoms }: Pick<CaseFile, 'world' | 'symptoms'>,
  { line, node: saidBy, isOwn }: LineOf<ExpectLine>,
  judgement: Extract<Judgement, { readonly why: string }>,
): Broken {
  const { part, why } = judgement;
  // What another node's file expects accuses that node alone.
  const isElsewhere = !isOwn && judgement.nodes[0] !== saidBy;
  const nodes = isElsewhere ? [...new Set([saidBy, ...judgement.nodes])] : judgement.nodes;
  const [node = ''] = nodes;
  const id = `expected:${lineKey(line)}`;
  const owner = line.owner === undefined ? '' : ` by ${line.owner}`;
  const reason = line.reason === undefined ? '' : ` (${line.reason})`;
  const text = `${lineName(line)} is expected${owner}${reason}: ${why} (expectations of ${nodeRef(saidBy)})`;
  const source = sourcesOf(world, ...nodes.filter((each) => world.views.has(each)));
  const known = symptoms.filter((symptom) => isAbout(world, symptom, line));
  const causes = isElsewhere ? known : known.length > 0 ? [] : causesOf(world, symptoms, line);
  const detail: ExpectedDetail = {
    part,
    expected: line.subject,
    node,
    ...(part === 'session' ? { peer: line.subject } : {}),
  };
  if (causes.length > 0)
    return {
      id,
      isElsewhere,
      unmet: { node, text, source, symptoms: [], resultOf: causes.map((each) => each.id) },
      raised: [],
    };
  const raised =
    known.length > 0
      ? []
      : [expectedSymptom.raise({ id, subject: nodeResource(node), text, source, nodes: [...new Set(nodes)], detail })];
  return {
    id,
    isElsewhere,
    unmet: { node, text, source, symptoms: [...known, ...raised].map((each) => each.id) },
    raised,
  };
}

/** Why a route is lost: what is wrong at its node, or on a shortest way from there to a node that has an address of the prefix. */
function causesOf(
  world: World,
  symptoms: readonly Symptom[],
  { what, subject, at = '' }: ExpectLine,
): readonly Symptom[] {
  if (what !== 'route') return [];
  // A default route leads to no node that is known.
  const inPrefix = (address: string) => lengthOf(subject) > 0 && covers(subject, address);
  const owners = [...world.owners].flatMap(([address, ends]) => (inPrefix(address) ? ends : []));
  const way = new Set([
    ...walk(world, at, addressIn(subject)).nodes,
    ...[...new Set(owners.map(({ node }) => node))].flatMap((owner) => shortestBetween(world, at, owner)),
  ]);
  return symptoms.filter(({ kind, nodes, link }) => {
    if (!CUTS.includes(kind)) return false;
    const isThere = nodes.includes(at) || (link === undefined && nodes.some((node) => way.has(node)));
    return isThere || (link !== undefined && [link.from, link.to].every(({ node }) => way.has(node)));
  });
}

/** The nodes of all shortest ways over the links that are known, up or down. */
function shortestBetween({ links }: World, from: string, to: string): readonly string[] {
  const beside = Map.groupBy(
    links.flatMap((link) => [
      [link.from.node, link.to.node],
      [link.to.node, link.from.node],
    ]),
    ([node]) => node,
  );
  const distances = (start: string) => {
    const found = new Map([[start, 0]]);
    // A map that grows while it is read: breadth first.
    for (const [node, far] of found)
      for (const [, next = ''] of beside.get(node) ?? []) if (!found.has(next)) found.set(next, far + 1);
    return found;
  };
  const [there, back] = [distances(from), distances(to)];
  return [...there].flatMap(([node, far]) => (far + (back.get(node) ?? Infinity) === there.get(to) ? [node] : []));
}

/** A symptom that says the same already. */
function isAbout(world: World, { kind, subject, link, nodes, detail }: Symptom, line: ExpectLine): boolean {
  const { at = '' } = line;
  switch (line.what) {
    case 'link': {
      const ends = endsOf(line);
      const key = linkResource(ends[0]!, ends[1]!);
      return link?.key === key || subject === key || ends.some((end) => subject === interfaceResource(end));
    }
    case 'session': {
      if (kind === 'daemon') return nodes.includes(at);
      const far = peerEnd(world, at, line.subject)?.node;
      // A symptom of both ends names the peer's address at one of them.
      const isIt =
        detail['node'] === at ? detail['peer'] === line.subject : far !== undefined && detail['node'] === far;
      return ['bgp', 'expected'].includes(kind) && nodes.includes(at) && isIt;
    }
    case 'route':
      return kind === 'route' && nodes.includes(at) && detail['destination'] === addressIn(line.subject);
    case 'service':
      return [detail['destination'], detail['address']].includes(at);
  }
}

function lineKey({ what, subject, at }: ExpectLine): string {
  return `${what} ${subject}${at === undefined ? '' : ` at ${at}`}`;
}

function lineName(line: ExpectLine): string {
  const { what, subject, at } = line;
  if (what === 'link')
    return `link ${endsOf(line)
      .map(({ node, ifname }) => `${nodeRef(node)} ${ifname}`)
      .join(' – ')}`;
  if (what === 'service') return `service ${subject} at ${at}`;
  return what === 'session'
    ? `the BGP session of ${nodeRef(at ?? '')} with ${subject}`
    : `a route for ${subject} at ${nodeRef(at ?? '')}`;
}

function endsOf({ subject }: ExpectLine): readonly LinkEnd[] {
  return subject.split('--').map((end) => {
    const colon = end.indexOf(':');
    return { node: end.slice(0, colon), ifname: end.slice(colon + 1) };
  });
}

function lengthOf(prefix: string): number {
  return parsePrefix(prefix)?.prefixBits ?? 0;
}
