// The settings of a node, read out of its state: one row a setting, with the conditions under which its absence says anything. A row of a
// routing protocol is not gone while its daemon is down or still reads its configuration. Pure; values lose their secrets.
import { isLinkLocal, parsePrefix } from '#base/ip.ts';
import { LIMITS } from '#base/limits.ts';
import { MODEL_LIMITS } from '../limits.ts';
import { redactText } from '../redaction.ts';
import { type Daemon, OSPF_DAEMONS, OSPF_VERSIONS, ospfRows } from '../router/control-plane.ts';
import type { InterfaceState, NodeState } from '../router/router-port.ts';
import { defaultRows, spokenProtocols, toldDefaults } from './default-routes.ts';
import { actingFilters, filterRows } from './filter-settings.ts';
import { forwardingRows } from './forwarding-settings.ts';
import { resourceRows } from './resource-rows.ts';
import type { SettingRow } from './setting-row.ts';

export type NodeSettings = {
  readonly rows: readonly SettingRow[];
  /** Conditions that were met. */
  readonly met: readonly string[];
  /** Daemon → for how long it had been running. */
  readonly daemonUpMs: Readonly<Record<string, number>>;
};

/** So long after its start a daemon may still be reading its configuration. */
export const DAEMON_SETTLE_MS = 15_000;
/** So long after its start a daemon's adjacencies, and after its start a session's prefixes, may not be complete. */
const FORM_MS = 60_000;
const EXCHANGE_MS = 10_000;

export function settingsOf(state: NodeState): NodeSettings {
  const met = conditionsOf(state);
  const rows = [
    ...interfaceRows(state),
    ...metricRows(state),
    ...sessionRows(state),
    ...policyRows(state),
    ...announcedRows(state),
    ...forwardingOf(state),
    ...routeRows(state),
    ...defaultRows(state, { told: isTold, settled: isSettled, spoken: isSpoken }),
    ...filterRows(state, {
      acting: [isRead('filters')],
      writing: [isRead('filters'), isRead('translations')],
      clamping: [isRead('filters'), isRead('segment-sizes')],
      passing: [isRead('filters'), isRead('passing-rules')],
      leaving: [isRead('filters'), isRead('passing-rules'), isRead('leaving-rules')],
    }),
    ...daemonRows(state),
    ...resourceRows(state, { resources: isRead('resources'), daemons: isRead('kills') }),
    ...neighbourRows(state),
  ];
  const daemons = (state.daemons ?? []).flatMap(({ name, upMs }) =>
    upMs === undefined ? [] : [[name, upMs] as const],
  );
  return { rows: rows.map(bounded), met: [...met], daemonUpMs: Object.fromEntries(daemons) };
}

/** The interface, shut or not, whose MTU and addresses are settings only while it exists. */
const exists = (ifname: string) => `interface ${ifname}`;
const isUnshut = (ifname: string) => `unshut ${ifname}`;
const isUp = (ifname: string) => `up ${ifname}`;
const isRead = (part: string) => `read ${part}`;
const isSettled = (daemon: string) => `settled ${daemon}`;
const isFormed = (daemon: string) => `formed ${daemon}`;
const isPeer = (peer: string) => `peer ${peer}`;
const isSpoken = (protocol: string) => `spoken ${protocol}`;
const isTold = (prefix: string) => `told ${prefix}`;
const isKnown = (what: string) => `version ${what}`;
const hasExchanged = (peer: string, family: string) => `exchanged ${family} ${peer}`;

export const DAEMONS_READ = isRead('daemons');
const PARTS = [
  'filters',
  'adjacencies',
  'kernel-tables',
  'daemons',
  'isis-configuration',
  'bgp',
  'ospf',
  'ospf6',
] as const;
/** How parts of the state and settings name the versions of OSPF. */
const OSPF_PARTS = { 2: 'ospf', 3: 'ospf6' } as const;

function conditionsOf(state: NodeState): ReadonlySet<string> {
  const met = new Set<string>();
  const missing = new Set(state.missing.map(({ part }) => part));
  for (const part of PARTS) if (!missing.has(part)) met.add(isRead(part));
  // Of a list that was cut, what is not in it may be there all the same.
  if (state.cut?.some(({ part }) => part === 'static-routes') === true) met.delete(isRead('kernel-tables'));
  if (actingFilters(state).length > LIMITS.filterRules) met.delete(isRead('filters'));
  if (met.has(isRead('filters')) && state.filters.length <= LIMITS.filterRules)
    for (const part of ['passing-rules', 'leaving-rules']) met.add(isRead(part));
  if (met.has(isRead('filters'))) for (const part of ['translations', 'segment-sizes']) met.add(isRead(part));
  if (state.forwarding !== undefined) met.add(isRead('forwarding'));
  if (state.inventory.mastersTold === true) met.add(isRead('masters'));
  if (state.resources !== undefined) met.add(isRead('resources'));
  if (state.daemons?.some(({ killed }) => killed !== undefined) === true) met.add(isRead('kills'));
  if (state.forwarding?.ecmpHash !== undefined) met.add(isRead('ecmp-hash'));
  if (state.forwarding?.tcpTracking !== undefined) met.add(isRead('tcp-tracking'));
  for (const prefix of toldDefaults(state)) met.add(isTold(prefix));
  for (const protocol of spokenProtocols(state)) met.add(isSpoken(protocol));
  if (state.bgp?.policies !== undefined) met.add(isRead('policies'));
  if (state.forwarding?.policyRules !== undefined) met.add(isRead('policy-rules'));
  // A node without LLDP, or with its daemon down, hears nothing: one that hears anything can tell who is gone.
  if (!missing.has('neighbours') && state.neighbours.length > 0) met.add(isRead('neighbours'));
  for (const [what] of versionsOf(state.inventory.system)) met.add(isKnown(what));
  for (const entry of interfacesOf(state)) {
    met.add(exists(entry.name));
    if (entry.adminUp) met.add(isUnshut(entry.name));
    if (entry.operUp) met.add(isUp(entry.name));
  }
  for (const { name, alive, version, upMs = FORM_MS } of state.daemons ?? []) {
    if (version !== undefined) met.add(isKnown(name));
    if (alive && upMs >= DAEMON_SETTLE_MS) met.add(isSettled(name));
    if (alive && upMs >= FORM_MS) met.add(isFormed(name));
  }
  for (const { peer, state: is, upMs = EXCHANGE_MS, families = ['ipv4', 'ipv6'] } of state.bgp?.sessions ?? []) {
    met.add(isPeer(peer));
    if (is !== 'Established' || upMs < EXCHANGE_MS) continue;
    for (const family of families) met.add(hasExchanged(peer, family));
  }
  return met;
}

function interfacesOf({ inventory }: NodeState): readonly InterfaceState[] {
  return inventory.interfaces.slice(0, LIMITS.nodeInterfaces);
}

function interfaceRows(state: NodeState): readonly SettingRow[] {
  return interfacesOf(state).flatMap(({ name: subject, mtu, adminUp, addresses, master }) => {
    const own = addresses.filter((address) => !isLocal(address)).sort();
    const needs = [exists(subject)];
    return [
      { kind: 'admin', subject, value: adminUp ? 'up' : 'shut', needs: [] },
      { kind: 'mtu', subject, value: `${mtu}`, needs },
      ...(master === undefined
        ? []
        : [{ kind: 'master' as const, subject, value: master.name, needs: [...needs, isRead('masters')] }]),
      // The kernel takes IPv6 addresses away from an interface that is shut.
      ...(own.length === 0
        ? []
        : [{ kind: 'address' as const, subject, value: own.join(' '), needs: [...needs, isUnshut(subject)] }]),
    ];
  });
}

function isLocal(address: string): boolean {
  const prefix = parsePrefix(address);
  return prefix !== undefined && isLinkLocal(prefix);
}

function metricRows(state: NodeState): readonly SettingRow[] {
  const isisRows = (state.isis?.circuits ?? []).map(({ ifname: subject, metric }) => ({
    ...({ kind: 'metric', subject, setting: 'isis' } as const),
    value: `${metric ?? 'default'}`,
    needs: [DAEMONS_READ, isRead('isis-configuration'), isSettled('isisd')],
  }));
  const costs = OSPF_VERSIONS.flatMap((version) =>
    ospfRows(state, version).flatMap(({ ifname: subject, cost }) =>
      cost === undefined
        ? []
        : [
            {
              ...({ kind: 'metric', subject, setting: OSPF_PARTS[version] } as const),
              value: `${cost}`,
              // FRR computes it from the rate of the port where it is not set.
              needs: [DAEMONS_READ, isRead(OSPF_PARTS[version]), isSettled(OSPF_DAEMONS[version]), isUp(subject)],
            },
          ],
    ),
  );
  return [...isisRows, ...costs];
}

const OF_BGP = [DAEMONS_READ, isRead('bgp'), isSettled('bgpd')];

function sessionRows({ bgp }: NodeState): readonly SettingRow[] {
  return (bgp?.sessions ?? []).flatMap(({ peer: subject, remoteAs, shutdown, policies, password }) => {
    const needs = [...OF_BGP, isPeer(subject)];
    const row = (setting: string, value: string) => ({ kind: 'session' as const, subject, setting, value, needs });
    return [
      { ...row('remote-as', `${remoteAs}`), needs: OF_BGP },
      row('shutdown', shutdown ? 'shut' : 'up'),
      row('policies', [...policies].sort().join(', ') || 'none'),
      row('password', password ? 'set' : 'none'),
    ];
  });
}

function policyRows({ bgp }: NodeState): readonly SettingRow[] {
  const needs = OF_BGP;
  return [
    ...(bgp?.policies ?? []).map(({ name: subject, content: value }) => ({
      kind: 'policy' as const,
      subject,
      value,
      needs: [...needs, isRead('policies')],
    })),
    ...(bgp?.networks ?? []).map((subject) => ({ kind: 'network' as const, subject, value: 'stated', needs })),
  ];
}

export const ANNOUNCED = 'announced';
export const WITHHELD = 'withheld';

/** A row for each peer; changes.ts makes one change of them for each prefix. */
function announcedRows({ bgp }: NodeState): readonly SettingRow[] {
  const peers = (bgp?.sessions ?? []).map(({ peer }) => peer);
  const originated = (bgp?.ownPrefixes ?? []).filter((own) => own.originated);
  return originated.flatMap(({ prefix: subject, advertisedTo }) =>
    peers.map((setting) => ({
      ...({ kind: 'announced', subject, setting } as const),
      value: advertisedTo.includes(setting) ? ANNOUNCED : WITHHELD,
      needs: [...OF_BGP, hasExchanged(setting, subject.includes(':') ? 'ipv6' : 'ipv4')],
    })),
  );
}

function forwardingOf({ forwarding }: NodeState): readonly SettingRow[] {
  const needs = {
    ...{ forwarding: isRead('forwarding'), policyRules: isRead('policy-rules'), interface: exists },
    ecmpHash: isRead('ecmp-hash'),
    tcpTracking: isRead('tcp-tracking'),
  };
  return forwarding === undefined ? [] : forwardingRows(forwarding, needs);
}

/**
 * Routes of staticd are gone while it and zebra start, and those of an interface while that is down. Which of them staticd set is not told:
 * the kernel's tools name those that were set by hand alike.
 */
function routeRows({ staticRoutes = [], daemons = [] }: NodeState): readonly SettingRow[] {
  const ofDaemons = ['zebra', 'staticd'].filter((name) => daemons.some((daemon) => daemon.name === name));
  const places = Map.groupBy(staticRoutes, ({ prefix, ifname = '' }) => JSON.stringify([prefix, ifname]));
  return [...places.values()].map((routes) => {
    const { prefix: subject, ifname } = routes[0]!;
    const values = routes.map(({ kind, nextHop, segments = [] }) =>
      [
        kind,
        ...(nextHop === undefined ? [] : [`via ${nextHop}`]),
        ...(segments.length === 0 ? [] : [`segments ${segments.join(' ')}`]),
      ].join(' '),
    );
    return {
      kind: 'static-route',
      subject,
      ...(ifname === undefined ? {} : { setting: ifname }),
      value: values.sort().join(', '),
      needs: [isRead('kernel-tables'), ...(ifname === undefined ? [] : [isUp(ifname)]), ...ofDaemons.map(isSettled)],
    };
  });
}

function daemonRows({ daemons = [], inventory: { system } }: NodeState): readonly SettingRow[] {
  return [
    ...daemons.map(({ name: subject, alive }) => ({
      ...({ kind: 'daemon', subject } as const),
      value: alive ? 'running' : 'not answering',
      needs: [DAEMONS_READ],
    })),
    ...versionsOf(system).map(([subject, value]) => ({
      ...({ kind: 'daemon', subject, setting: 'version' } as const),
      value,
      needs: [isKnown(subject)],
    })),
    ...skewedDaemons(daemons).map(({ name: subject, version: value }) => ({
      ...({ kind: 'daemon', subject, setting: 'version' } as const),
      value,
      needs: [DAEMONS_READ, isKnown('zebra'), isKnown(subject)],
    })),
  ];
}

/** Those that run in another version than zebra, which they all speak with. */
export function skewedDaemons(daemons: readonly Daemon[]): readonly (Daemon & { readonly version: string })[] {
  const zebra = daemons.find(({ name }) => name === 'zebra')?.version;
  return daemons.flatMap((daemon) => {
    const { version } = daemon;
    return zebra === undefined || version === undefined || version === zebra ? [] : [{ ...daemon, version }];
  });
}

function versionsOf({ routing, kernel }: NodeState['inventory']['system']): readonly (readonly [string, string])[] {
  return Object.entries({ frr: routing, kernel }).filter(([, version]) => version !== '' && version !== 'unknown');
}

function neighbourRows(state: NodeState): readonly SettingRow[] {
  const { neighbours, adjacencies } = state;
  const heard = neighbours.map(({ ifname, systemName, chassisId, portId }) => ({
    ifname,
    name: `${systemName ?? chassisId} ${portId}`,
  }));
  const isis = adjacencies
    .filter(({ state }) => state === 'up')
    .map(({ ifname, systemId }) => ({ ifname, name: systemId }));
  const full = OSPF_VERSIONS.map((version) => ({
    ...{ setting: OSPF_PARTS[version], daemon: OSPF_DAEMONS[version] },
    found: ospfRows(state, version).flatMap(({ ifname, neighbours: rows }) =>
      rows.filter(({ state: is }) => /^(?:Full|2-Way)/.test(is)).map(({ routerId }) => ({ ifname, name: routerId })),
    ),
  }));
  return [
    ...onPorts('lldp', heard, (ifname) => [isRead('neighbours'), isUp(ifname)]),
    ...onPorts('isis', isis, () => [DAEMONS_READ, isRead('adjacencies'), isFormed('isisd')]),
    ...full.flatMap(({ setting, daemon, found }) =>
      onPorts(setting, found, () => [DAEMONS_READ, isRead(setting), isFormed(daemon)]),
    ),
  ];
}

type OnPort = { readonly ifname: string; readonly name: string };

/** One row a port, however many are heard there. */
function onPorts(
  setting: string,
  found: readonly OnPort[],
  needs: (ifname: string) => readonly string[],
): readonly SettingRow[] {
  return [...Map.groupBy(found, ({ ifname }) => ifname)].map(([subject, rows]) => ({
    kind: 'neighbour',
    subject,
    setting,
    value: [...new Set(rows.map(({ name }) => name))].sort().join(', '),
    needs: needs(subject),
  }));
}

/** Device text is cut, and loses what looks like a secret. */
function bounded(row: SettingRow): SettingRow {
  const value = textOf(row.value);
  const subject = textOf(row.subject);
  return {
    ...row,
    subject,
    value,
    ...(row.former === undefined ? {} : { former: textOf(row.former) }),
    ...(row.setting === undefined ? {} : { setting: textOf(row.setting) }),
  };
}

function textOf(text: string): string {
  const redacted = redactText(text);
  return redacted.length <= MODEL_LIMITS.settingChars
    ? redacted
    : `${redacted.slice(0, MODEL_LIMITS.settingChars - 1)}…`;
}
