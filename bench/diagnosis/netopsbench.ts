// The score of one case as NetOpsBench defines it: one place and one type per case; half a point for the device, half for the interface
// where the truth has one. Pure.

import type { Location, Truth } from '../../simulations/lab/faults/fault.ts';
import { LABELS } from '../../simulations/lab/faults/labels.ts';

export type PredictedFinding = {
  readonly resource: string;
  readonly fault: string;
  /** Of the finding: a link's sending end is `from` and `fromInterface`, or the first node of `direction`. */
  readonly details?: Readonly<Record<string, unknown>>;
};

export type NetOpsScore = {
  readonly verdict: boolean;
  readonly device: boolean;
  /** Null where the truth has no interface. */
  readonly interface: boolean | null;
  readonly type: boolean;
  readonly score: number;
};

/** Nothing where NetOpsBench has no such case: several faults, or a type that it does not know. */
export function netOpsTypeOf(truth: Truth): string | undefined {
  const faults = new Set(truth.pairs.map((pair) => pair.fault));
  const [fault = ''] = faults;
  return faults.size === 1 && truth.locations.length > 0 ? (LABELS[fault]?.netOpsBench ?? undefined) : undefined;
}

export function scoreNetOps(
  verdict: string,
  findings: readonly PredictedFinding[],
  truth: Truth,
): NetOpsScore | undefined {
  if (truth.pairs.length === 0) {
    const right = verdict === 'healthy';
    return { verdict: right, device: right, interface: null, type: right, score: right ? 1 : 0 };
  }
  const expected = netOpsTypeOf(truth);
  if (expected === undefined) return undefined;
  const first = findings[0];
  const said = first && placeOf(first);
  const matches = truth.locations
    .map((location) => matchOf(said, location))
    .sort((one, other) => rank(other) - rank(one));
  const best = matches[0] ?? { device: false, interface: false };
  const hasInterface = truth.locations[0]?.interface !== undefined;
  const right = verdict === 'fault';
  const score = hasInterface ? (best.device ? 0.5 : 0) + (best.interface ? 0.5 : 0) : best.device ? 1 : 0;
  return {
    verdict: right,
    device: right && best.device,
    interface: hasInterface ? right && best.interface : null,
    type: first !== undefined && (LABELS[first.fault]?.netOpsBench ?? first.fault) === expected,
    score: right ? score : 0,
  };
}

/** A finding as one device and interface; of a link, its sending end where the finding says so, else its first. */
export function placeOf(finding: PredictedFinding): Location {
  const rest = finding.resource.slice(finding.resource.indexOf('/') + 1);
  if (finding.resource.startsWith('node/')) return { device: rest };
  if (finding.resource.startsWith('interface/')) {
    const [device = '', port = ''] = rest.split('/');
    return { device, interface: port };
  }
  const ends = rest.split('--').map((end) => {
    const [device = '', port = ''] = end.split(':');
    return { device, interface: port };
  });
  const { direction, from, fromInterface } = finding.details ?? {};
  const sends = plain(String(from ?? direction ?? '').split('→')[0]!);
  const senders = ends.filter((end) => plain(end.device) === sends);
  return senders.find((end) => end.interface === fromInterface) ?? senders[0] ?? ends[0] ?? { device: rest };
}

type Match = { readonly device: boolean; readonly interface: boolean };

function matchOf(said: Location | undefined, location: Location): Match {
  const device = said !== undefined && plain(said.device) === plain(location.device);
  const port =
    said?.interface !== undefined && location.interface !== undefined && said.interface === location.interface;
  return { device, interface: port };
}

const rank = (match: Match): number => (match.device ? 2 : 0) + (match.interface ? 1 : 0);
const plain = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[-_⟨⟩<>]/g, '');
