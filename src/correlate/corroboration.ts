// What the protocols themselves say of a fault that the rules have found: hellos that an end refused within the window, and the NOTIFICATIONs
// by which a BGP session was closed (RFC 4271 §4.5), as reported by one end or both, and what
// their logs say, as kinds of a closed list. Supports a proposal and never makes one; codes become our own
// words, and no text of a device is repeated.

import type { JsonObject } from '#base/json.ts';
import type { LinkEnd } from '#model/names.ts';
import type { LogSignKind } from '#model/router/log-events.ts';
import { ageWords } from '#model/settings/change-words.ts';
import type { CaseFile } from './engine/facts.ts';
import type { Proposal } from './engine/fault-definition.ts';
import type { Symptom } from './engine/symptom.ts';
import { nodeRef } from './network/node-ref.ts';
import { ownerOf } from './network/world.ts';
import { isisSymptom, ospfSymptom, versionOf } from './symptoms/adjacency.ts';
import { type BgpSessionDetail, bgpSymptom, isUp, sessionsOf } from './symptoms/sessions.ts';

/** The proposal with the evidence that supports it beside what it is based on. */
export function withWitness(file: CaseFile, proposal: Proposal): Proposal {
  const ids = new Set(proposal.explains.map(({ symptom }) => symptom));
  const mine = file.symptoms.filter(({ id, kind }) => ids.has(id) && ['isis', 'bgp', 'ospf'].includes(kind));
  if (mine.length === 0) return proposal;
  const refused = mine.filter(isisSymptom.is).flatMap((symptom) => refusedHellos(file, symptom));
  const notified = mine.filter(bgpSymptom.is).flatMap((symptom) => notifications(file, symptom));
  const logged = mine.flatMap((symptom) => logLines(file, symptom));
  const details: JsonObject = {
    ...(refused.length === 0 ? {} : { refusedHellos: unique(refused) }),
    ...(notified.length === 0 ? {} : { notifications: unique(notified) }),
    ...(logged.length === 0 ? {} : { logged: unique(logged.map(({ words }) => words)) }),
  };
  if (Object.keys(details).length === 0) return proposal;
  const logs = logged.map(({ source }) => source);
  const evidence = [...proposal.evidence, ...mine.flatMap(({ source }) => source), ...logs];
  return { ...proposal, details: { ...proposal.details, ...details }, evidence: unique(evidence) };
}

/** The end that refuses hellos shows it by its own counter, which must rise within the window. */
function refusedHellos(file: CaseFile, { link }: Symptom): readonly string[] {
  return [link?.from, link?.to].flatMap((end) => {
    const count = end === undefined ? 0 : risen(file, end);
    return count > 0 ? [`${nodeRef(end!.node)} ${end!.ifname} refused ${count} in the window`] : [];
  });
}

function risen(file: CaseFile, { node, ifname }: LinkEnd): number {
  const view = file.world.views.get(node);
  const [first, last] = [view?.before, view?.after].map(
    (state) => state?.isis?.circuits.find((circuit) => circuit.ifname === ifname)?.rejects,
  );
  return first === undefined || last === undefined ? 0 : Number(BigInt(last) - BigInt(first));
}

function notifications(file: CaseFile, { detail }: Symptom<BgpSessionDetail>): readonly string[] {
  const { near, far } =
    sessionsOf(file.world).find(
      (each) => each.near.node === detail.node && each.near.row.peer === detail.peer && !isUp(each.near.row),
    ) ?? {};
  const rows = [near, far?.row === undefined ? undefined : { node: far.node, row: far.row }];
  return rows.flatMap((end) => {
    const words = end?.row.lastError === undefined ? undefined : ERRORS[end.row.lastError.toUpperCase()];
    const way = WAYS[end?.row.lastReset ?? ''];
    return end === undefined || words === undefined || way === undefined
      ? []
      : [`${nodeRef(end.node)} ${way} ${words}`];
  });
}

const LOGGED: Readonly<Record<LogSignKind, string>> = {
  'bgp-open-refused': 'an OPEN that it refused',
  'bgp-max-prefix': 'more prefixes than its limit',
  'bgp-families': 'an OPEN with none of its own address families',
  'ospf-hello-interval': 'hellos with another hello interval',
  'ospf-dead-interval': 'hellos with another dead interval',
  'ospf-network-mask': 'hellos with another mask',
  'ospf-area': 'packets of another area',
  'ospf-authentication': 'packets that did not authenticate',
  'ospf-mtu': 'a neighbour with a larger MTU',
  'isis-area': 'hellos of another area',
  'isis-level': 'hellos of another level',
  'isis-cleared': 'resets by an operator',
  'bgp-cleared': 'resets by an operator',
  'isis-own-id': 'hellos with its own system id',
};

/** Of the protocol in symptom, about this interface or an address of the other end. Signs of OSPF are of ospfd, which speaks OSPFv2 alone. */
function logLines(file: CaseFile, symptom: Symptom): readonly { readonly words: string; readonly source: string }[] {
  if (ospfSymptom.is(symptom) && versionOf(symptom) === 3) return [];
  return symptom.nodes.flatMap((node) => {
    const { signs, source } = file.world.logs.get(node) ?? { signs: [], source: '' };
    const others = symptom.nodes.filter((each) => each !== node);
    // A BGP symptom is that of one session: what is said of another between the same two is beside it.
    const own = symptom.kind !== 'bgp' ? undefined : symptom.id.slice('bgp:'.length).split('+');
    const ports = [symptom.link?.from, symptom.link?.to].flatMap((end) => (end?.node === node ? end.ifname : []));
    return signs
      .filter(
        ({ kind, about }) =>
          kind.startsWith(`${symptom.kind}-`) &&
          (own?.includes(`${node}/${about}`) ??
            (ports.includes(about) || others.includes(ownerOf(file.world, about)?.node ?? ''))),
      )
      .map(({ kind, about, count, lastAgoMs }) => ({
        words: `${nodeRef(node)} logged ${LOGGED[kind]}: ${about}, ${count} in ${kind.endsWith('-cleared') ? 'ten' : 'two'} minutes, the last ${ageWords(lastAgoMs)} before`,
        source,
      }));
  });
}

/** FRR's words for the direction of the last NOTIFICATION. */
const WAYS: Readonly<Record<string, string>> = {
  'BGP Notification send': 'sent',
  'BGP Notification received': 'received',
};

/** RFC 4271 §4.5, RFC 4486 §4, RFC 5492 §5, RFC 9384 §3: code and subcode, two hex digits each. */
const ERRORS: Readonly<Record<string, string>> = {
  '0101': 'Message Header Error, Connection Not Synchronized',
  '0201': 'OPEN Message Error, Unsupported Version Number',
  '0202': 'OPEN Message Error, Bad Peer AS',
  '0203': 'OPEN Message Error, Bad BGP Identifier',
  '0204': 'OPEN Message Error, Unsupported Optional Parameter',
  '0206': 'OPEN Message Error, Unacceptable Hold Time',
  '0207': 'OPEN Message Error, Unsupported Capability',
  '0400': 'Hold Timer Expired',
  '0601': 'Cease, Maximum Number of Prefixes Reached',
  '0602': 'Cease, Administrative Shutdown',
  '0603': 'Cease, Peer De-configured',
  '0604': 'Cease, Administrative Reset',
  '0605': 'Cease, Connection Rejected',
  '0606': 'Cease, Other Configuration Change',
  '060A': 'Cease, BFD Down',
};

function unique<T>(all: readonly T[]): readonly T[] & T[] {
  return [...new Set(all)];
}
