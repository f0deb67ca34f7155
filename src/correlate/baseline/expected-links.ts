// Expected links, sizes, addresses and round trips that are not there any more, as symptoms: of the kinds that rules know where
// there is one, else of kind `expected`.
import type { Expectation } from '#model/baseline.ts';
import type { LinkEnd } from '#model/names.ts';
import { interfaceResource } from '#model/names.ts';
import type { Profile, ProfileEntry } from '#model/snapshot.ts';
import type { CaseFile } from '../engine/facts.ts';
import type { Symptom } from '../engine/symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { interfaceOf, linkOn, sourcesOf } from '../network/world.ts';
import { SLOW_TIMES } from '../observe/delay-onset.ts';
import { daemonSymptom } from '../symptoms/dead-daemons.ts';
import { type ExpectedDetail, expectedSymptom } from '../symptoms/expectations.ts';
import { type CarrierState, linkDownSymptom } from '../symptoms/links/link-down.ts';
import { mtuSymptom } from '../symptoms/links/mtu.ts';
import { SLOW_MS, slowLinkSymptom } from '../symptoms/links/slow-link.ts';

export function linkSymptom(file: CaseFile, entry: ProfileEntry, now: ProfileEntry | undefined): Symptom | undefined {
  if (entry.part === 'link') return entry.value === 'up' && now === undefined ? lostLink(file, entry) : undefined;
  if (entry.part === 'mtu') return smaller(file, entry, now);
  return now === undefined ? lostAddress(file, entry) : undefined;
}

/** True when something else is already known of an interface, its link, or its whole node. */
export function isAccountedFor(file: CaseFile, { node, ifname }: LinkEnd): boolean {
  const isHere = (detail: { readonly node?: string; readonly ifname?: string }) =>
    detail.node === node && detail.ifname === ifname;
  return file.symptoms.some(
    (symptom) =>
      (daemonSymptom.is(symptom) && symptom.nodes.includes(node)) ||
      symptom.subject === interfaceResource({ node, ifname }) ||
      (expectedSymptom.is(symptom) && isHere(symptom.detail)) ||
      (linkDownSymptom.is(symptom) &&
        (isHere(symptom.detail) || (symptom.detail.peer === node && symptom.detail.port === ifname))) ||
      [symptom.link?.from, symptom.link?.to].some((end) => end?.node === node && end.ifname === ifname),
  );
}

export function lackingSymptom(
  file: CaseFile,
  entry: ProfileEntry,
  text: string,
  detail: Omit<ExpectedDetail, 'part' | 'expected'>,
): Symptom {
  const link = entry.ends?.flatMap((end) => linkOn(file.world, end))[0];
  return expectedSymptom.raise({
    id: `expected:${entry.part} ${entry.subject}`,
    subject: entry.resource,
    text,
    source: sourcesOf(file.world, ...entry.nodes),
    nodes: entry.nodes,
    ...(link === undefined ? {} : { link }),
    detail: { part: entry.part, expected: entry.value, ...detail },
  });
}

function lostLink(file: CaseFile, entry: ProfileEntry): Symptom | undefined {
  const ends = entry.ends ?? [];
  if (ends.some((end) => isAccountedFor(file, end))) return undefined;
  const name = ends.map(({ node, ifname }) => `${nodeRef(node)} ${ifname}`).join(' – ');
  const gone = ends.find((end) => interfaceOf(file.world, end) === undefined);
  if (gone === undefined) {
    const dark = ends.find((end) => interfaceOf(file.world, end)?.operUp === false);
    if (dark === undefined) return lackingSymptom(file, entry, `${name}: no link is seen where one is expected`, {});
    return downAt(file, dark, ends, interfaceOf(file.world, dark)?.adminUp === true ? 'no-carrier' : 'shut');
  }
  return downAt(file, gone, ends, 'gone');
}

/** As the rules for links know it, without a link in the world. */
function downAt(file: CaseFile, end: LinkEnd, ends: readonly LinkEnd[], how: CarrierState): Symptom {
  const { node, ifname } = end;
  const peer = ends.find((each) => each !== end);
  return linkDownSymptom.raise({
    id: `down:${interfaceResource(end)}`,
    subject: interfaceResource(end),
    text: `${nodeRef(node)} ${ifname}: ${how}${peer === undefined ? '' : `, ${nodeRef(peer.node)} ${peer.ifname} is expected there`}`,
    source: sourcesOf(file.world, ...ends.map((each) => each.node)),
    nodes: [node],
    detail: { from: how, node, ifname, ...(peer === undefined ? {} : { peer: peer.node, port: peer.ifname }) },
  });
}

/** Larger than expected carries whatever was expected. */
function smaller(file: CaseFile, entry: ProfileEntry, now: ProfileEntry | undefined): Symptom | undefined {
  const [end] = entry.ends ?? [];
  const [expected, mtu] = [Number(entry.value), Number(now?.value)];
  if (end === undefined || !(mtu < expected)) return undefined;
  const [link] = linkOn(file.world, end);
  if (mtuSymptom.of(file).some(({ link: at }) => at?.key === link?.key)) return undefined;
  const text = `${nodeRef(end.node)} ${end.ifname}: MTU ${mtu}, ${expected} expected`;
  const detail = { from: mtu, to: mtu, others: expected, expected: true as const };
  if (link === undefined) return lackingSymptom(file, entry, text, detail);
  const { nodes } = entry;
  return mtuSymptom.raise({
    id: `mtu:${link.key}`,
    ...{ subject: link.key, text, source: sourcesOf(file.world, ...nodes), nodes, link, detail },
  });
}

function lostAddress(file: CaseFile, entry: ProfileEntry): Symptom | undefined {
  const [end] = entry.ends ?? [];
  const [node = '', ifname = '', address = ''] = entry.subject.split(' ');
  if (end === undefined || interfaceOf(file.world, end) === undefined) return undefined;
  return lackingSymptom(file, entry, `${nodeRef(node)} ${ifname}: ${address} is not set any more`, {
    node,
    ifname,
    address,
  });
}

export function roundTripSymptoms(file: CaseFile, { profile }: Expectation, now: Profile): readonly Symptom[] {
  return now.roundTrips.flatMap(({ from, to, minMs }): Symptom[] => {
    const was = profile.roundTrips.find(
      (each) => (each.from === from && each.to === to) || (each.from === to && each.to === from),
    );
    // As for siblings: beyond the expected round trip by so much, and so many times.
    if (was === undefined || minMs < was.minMs + SLOW_MS || minMs < was.minMs * SLOW_TIMES) return [];
    const links = file.world.links.filter(
      (link) => [link.from.node, link.to.node].sort().join() === [from, to].sort().join(),
    );
    const [link] = links;
    if (link === undefined || links.length > 1) return [];
    if (file.symptoms.some((symptom) => isOneWay(symptom) && symptom.link?.key === link.key)) return [];
    return [
      slowLinkSymptom.raise({
        id: `slow:${link.key}`,
        subject: link.key,
        text: `${nodeRef(from)} – ${nodeRef(to)}: round trip ${minMs} ms at least, ${was.minMs} ms expected`,
        source: sourcesOf(file.world, from, to),
        nodes: [from, to],
        link,
        detail: { roundTripMs: minMs, othersMs: was.minMs, rose: true },
      }),
    ];
  });
}

function isOneWay(symptom: Symptom): boolean {
  return slowLinkSymptom.is(symptom) && (symptom.detail.slowFrom ?? []).length > 0;
}
