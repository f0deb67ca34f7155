// Settings of a node's forwarding: sysctls that switch it on and off, by node and by interface, and the rules that choose a routing table. Pure.
import type { EcmpHash, ForwardingState, PolicyRule } from '../router/forwarding.ts';
import type { SettingRow } from './setting-row.ts';

/** `needs`: the conditions under which sysctls, an interface, and policy rules can be read. */
export function forwardingRows(
  { ipv4, ipv6, interfaces, policyRules = [], ecmpHash, tcpTracking }: ForwardingState,
  needs: {
    readonly forwarding: string;
    readonly policyRules: string;
    readonly ecmpHash: string;
    readonly tcpTracking: string;
    readonly interface: (ifname: string) => string;
  },
): readonly SettingRow[] {
  const row = (subject: string, setting: string, value: string, more: readonly string[] = []): SettingRow => ({
    ...({ kind: 'forwarding', subject, setting } as const),
    value,
    needs: [needs.forwarding, ...more],
  });
  return [
    row('node', 'ipv4', onOff(ipv4)),
    row('node', 'ipv6', onOff(ipv6)),
    ...interfaces.flatMap(({ ifname, ipv4: takes, reversePath, arpOff = false, ipv6Off = false, srv6Hmac = false }) => [
      // The setting of the node writes those of all interfaces: that is one change.
      row(ifname, 'ipv4', takes === ipv4 ? 'as the node' : onOff(takes), [needs.interface(ifname)]),
      row(ifname, 'reverse-path', reversePath, [needs.interface(ifname)]),
      row(ifname, 'arp', onOff(!arpOff), [needs.interface(ifname)]),
      row(ifname, 'ipv6', onOff(!ipv6Off), [needs.interface(ifname)]),
      row(ifname, 'srv6-hmac', srv6Hmac ? 'required' : 'not required', [needs.interface(ifname)]),
    ]),
    ...(ecmpHash === undefined
      ? []
      : (['ipv4', 'ipv6'] as const).map((family) =>
          row('node', ecmpSetting(family), ecmpHashWords(ecmpHash[family]), [needs.ecmpHash]),
        )),
    ...(tcpTracking === undefined
      ? []
      : [
          row('node', TCP_IDLE, `${tcpTracking.idleSeconds} s`, [needs.tcpTracking]),
          row('node', 'tcp-midway', tcpTracking.picksUp ? 'taken up' : 'refused', [needs.tcpTracking]),
        ]),
    ...policyRows(policyRules, needs.policyRules),
  ];
}

/** After how long without a packet a tracked TCP connection is forgotten. */
export const TCP_IDLE = 'tcp-idle';

export function ecmpSetting(family: 'ipv4' | 'ipv6'): string {
  return `ecmp-hash-${family}`;
}

/** What of a packet chooses among equal next hops: by name, or the fields of the kernel's own list. */
export function ecmpHashWords({ policy, fields }: EcmpHash): string {
  return fields === undefined
    ? (HASHED[policy] ?? `policy ${policy}`)
    : `fields 0x${fields.toString(16).padStart(4, '0')}`;
}

const HASHED = ['addresses', 'addresses and ports', 'inner addresses'] as const;

function onOff(isOn: boolean): string {
  return isOn ? 'on' : 'off';
}

/** One row a priority, however many rules have it. */
function policyRows(rules: readonly PolicyRule[], need: string): readonly SettingRow[] {
  const priorities = Map.groupBy(rules, ({ family, priority }) => `${family} ${priority}`);
  return [...priorities].map(([subject, same]) => ({
    kind: 'policy-rule',
    subject,
    value: same.map(policyRuleWords).sort().join(', '),
    needs: [need],
  }));
}

/** The rule in the value of its setting. */
export function policyRuleWords({ action, table, from, to, iif, negated, rest }: PolicyRule): string {
  const demands = Object.entries({ from, to, iif }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  );
  return [
    ...(negated === true ? ['not'] : []),
    ...demands,
    ...(rest === true ? ['and more'] : []),
    action === 'table' ? `table ${table ?? ''}` : action,
  ].join(' ');
}
