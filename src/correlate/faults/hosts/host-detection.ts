// What the faults of hosts without an agent share: the detail by which a host is called, its words, and who mends it.
import type { JsonObject } from '#base/json.ts';
import type { Remedy } from '#model/finding.ts';
import type { ResourceId } from '#model/names.ts';
import type { Host } from '#model/router/hosts.ts';
import { answeredTries } from '../../contrary-evidence.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { Detection } from '../../engine/fault-definition.ts';
import { answeredBy, asksOf, type HostsOnPort } from '../../network/host-ports.ts';
import { called } from '../../network/hosts.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { HostDetail } from '../../symptoms/host-settings.ts';

/** The host, or its port, is named; what `detail` says of it stands beside. */
export function hostDetection<More extends JsonObject>(
  { world, view, ifname, seen }: Omit<HostsOnPort, 'networks' | 'hosts'>,
  { address, mac }: Host,
  form: 'host' | 'port',
  more: More,
): Detection<HostDetail & More> {
  const { node, sources } = view;
  const { node: host, port } = called(world, view, ifname, address);
  return {
    resource: (form === 'host' ? host : port) as ResourceId,
    key: `${node}/${ifname}/${address}`,
    confidence: 'certain',
    evidence: [...seen.map(({ evidence }) => evidence), ...sources],
    nodes: [node],
    detail: { host, port, router: node, ifname, address, mac, ...more },
  };
}

/** `host h1 on {r1} eth3`. */
export function hostLabel({ host, router, ifname }: Pick<HostDetail, 'host' | 'router' | 'ifname'>): string {
  return `host ${host.slice('node/'.length)} on ${nodeRef(router)} ${ifname}`;
}

export function hostRemedy(what: string, { router }: Pick<HostDetail, 'router'>, text: string): Remedy {
  return { node: router, summary: `${what}: ${text}` };
}

/** Echoes from elsewhere that the host answered. */
export function echoedElsewhere({ address }: HostDetail, file: CaseFile): readonly string[] {
  return answeredTries(file, address, undefined);
}

/** No host answers for its address any more. */
export function isSilent(port: HostsOnPort, { address }: Host): boolean {
  return answeredBy(port, address).length === 0;
}

/** Another address that the host has now: it answered for it in a scan after the all-nodes ping, or asked in its name. */
export function otherAddress(port: HostsOnPort, { mac, address }: Host): string | undefined {
  const known = new Set(port.hosts.map((each) => each.address));
  const now = port.seen
    .flatMap(({ answers }) => answers)
    .find((answer) => answer.macs.includes(mac) && !known.has(answer.address))?.address;
  return now ?? asksOf(port, mac).find(({ sender }) => sender !== address && sender !== '0.0.0.0')?.sender;
}
