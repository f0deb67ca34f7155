// Purposes for calls of old reports, which hold none: what the decoder read from an id, as the program says it now. An id that no planner wrote
// has a purpose that is not known.
import type { PlannedPurpose, Purpose } from '#model/purpose.ts';
import { decodeOldCallId, type OldPurpose, type OldServiceProbe } from './old-call-ids.ts';

export function purposeOfOldId(id: string): Purpose {
  return purposeNow(decodeOldCallId(id));
}

function purposeNow(old: OldPurpose): Purpose {
  switch (old.form) {
    case 'state':
      return { kind: 'state', when: old.when };
    case 'relayed-state':
      return { kind: 'relay', node: old.node, of: { kind: 'state', when: old.when } };
    case 'counters':
      return { kind: 'counters', reading: old.reading };
    case 'log':
      return { kind: 'logs' };
    case 'path-probe':
    case 'path-flows':
      return { kind: old.form, from: old.from, to: old.to };
    case 'handshake-capture':
      return { kind: old.form, ifname: old.at.ifname };
    case 'link-probe':
      return { kind: old.form, from: old.from, to: old.to, round: old.round };
    case 'link-train':
      return { kind: old.form, from: old.from, to: old.to, train: old.turn };
    case 'srv6-probe':
      return { kind: old.form, from: old.from, to: old.to };
    case 'dscp-probe':
      return { kind: old.form, from: old.from, to: old.to, dscp: old.dscp };
    case 'dscp-probe-out':
      return { kind: 'dscp-probe', from: old.from, to: { node: old.towards }, dscp: old.dscp };
    case 'transit-probe':
      return { kind: old.form, from: old.from, through: old.through, to: old.to };
    case 'non-reporting-transit':
      return { kind: old.form, from: old.from, through: old.through, to: old.to, round: old.round };
    case 'loop':
      return { kind: old.form, visits: old.visits };
    default:
      return atOneNode(old);
  }
}

type AtOneNode = Extract<
  OldPurpose['form'],
  | ('sid-statistics' | 'probe-capture' | 'lookups' | 'path-lookup' | 'reach' | 'link-echoes' | 'link-echoes-again')
  | ('plain-links' | 'asked-reach' | 'reach-again' | 'host-scan' | 'service-probe' | 'dhcp' | 'foreign')
>;

function atOneNode(old: Extract<OldPurpose, { readonly form: AtOneNode }>): Purpose {
  switch (old.form) {
    case 'lookups':
      return { kind: old.form, part: old.part, round: old.round };
    case 'path-lookup':
      return { kind: old.form, destination: old.destination };
    case 'reach':
      return { kind: old.form, round: 'first' };
    case 'reach-again':
      return { kind: 'reach', round: 'confirmation' };
    case 'link-echoes':
      return old.round === 'first'
        ? { kind: old.form, round: 'first' }
        : { kind: old.form, round: old.round, run: old.run };
    case 'link-echoes-again':
      return { kind: 'link-echoes', round: 'confirmation', ifname: old.from.ifname };
    case 'host-scan': {
      const scan = { kind: old.form, aim: old.scan } as const;
      return old.by === undefined ? scan : { kind: 'relay', node: old.node, of: scan };
    }
    case 'service-probe':
      return SERVICE_PROBES[old.about];
    case 'dhcp':
      return { kind: old.form, round: old.round };
    case 'foreign':
      return { kind: 'unknown' };
    default:
      return { kind: old.form };
  }
}

const probe = (
  reason: Extract<PlannedPurpose, { readonly kind: 'service-probe' }>['reason'],
  round: 'first' | 'confirmation' = 'first',
): PlannedPurpose => ({ kind: 'service-probe', reason, round });
const SERVICE_PROBES: Readonly<Record<OldServiceProbe, PlannedPurpose>> = {
  filters: probe('filters'),
  asked: probe('asked'),
  'asked-echo': probe('asked-echo'),
  seen: probe('seen'),
  'misled-names': probe('asked-names'),
  'far-echo': probe('far-echo'),
  'far-echo-again': probe('far-echo', 'confirmation'),
  'name-times': probe('name-times', 'confirmation'),
  'offered-names': probe('offered-names', 'confirmation'),
};
