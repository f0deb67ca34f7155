// The one place where planned calls are made: which tool a purpose needs, in which phase it is called, and under which capability (TS-14a).
// The id is made from the purpose, for people to read; nothing reads it back. Pure.
import type { JsonObject } from '#base/json.ts';
import type { EvidenceKind, Phase, PlannedCall } from '#model/call.ts';
import { type PlannedPurpose, purposeWords, type Round } from '#model/purpose.ts';

export const NODE_STATE_TOOL = 'parley-node-state';
const PROBE_TOOL = 'ietf-srv6-ping';
export const RELAY_TOOL = 'parley-relay';
const REACH_TOOL = 'parley-reach';
export const HOST_SCAN_TOOL = 'parley-host-scan';
const SERVICE_PROBE_TOOL = 'parley-service-probe';
/** Capability of counters, states and the draft's statistics; every other tool is allowed by its own name, for it makes a node send or ask more. */
const COUNTERS_CAPABILITY = 'ietf-interface-counters';
/** TS-15's resource, with its space: the interface that holds the SID. */
export const SID_STATISTICS_URI =
  'urn:ietf:params:xml:ns:yang:ietf-interfaces/interfaces/interface=SID Endpoint/statistics';

type Source = Pick<PlannedCall, 'kind' | 'name' | 'capability'>;

const tool = (name: string, capability = name): Source => ({ kind: 'tool', name, capability });
const SOURCES: Readonly<Record<EvidenceKind, Source>> = {
  state: tool(NODE_STATE_TOOL, COUNTERS_CAPABILITY),
  probe: tool(PROBE_TOOL),
  'sid-statistics': { kind: 'resource', name: SID_STATISTICS_URI, capability: COUNTERS_CAPABILITY },
  capture: tool('parley-capture'),
  lookups: tool('parley-lookups'),
  reach: tool(REACH_TOOL),
  relayed: tool(RELAY_TOOL),
  'host-scan': tool(HOST_SCAN_TOOL),
  'service-probe': tool(SERVICE_PROBE_TOOL),
  dhcp: tool('parley-dhcp'),
  remembered: tool('parley-history', COUNTERS_CAPABILITY),
};

const EVIDENCE: Readonly<Record<PlannedPurpose['kind'], EvidenceKind>> = {
  state: 'state',
  counters: 'state',
  logs: 'state',
  'path-state': 'state',
  relay: 'relayed',
  'path-probe': 'probe',
  'path-flows': 'probe',
  'path-full': 'probe',
  'path-full-again': 'probe',
  'hop-full': 'probe',
  'length-probe': 'probe',
  'path-lengths': 'probe',
  'link-probe': 'probe',
  'link-train': 'probe',
  'srv6-probe': 'probe',
  'dscp-probe': 'probe',
  'transit-probe': 'probe',
  'bisecting-transit': 'probe',
  'non-reporting-transit': 'probe',
  loop: 'probe',
  'sid-statistics': 'sid-statistics',
  'probe-capture': 'capture',
  'handshake-capture': 'capture',
  lookups: 'lookups',
  'path-lookup': 'lookups',
  reach: 'reach',
  'network-reach': 'reach',
  'link-echoes': 'reach',
  'link-classes': 'reach',
  'silent-echoes': 'reach',
  'plain-links': 'reach',
  'asked-reach': 'reach',
  'host-echo': 'reach',
  'host-try': 'reach',
  'host-scan': 'host-scan',
  'service-probe': 'service-probe',
  dhcp: 'dhcp',
  remembered: 'remembered',
};

/** `timeoutMs` is what the node may take for it. */
export function callFor(node: string, purpose: PlannedPurpose, args: JsonObject, timeoutMs: number): PlannedCall {
  const [phase, evidence] = [phaseOf(purpose), EVIDENCE[purpose.kind]];
  // All probes of one link stand together, whatever their round.
  const first = purpose.kind === 'link-probe' || purpose.kind === 'link-train' ? 'probe' : phase;
  const id = [first, ...purposeWords(node, purpose)].join('/');
  return { id, purpose, node, ...SOURCES[evidence], arguments: args, evidence, phase, timeoutMs };
}

function phaseOf(purpose: PlannedPurpose): Phase {
  switch (purpose.kind) {
    case 'state':
      return purpose.when;
    case 'relay':
      return phaseOf(purpose.of);
    case 'path-lookup':
    case 'remembered':
      return 'before';
    case 'counters':
    case 'logs':
    case 'loop':
      return 'deepen';
    default:
      return roundOf(purpose) === 'first' ? 'probe' : 'deepen';
  }
}

type Early = 'state' | 'relay' | 'path-lookup' | 'remembered' | 'counters' | 'logs' | 'loop';

function roundOf(purpose: Exclude<PlannedPurpose, { readonly kind: Early }>): Round {
  if ('round' in purpose) return purpose.round;
  if (purpose.kind === 'hop-full' || purpose.kind === 'path-full-again') return 'confirmation';
  if (purpose.kind === 'link-train') return purpose.train === 1 ? 'first' : 'confirmation';
  if (purpose.kind === 'host-scan') return purpose.aim === 'known' ? 'first' : 'confirmation';
  return 'first';
}
