// Expected adjacencies, sessions, prefixes and ways that are not there any more, as symptoms: of the kinds that rules know where
// there is one, else of kind `expected`.
import { nodeResource } from '#model/names.ts';
import { OSPF_DAEMONS, OSPF_NAMES } from '#model/router/control-plane.ts';
import { NO_PEER, type ProfileEntry } from '#model/snapshot.ts';
import type { CaseFile } from '../engine/facts.ts';
import type { Symptom } from '../engine/symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { linkOn, ownerOf, peerEnd, sourcesOf } from '../network/world.ts';
import { isisSymptom, ospfSymptom, runsOspf, versionMark } from '../symptoms/adjacency.ts';
import { daemonSymptom } from '../symptoms/dead-daemons.ts';
import { type ExpectedDetail, expectedSymptom } from '../symptoms/expectations.ts';
import { routeSymptom } from '../symptoms/routes.ts';
import { isAccountedFor, lackingSymptom } from './expected-links.ts';

/** Parts of a profile whose loss takes ways along. */
const CUTTING_PARTS: readonly ExpectedDetail['part'][] = ['link', 'adjacency', 'session'];

export function controlSymptom(
  file: CaseFile,
  entry: ProfileEntry,
  now: ProfileEntry | undefined,
): Symptom | undefined {
  switch (entry.part) {
    case 'adjacency':
      return adjacency(file, entry, now);
    case 'session':
      return session(file, entry, now);
    case 'prefix':
      return prefix(file, entry, now);
    default:
      return way(file, entry, now);
  }
}

function daemonsAreDead(file: CaseFile, node: string): boolean {
  return daemonSymptom.of(file).some(({ nodes }) => nodes.includes(node));
}

/** Both ends lack it: one symptom of the link. */
function adjacency(file: CaseFile, entry: ProfileEntry, now: ProfileEntry | undefined): Symptom | undefined {
  const [end] = entry.ends ?? [];
  const up = (value: string | undefined) => value === 'up' || value === 'Full';
  if (end === undefined || !up(entry.value) || up(now?.value) || isAccountedFor(file, end)) return undefined;
  const [protocol] = entry.subject.split(' ');
  const version = protocol === 'ospf6' ? 3 : protocol === 'ospf' ? 2 : undefined;
  if (version === 3 && !tellsOspf6(file, end.node)) return undefined;
  const words = `${nodeRef(end.node)} ${end.ifname}: the expected ${version === undefined ? 'IS-IS' : OSPF_NAMES[version]} adjacency is not there`;
  const detail = { from: now?.value ?? 'none', ...(version === undefined ? {} : versionMark(version)) };
  const [link] = linkOn(file.world, end);
  if (link === undefined) return lackingSymptom(file, entry, words, detail);
  const kind = version === undefined ? isisSymptom : ospfSymptom;
  return kind.raise({
    id: `${kind.kind}:${link.key}${version === 3 ? '/v3' : ''}`,
    ...{ subject: link.key, text: words, source: sourcesOf(file.world, ...entry.nodes) },
    ...{ nodes: [link.from.node, link.to.node], link, detail },
  });
}

/** An agent of an earlier version has `ospf6d` among its daemons, and says nothing of what it runs; one that was stopped runs nothing. */
function tellsOspf6({ world }: CaseFile, node: string): boolean {
  const state = world.views.get(node)?.state;
  if (state === undefined || runsOspf(state, 3)) return true;
  const { daemons = [] } = state;
  return daemons.length > 0 && daemons.every(({ name }) => name !== OSPF_DAEMONS[3]);
}

/**
 * A session that is configured and down is known anyway: here only what is configured no more. BFD follows the protocols that
 * ask for it, so its sessions are no fault by themselves.
 */
function session(file: CaseFile, entry: ProfileEntry, now: ProfileEntry | undefined): Symptom | undefined {
  const [node = ''] = entry.nodes;
  const peer = entry.subject.split(' ').at(-1)!;
  if (entry.value !== 'Established' || now !== undefined || daemonsAreDead(file, node)) return undefined;
  const far = peerEnd(file.world, node, peer)?.node;
  const text = `BGP ${nodeRef(node)} – ${far === undefined ? peer : nodeRef(far)}: the expected session is configured no more`;
  const detail = { node, peer, ...(far === undefined ? {} : { far }) };
  return { ...lackingSymptom(file, entry, text, detail), nodes: far === undefined ? [node] : [node, far] };
}

/** A prefix whose address is gone is reported with the address; one that a neighbour still hears is announced. */
function prefix(file: CaseFile, entry: ProfileEntry, now: ProfileEntry | undefined): Symptom | undefined {
  const [node = ''] = entry.nodes;
  if (entry.value === NO_PEER || now === undefined || now.value !== NO_PEER) return undefined;
  const known = file.symptoms.some(
    ({ kind, nodes }) => ['daemon', 'bgp', 'route', 'reach', 'expected'].includes(kind) && nodes.includes(node),
  );
  const text = `${nodeRef(node)}: ${entry.subject.split(' ')[1]} is announced to no neighbour, ${entry.value} expected`;
  return known ? undefined : lackingSymptom(file, entry, text, {});
}

/** As the rules for routes know it. */
function way(file: CaseFile, entry: ProfileEntry, now: ProfileEntry | undefined): Symptom | undefined {
  const [from = ''] = entry.nodes;
  const destination = entry.subject.split(' ').at(-1)!;
  const owner = ownerOf(file.world, destination)?.node;
  if (!entry.value.startsWith('unicast') || now?.value !== 'none' || owner === undefined) return undefined;
  if (routeSymptom.of(file).some(({ detail }) => detail.destination === destination)) return undefined;
  // Routing that is cut in two has its own symptom: ways that lead over the cut are its results.
  const cuts = ['daemon', 'isis', 'ospf', 'bgp', 'down', 'silent'];
  const isCut = (symptom: Symptom) =>
    cuts.includes(symptom.kind) || (expectedSymptom.is(symptom) && CUTTING_PARTS.includes(symptom.detail.part));
  if (file.symptoms.some(isCut)) return undefined;
  return routeSymptom.raise({
    id: `route:none//${destination}`,
    subject: nodeResource(from),
    text: `${nodeRef(from)} cannot send to ${destination} of ${nodeRef(owner)}: it has no route, and had one`,
    source: sourcesOf(file.world, from, owner),
    nodes: [from, owner],
    way: { nodes: [from], links: [] },
    detail: { destination, owner, at: from, how: 'none', from, affected: [from] },
  });
}
