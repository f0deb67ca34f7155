// The capture that goes into the report (TS-18 `evidence`: raw packets): a few probes as they leave the head of a path,
// or what opens a BGP session. Pure.
import { isJsonObject, type JsonObject } from '#base/json.ts';
import type { PlannedCall } from '#model/call.ts';
import type { Intent } from '#model/intent.ts';
import { allLinks, linksBetween } from '#model/links/links.ts';
import type { LinkEnd } from '#model/names.ts';
import type { PlannedPurpose } from '#model/purpose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { callFor } from '../call.ts';
import { defineMeasurement } from '../measurement.ts';

const CAPTURE_PACKETS = 10;
/** Ends well before the probes do, so that a capture never makes an answer slower. */
const CAPTURE_MS = 600;
const CAPTURE_SLACK_MS = 2_000;

/** Long enough for the second try of a session whose connect timer is a second. */
const HANDSHAKE_MS = 1_200;
const BGP_PORT = 179;
const HANDSHAKE_PLACES = 4;

/** Packets are evidence for people; correlation reads the handshakes itself. */
export const handshakes = defineMeasurement({
  kinds: ['handshake-capture'],
  rounds: { first: ({ intent, states }) => planHandshakes(intent, states) },
  read: (body) => (isJsonObject(body) ? body : undefined),
});

/** For a BGP neighbour that is down: what opens the session, as it passes the interfaces between the two (TS-9). */
export function planHandshakes(intent: Intent, states: ReadonlyMap<string, NodeState>): readonly PlannedCall[] {
  if (intent.kind !== 'neighbour-down' || (intent.protocol !== undefined && intent.protocol !== 'bgp')) return [];
  const down = (node: string) => states.get(node)?.bgp?.sessions.some((row) => row.state !== 'Established') === true;
  const places = allLinks([...states].map(([node, state]) => ({ node, state })))
    .filter(({ from, to }) => down(from.node) && down(to.node))
    .flatMap(({ from, to }) => [from, to]);
  return places.slice(0, HANDSHAKE_PLACES).map((end) =>
    captureCall(end, { kind: 'handshake-capture', ifname: end.ifname }, HANDSHAKE_MS, {
      filter: 'handshake',
      port: BGP_PORT,
    }),
  );
}

/** One call on the first node of `states` (path order), or none when its way to the second is not a known link. */
export function planCapture(states: ReadonlyMap<string, NodeState>): readonly PlannedCall[] {
  const [head, next] = [...states].map(([node, state]) => ({ node, state }));
  if (head === undefined || next === undefined) return [];
  const link = linksBetween(head, next, [...states.keys()])[0];
  if (link === undefined) return [];
  return [captureCall(link.from, { kind: 'probe-capture' }, CAPTURE_MS, { filter: 'probe' })];
}

function captureCall(
  { node, ifname }: LinkEnd,
  purpose: PlannedPurpose,
  timeoutMs: number,
  filter: JsonObject,
): PlannedCall {
  const args = { interface: ifname, ...filter, packetCount: CAPTURE_PACKETS, timeoutMs };
  return callFor(node, purpose, args, timeoutMs + CAPTURE_SLACK_MS);
}
