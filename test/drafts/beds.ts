// What answers the worked examples: the real server, handlers and aggregators behind real TLS; for MCP-NET and the appendix a device in memory
// that has what the drafts print of theirs.
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createAggregatorProcess } from '#agent/create-aggregator.ts';
import { silentLog } from '#base/log.ts';
import { aggregateSchema } from '#config/aggregate-schema.ts';
import { createAccess } from '#model/access.ts';
import { listen } from '#mtls/listen.ts';
import { createTrust } from '#mtls/trust.ts';
import { createFakeConfiguration } from '../fakes/configuration.ts';
import { createFakeDevice, type FakeDevice, interfaceState } from '../fakes/device.ts';
import { createDomain, type Domain, systemClock } from '../mtls/domain.ts';
import { openDeviceBench } from '../network/device-bench.ts';

export const LOG_LINE =
  'Oct 19 03:29:01.123: %LINEPROTO-5-UPDOWN: Line protocol on Interface Loopback100, changed state to up';

export type RouterBed = { readonly port: number; readonly fake: FakeDevice; readonly operatorDir: string };

/** One router; `ann` is an admin. */
export async function openRouter(t: TestContext): Promise<RouterBed> {
  const domain = await createDomain();
  const fake = createFakeDevice({
    bgpNeighbours: async () => ({ '1.1.1.1': { remoteAs: 64_513, localAs: 64_512, bgpState: 'Active' } }),
  });
  fake.interfaces.push(interfaceState('eth0', { operUp: true }), interfaceState('loopback0', { operUp: true }));
  fake.routes = Array.from({ length: 1_500 }, (_, index) => ({
    ...{ prefix: `198.18.${index >> 8}.${index & 255}/32`, kind: 'unicast', protocol: 'isis', metric: 20 },
    nextHops: [{ gateway: '198.18.255.1', ifname: 'eth1' }],
  }));
  const configuration = createFakeConfiguration();
  const bench = await openDeviceBench(t, fake, '/nonexistent', createAccess(), { configuration });
  const identity = await domain.identity('router1');
  const { serveFrames, serveHttp1, serveHttp2 } = bench.server;
  const listener = await listen(
    {
      ...{ identity, trust: await createTrust({ clock: systemClock }), host: '127.0.0.1', port: 0 },
      ...{ log: silentLog, onRefused: () => {}, clock: systemClock },
    },
    { mcp: serveFrames, http1: serveHttp1, h2: serveHttp2 },
  );
  await domain.identity('ann', { kind: 'operator', role: 'admin' });
  t.after(async () => {
    bench.server.close();
    await listener.close();
    await domain.remove();
  });
  return { port: listener.port, fake, operatorDir: join(domain.dir, 'ann') };
}

export type AggregatorBed = {
  readonly rootPort: number;
  readonly infraPort: number;
  /** Starts the lowest and gives its port. */
  edge(): Promise<number>;
  readonly folderOf: (name: string) => string;
};

/** Three aggregators, each registered with the one above as `infra` and `edge`, with the budget that the draft prints. */
export async function openAggregators(t: TestContext): Promise<AggregatorBed> {
  const domain = await createDomain();
  const stops: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const stop of stops.toReversed()) await stop();
    await domain.remove();
  });
  const start = async (node: string, parent?: { readonly node: string; readonly port: number }) => {
    const running = await startAggregator(domain, node, parent);
    stops.push(running.stop);
    return running.port!;
  };
  const rootPort = await start('root');
  const infraPort = await start('infra', { node: 'root', port: rootPort });
  await domain.identity('stm32h7', { dnsNames: ['edge01.factory.example.com'] });
  await domain.identity('ann', { kind: 'operator', role: 'admin' });
  await domain.identity('gateway');
  return {
    ...{ rootPort, infraPort },
    edge: () => start('edge', { node: 'infra', port: infraPort }),
    folderOf: (name) => join(domain.dir, name),
  };
}

async function startAggregator(
  domain: Domain,
  node: string,
  parent: { readonly node: string; readonly port: number } | undefined,
) {
  await domain.identity(node);
  const parents =
    parent === undefined ? [] : [{ ...parent, addresses: ['127.0.0.1'], segment: node, heartbeatMs: 1_000 }];
  const config = aggregateSchema.parse({
    node,
    state: join(domain.dir, `state-${node}`),
    identity: { dir: join(domain.dir, node) },
    listen: { host: '127.0.0.1', port: 0 },
    parents,
    budget: { callsPerMinute: 60, mutableCallsPerSession: 10 },
    view: { names: 'dotted' },
  });
  return createAggregatorProcess(config, silentLog);
}
