// Calls that were planned and brought no evidence, or less than was asked for: refused, timed out, unreachable, or answered for
// some of the addresses alone. Silence is data: a call without an answer is named, never taken for well.
import { isJsonObject, type JsonValue } from '#base/json.ts';
import { decodeProbeResult } from '#measure/decode/decode.ts';
import { decodeHostScan, decodeLookups, decodeReach } from '#measure/decode/decode-measurements.ts';
import { texts } from '#measure/decode/readers.ts';
import type { Outcome } from '#model/call.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Evidence } from '#model/evidence.ts';
import { asTold } from '#model/links/relayed.ts';
import { type Purpose, purposeText } from '#model/purpose.ts';
import { nodeRef } from '../network/node-ref.ts';

const INVALID_ARGUMENTS = new RegExp(`^${WIRE_CODES.invalidParams}\\b`);

/** Logs only support what is found. States and the small probes of links are reported with the nodes and the links (observe/observe.ts). */
function isToldElsewhere(purpose: Purpose): boolean {
  if (purpose.kind === 'relay') return purpose.of.kind === 'state';
  if (purpose.kind === 'link-probe') return purpose.round === 'first';
  return purpose.kind === 'state' || purpose.kind === 'logs';
}

export function unansweredCalls(evidence: readonly Evidence[], outcomes: readonly Outcome[]): readonly string[] {
  const earlier = withoutIpv6(outcomes);
  const owed = outcomes.filter((outcome) => !earlier.includes(outcome));
  return [...withoutEvidence(evidence, owed), ...evidence.map(asTold).flatMap(incomplete)];
}

/** Where agents of an earlier version try no service over IPv6: what was not tested, and no hole in the proof. */
export function untestedOverIpv6(outcomes: readonly Outcome[]): readonly string[] {
  const nodes = [...new Set(withoutIpv6(outcomes).map(({ node }) => nodeRef(node)))];
  return nodes.length === 0
    ? []
    : [`services of hosts: not tested over IPv6 from ${nodes.join(', ')}, whose agent takes no such call`];
}

/** An agent that tries services over IPv4 alone refuses a call with IPv6 in it as a whole. One that answered such a call has another reason. */
export function withoutIpv6(outcomes: readonly Outcome[]): readonly Outcome[] {
  const over6 = outcomes.filter(({ purpose }) => purpose.kind === 'service-probe' && purpose.family === 6);
  const able = new Set(over6.filter(({ status }) => status === 'answered').map(({ node }) => node));
  return over6.filter(
    ({ node, status, reason = '' }) => status === 'refused' && INVALID_ARGUMENTS.test(reason) && !able.has(node),
  );
}

/** One line for each node and reason. */
function withoutEvidence(evidence: readonly Evidence[], outcomes: readonly Outcome[]): readonly string[] {
  const there = new Set(evidence.map(({ id }) => id));
  const lines = new Map<string, Set<string>>();
  for (const { callId, purpose, node, name, status, reason, untrusted } of outcomes) {
    if (isToldElsewhere(purpose) || (status === 'answered' && there.has(callId))) continue;
    const said = status === 'answered' ? 'the answer could not be used' : status;
    const why = untrusted ?? (reason === undefined ? said : `${said}: ${reason}`);
    const key = `${node}\n${why}`;
    lines.set(key, (lines.get(key) ?? new Set()).add(name || callId));
  }
  return [...lines].map(([key, names]) => {
    const [node = '', why = ''] = key.split('\n');
    return `${nodeRef(node)}: no answer to ${[...names].join(', ')} (${why})`;
  });
}

/** An answer that leaves out what was asked for is none for that. */
function incomplete({ kind, purpose, node, request, body }: Evidence): readonly string[] {
  const args = request.params['arguments'];
  if (!isJsonObject(args)) return [];
  if (kind === 'probe') return unproved(node, purpose, body);
  const [asked, told] = askedAndTold(kind, args, body);
  const rest = asked.filter((each) => !told.includes(each));
  return rest.length === 0
    ? []
    : [
        `${nodeRef(node)}: no answer about ${rest.length} of the ${asked.length} asked for (${kind}), ${rest[0]} among them`,
      ];
}

function unproved(node: string, purpose: Purpose, body: JsonValue | undefined): readonly string[] {
  const result = decodeProbeResult(body);
  const which = purposeText(node, purpose);
  if (result === undefined || result.sent === 0) return [`${nodeRef(node)}: no probe was sent for ${which}`];
  const untimed = result.received > 0 && result.rttMs === null;
  return untimed ? [`${nodeRef(node)}: the round trips of ${which} were not told`] : [];
}

function askedAndTold(
  kind: Evidence['kind'],
  args: { readonly [name: string]: JsonValue },
  body: JsonValue | undefined,
): readonly [readonly string[], readonly string[]] {
  const destinations = texts(args['destinations']);
  if (kind === 'lookups') return [destinations, decodeLookups(body).map(({ destination }) => destination)];
  if (kind === 'reach') return [destinations, decodeReach(body).map(({ destination }) => destination)];
  if (kind !== 'host-scan' || !Array.isArray(args['ports'])) return [[], []];
  const ports = args['ports'].flatMap((port) => (isJsonObject(port) ? String(port['ifname']) : []));
  return [ports, decodeHostScan(body).map(({ ifname }) => ifname)];
}
