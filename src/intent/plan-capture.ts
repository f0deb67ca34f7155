// The capture that goes into the report (TS-18 `evidence`: raw packets): a few probes as they leave the head of a path. Pure.
import type { PlannedCall } from '#model/call.ts';
import { linksBetween } from '#model/links.ts';
import type { NodeState } from '#model/router-port.ts';

const CAPTURE_PACKETS = 10;
/** Ends well before the probes do, so that a capture never makes an answer slower. */
const CAPTURE_MS = 600;
const CAPTURE_SLACK_MS = 2_000;

/** One call on the first node of `states` (path order), or none when its way to the second is not a known link. */
export function planCapture(states: ReadonlyMap<string, NodeState>): readonly PlannedCall[] {
  const [head, next] = [...states].map(([node, state]) => ({ node, state }));
  if (head === undefined || next === undefined) return [];
  const link = linksBetween(head, next, [...states.keys()])[0];
  if (link === undefined) return [];
  const ifname = link.from.ifname;
  return [
    {
      id: `probe/${head.node}/capture`,
      node: head.node,
      kind: 'tool',
      name: 'parley-capture',
      arguments: { interface: ifname, filter: 'probe', packetCount: CAPTURE_PACKETS, timeoutMs: CAPTURE_MS },
      capability: 'parley-capture',
      evidence: 'capture',
      phase: 'probe',
      timeoutMs: CAPTURE_MS + CAPTURE_SLACK_MS,
    },
  ];
}
