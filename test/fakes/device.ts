// A device in memory: one interface whose name has slashes, a log that grows when it is told to, and tables of any length.
import { ParleyError } from '#base/error.ts';
import type { JsonValue } from '#base/json.ts';
import type { DevicePort, EchoRequest, RouteEntry } from '#model/router/device-port.ts';
import type { InterfaceState, RouterPort } from '#model/router/router-port.ts';

export const COUNTERS = {
  rxPackets: '18446744073709551615',
  txPackets: '20',
  rxBytes: '1000',
  txBytes: '2000',
  rxErrors: '0',
  txErrors: '0',
  rxDropped: '1',
  txDropped: '0',
};

export function interfaceState(name: string, more: Partial<InterfaceState> = {}): InterfaceState {
  return {
    name,
    kind: 'physical',
    adminUp: true,
    operUp: false,
    mtu: 1_500,
    mac: '02:00:5e:00:53:01',
    addresses: ['198.18.0.1/31', 'fd00:1::1/64'],
    carrierChanges: 2,
    offloads: [],
    counters: COUNTERS,
    ...more,
  };
}

export type FakeDevice = {
  readonly device: DevicePort;
  readonly router: RouterPort;
  readonly echoes: EchoRequest[];
  interfaces: InterfaceState[];
  routes: RouteEntry[];
  configuration: string;
  /** Adds lines to the log, as the node's own log would. */
  write(...lines: string[]): void;
  readonly watchers: number;
};

export function createFakeDevice(more: Partial<DevicePort> = {}): FakeDevice {
  const log: string[] = ['one', 'two', 'three'];
  const watchers = new Set<(lines: readonly string[]) => void>();
  const fake: FakeDevice = {
    echoes: [],
    interfaces: [interfaceState('TenGigE0/0/0/0')],
    routes: [
      {
        prefix: '198.18.0.0/31',
        kind: 'unicast',
        protocol: 'kernel',
        metric: undefined,
        nextHops: [{ ifname: 'TenGigE0/0/0/0' }],
      },
    ],
    configuration: 'hostname r1\n!\nrouter bgp 64512\n neighbor 192.0.2.1 password s3cret\n',
    write(...lines) {
      log.push(...lines);
      for (const watcher of watchers) watcher(lines);
    },
    get watchers() {
      return watchers.size;
    },
    router: routerOf(() => fake.interfaces),
    device: {
      facts: async () => ({
        cliDialect: 'frr-vtysh',
        nativeModules: [
          {
            module: 'frr-isisd',
            namespace: 'http://frrouting.org/yang/isisd',
            revision: '2021-02-15',
            datastores: ['running'],
          },
        ],
        protocols: ['bgp', 'isis'],
        bootTime: '2026-01-01T00:00:00.000Z',
        notificationStreams: ['syslog'],
        commands: ['show version'],
      }),
      show: async (command) => {
        if (command === 'show slow')
          throw new ParleyError('node/timeout', 'expected an answer of zebra, got nothing in time');
        if (command === 'show down')
          throw new ParleyError('node/frr-unavailable', 'expected an answer of zebra, got the end');
        return command.startsWith('show ip arp')
          ? '10.0.0.5  00:50:56:ab:cd:ef  Vlan100\n'
          : `${command}: neighbor 192.0.2.1 password s3cret\n`;
      },
      native: async () => ({
        'frr-isisd:isis': { instance: [{ 'area-tag': 'core', vrf: 'default', password: 's3cret' }] },
      }),
      routes: async ({ cursor, most, each }) => {
        const from = cursor === undefined ? 0 : Number(cursor);
        each(fake.routes.slice(from, from + most));
        return from + most < fake.routes.length ? String(from + most) : undefined;
      },
      load: async () => ({ percent: 12.5, perCpu: [10, 15], windowMs: 30_000 }),
      memory: async () => ({ totalBytes: 1_000, availableBytes: 400, swapTotalBytes: 0, swapFreeBytes: 0 }),
      log: async (count) => log.slice(-count),
      watchLog(lines) {
        watchers.add(lines);
        return () => watchers.delete(lines);
      },
      configuration: async () => fake.configuration,
      crashes: async () => [{ file: '/var/tmp/frr/zebra.1/crashlog', bytes: 10, modified: '2026-01-01T00:00:00.000Z' }],
      echo: async (request, each) => {
        fake.echoes.push(request);
        const replies = Array.from({ length: request.count }, (_, index) => ({
          sequence: index + 1,
          from: request.destination,
          outcome: 'reply' as const,
          rttMs: 2 + index / 10,
        }));
        for (const reply of replies) each(reply);
        return { sent: request.count, replies, stdout: '' };
      },
      bgpNeighbours: async (): Promise<JsonValue> => ({
        '192.0.2.1': { remoteAs: 64_513, localAs: 64_512, bgpState: 'Active', connectionsEstablished: 3 },
      }),
      close: async () => {},
      ...more,
    },
  };
  return fake;
}

function routerOf(interfaces: () => readonly InterfaceState[]): RouterPort {
  const counters = async () => ({ interfaces: interfaces(), sids: [] });
  const refuse = async () => {
    throw new ParleyError('node/not-supported', 'expected a router, got a fake');
  };
  return {
    driver: 'embedded',
    state: refuse,
    counters,
    route: refuse,
    probe: refuse,
    capture: async () => ({ pcap: new Uint8Array([1, 2, 3]), packets: 1, truncated: false }),
    close: async () => {},
  };
}
