// Hidden cables: every link runs through a network namespace of its own with a bridge in it, where no router can look. Faults of the
// wire are injected there. The bridge is as dumb as a wire: no IPv6, no STP, no snooping, no filters, LLDP passes, no offloads.

import type { CableRecord, LabRecord } from './registry.ts';
import { bash, quoted } from './shell.ts';

/** Cable ports carry more than any router sends, so that a wire never decides about MTU. */
const CABLE_MTU = 9_216;
/** Bit 14: the bridge passes 01-80-c2-00-00-0e, where LLDP lives. */
const PASS_LLDP = '0x4000';
const OFFLOADS = 'tx off rx off sg off tso off gso off gro off';

/** Makes all links of a lab; the namespaces exist already. */
export async function createCables(lab: LabRecord): Promise<void> {
  const namespaceOf = (node: string) => lab.nodes.find((entry) => entry.name === node)!.namespace;
  const lines = lab.cables.flatMap((cable) => [
    '(',
    `ip netns exec ${cable.namespace} bash -ec ${quoted(quietScript())}`,
    ...[[cable.portA, cable.a] as const, [cable.portB, cable.b] as const].map(
      ([port, end]) =>
        `ip link add ${port} netns ${cable.namespace} mtu ${CABLE_MTU} type veth peer name ${end.ifname} netns ${namespaceOf(end.node)} mtu ${cable.mtu}`,
    ),
    `ip netns exec ${cable.namespace} bash -ec ${quoted(portScript([cable.portA, cable.portB]))}`,
    ') &',
  ]);
  await bash([...lines, 'for job in $(jobs -p); do wait $job; done'].join('\n'));
}

/** Takes everything out of a cable that an injection put in, and puts ports back in place. */
export async function restoreCable(cable: CableRecord): Promise<void> {
  const ports = [cable.portA, cable.portB];
  const script = [
    'nft flush ruleset',
    ...ports.flatMap((port) => [
      `tc qdisc del dev ${port} root 2> /dev/null || true`,
      `tc qdisc del dev ${port} clsact 2> /dev/null || true`,
      `ip link set ${port} mtu ${CABLE_MTU} nomaster`,
    ]),
    portScript(ports),
  ].join('\n');
  await bash(`ip netns exec ${cable.namespace} bash -ec ${quoted(script)}`);
}

/** What is wrong with a cable's hygiene; empty when it is as dumb as a wire. */
export async function cableProblems(cable: CableRecord): Promise<string[]> {
  const said = await bash(
    `ip netns exec ${cable.namespace} bash -c ${quoted(hygieneScript([cable.portA, cable.portB]))}`,
  );
  return said.split('\n').filter(Boolean);
}

function quietScript(): string {
  return [
    'echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6',
    'echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6',
    'for call in /proc/sys/net/bridge/bridge-nf-call-*; do [ ! -e $call ] || echo 0 > $call; done',
    `ip link add br0 type bridge stp_state 0 mcast_snooping 0 forward_delay 0 group_fwd_mask ${PASS_LLDP}`,
    'ip link set br0 up',
  ].join('; ');
}

function portScript(ports: readonly string[]): string {
  return ports
    .map((port) => `ethtool -K ${port} ${OFFLOADS} > /dev/null; ip link set ${port} master br0 up`)
    .join('; ');
}

function hygieneScript(ports: readonly string[]): string {
  return [
    '[ "$(cat /proc/sys/net/ipv6/conf/all/disable_ipv6)" = 1 ] || echo "IPv6 is on"',
    'for call in /proc/sys/net/bridge/bridge-nf-call-*; do [ ! -e $call ] || [ "$(cat $call)" = 0 ] || echo "$call is on"; done',
    '[ "$(cat /sys/class/net/br0/bridge/stp_state)" = 0 ] || echo "STP is on"',
    '[ "$(cat /sys/class/net/br0/bridge/multicast_snooping)" = 0 ] || echo "multicast snooping is on"',
    '[ "$(cat /sys/class/net/br0/bridge/group_fwd_mask)" = 0x4000 ] || echo "LLDP does not pass"',
    ...ports.map((port) => offloadCheck(port)),
    ...ports.map((port) => `[ -e /sys/class/net/br0/brif/${port} ] || echo "${port} is not in the bridge"`),
    '[ -z "$(nft list ruleset)" ] || echo "there are filters"',
    'tc qdisc show | grep -v noqueue || true',
  ].join('\n');
}

/** Prints a line for each offload of `port` that is on. */
export function offloadCheck(port: string): string {
  const pattern =
    '^(rx-checksumming|tx-checksumming|scatter-gather|tcp-segmentation-offload|generic-segmentation-offload|generic-receive-offload): on';
  return `ethtool -k ${port} | grep -E "${pattern}" | sed "s/^/${port} /" || true`;
}
