// What our own tries of hosts and their services found, as the evidence tells it: each with the node that tried, and the address that the call named
// for it to send from. Judges nothing.
import { isJsonObject } from '#base/json.ts';
import { decodeReach, decodeServiceProbes } from '#measure/decode/decode-measurements.ts';
import { texts } from '#measure/decode/readers.ts';
import type { Evidence } from '#model/evidence.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';

export type ServiceProbeSeen = ServiceProbeResult & {
  readonly from: string;
  /** Evidence id. */
  readonly source: string;
  /** The node's own address that it was sent from, where the call named one; else the first loopback's. */
  readonly sender?: string;
  /** A real answer was wanted. */
  readonly whole?: true;
  /** To a port that nothing need listen on: the kernel of the host refuses it, or a program there takes it. */
  readonly byKernel?: true;
  /** The node's default route alone led there. */
  readonly byDefault?: true;
  /** Tried to prove that a host is reached: that a rule which always stood takes it shows no harm. */
  readonly forProof?: true;
};

/** To this port the probes go that any kernel answers (router/helper/probe/kernel-answers.ts). */
export const KERNEL_PORT = 9_514;

export function serviceTriesOf(entry: Evidence): readonly ServiceProbeSeen[] {
  const by = { from: entry.node, source: entry.id };
  if (entry.kind === 'service-probe') {
    const byDefault = isJsonObject(entry.body) ? texts(entry.body['byDefault']) : [];
    return decodeServiceProbes(entry.body).map((result) => ({
      ...{ ...result, ...askedAs(entry), ...by },
      ...(byDefault.includes(result.destination) ? { byDefault: true as const } : {}),
    }));
  }
  if (entry.purpose.kind !== 'host-echo' && entry.purpose.kind !== 'host-try') return [];
  // An agent that does not know echoes has sent something that no host answers.
  return decodeReach(entry.body).flatMap(({ destination, sent, received, traffic }): readonly ServiceProbeSeen[] => {
    const sender = reachSender(entry, destination);
    const answered = received > 0;
    const tried = {
      ...by,
      destination,
      sent,
      answered,
      forProof: true as const,
      ...(sender === undefined ? {} : { sender }),
    };
    if (traffic === 'icmp') return [{ ...tried, service: 'echo', open: answered }];
    return traffic === 'tcp' ? [{ ...tried, service: 'tcp', port: KERNEL_PORT, byKernel: true, open: false }] : [];
  });
}

/** The node's own address that our request named for probes to this one; undefined where the node chose. */
export function reachSender({ request }: Evidence, destination: string): string | undefined {
  const args = request.params['arguments'];
  const named = isJsonObject(args) ? texts(args['sources']) : [];
  return named.find((address) => address.includes(':') === destination.includes(':'));
}

/** How our own request wanted services tried. */
function askedAs(entry: Evidence): Pick<ServiceProbeSeen, 'sender' | 'whole'> {
  const args = entry.request.params['arguments'];
  const { source: sender, whole } = isJsonObject(args) ? args : {};
  return { ...(typeof sender === 'string' ? { sender } : {}), ...(whole === true ? { whole } : {}) };
}
