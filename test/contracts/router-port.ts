// What every RouterPort must do. The bed is three routers in a row, healthy at the start: head – mid – tail, the tail
// reached over the SID list `segments`. Run by the embedded driver and, as root, by linux-frr over real FRR and lldpd.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import type { InterfaceState, NodeState, ProbeRequest, RouterPort } from '#model/router/router-port.ts';
import { HANG_MS } from '../until-written.ts';

export type RouterBed = {
  readonly head: RouterPort;
  readonly mid: RouterPort;
  readonly tail: RouterPort;
  readonly names: { readonly head: string; readonly mid: string; readonly tail: string };
  /** Interface of the head towards mid, of mid towards the head, of mid towards the tail, of the tail towards mid. */
  readonly ifnames: {
    readonly head: string;
    readonly midHead: string;
    readonly midTail: string;
    readonly tail: string;
  };
  readonly segments: readonly string[];
  readonly tailLoopback: string;
  /** An address for which the head has a blackhole, and one for which it has no route. */
  readonly blackhole: string;
  readonly unrouted: string;
  /** Adds an ACL `acl-2001` at the head's egress that drops every packet with a routing header; removes it again. */
  readonly addAcl: () => Promise<void>;
  readonly removeAcl: () => Promise<void>;
  /** What is on the node beyond its own state: processes, sockets, routes, rules; equal texts mean nothing was left. */
  readonly leftovers: () => Promise<string>;
};

const PROBES = 200;

export function routerPortContract(label: string, bed: () => RouterBed): void {
  const request = (change: Partial<ProbeRequest> = {}): ProbeRequest => {
    const { segments, tailLoopback } = bed();
    return {
      destination: tailLoopback,
      segments,
      count: PROBES,
      intervalMs: 1,
      payloadBytes: 64,
      lingerMs: 300,
      ...change,
    };
  };

  test(`${label}: the inventory names interfaces, SIDs and loopback, and nothing is missing [TS-15]`, async () => {
    const { tail, names, ifnames, tailLoopback, segments } = bed();
    const state = await tail.state();
    assert.deepEqual(state.missing, []);
    assert.equal(state.inventory.node, names.tail);
    assert.deepEqual(state.inventory.loopbacks, [tailLoopback]);
    const port = interfaceOf(state.inventory.interfaces, ifnames.tail);
    assert.equal(port.kind, 'physical');
    assert.deepEqual([port.adminUp, port.operUp, port.mtu], [true, true, 9000]);
    assert.ok(port.addresses.some((address) => address.includes(':')));
    assert.equal(interfaceOf(state.inventory.interfaces, 'lo').kind, 'loopback');
    const decap = state.inventory.sids.find(({ sid }) => sid === segments.at(-1));
    assert.equal(decap?.behavior, 'End.DT6');
    assert.match(String(decap?.packets), /^\d+$/);
  });

  test(`${label}: probes along a SID list arrive, and every counter on the way moves by them [TS-15]`, async () => {
    const { head, mid, tail, ifnames, segments } = bed();
    const before = await Promise.all([head.counters(), mid.counters(), tail.counters()]);
    const result = await head.probe(request());
    const after = await Promise.all([head.counters(), mid.counters(), tail.counters()]);
    assert.equal(result.sent, PROBES);
    assert.equal(result.received, PROBES);
    assert.equal(result.reflected, PROBES);
    assert.equal(result.sendErrors, 0);
    assert.equal(result.duplicates, 0);
    assert.ok(
      result.rttMs !== null &&
        result.rttMs.min > 0 &&
        result.rttMs.min <= result.rttMs.avg &&
        result.rttMs.avg <= result.rttMs.max,
    );
    const moved = (node: 0 | 1 | 2, ifname: string, side: 'rxPackets' | 'txPackets') =>
      Number(interfaceOf(after[node].interfaces, ifname).counters[side]) -
      Number(interfaceOf(before[node].interfaces, ifname).counters[side]);
    for (const count of [
      moved(0, ifnames.head, 'txPackets'),
      moved(1, ifnames.midHead, 'rxPackets'),
      moved(1, ifnames.midTail, 'txPackets'),
      moved(2, ifnames.tail, 'rxPackets'),
      moved(2, ifnames.tail, 'txPackets'),
      moved(0, ifnames.head, 'rxPackets'),
    ]) {
      assert.ok(count >= PROBES && count < PROBES + 60, `expected about ${PROBES}, got ${count}`);
    }
    const sidMoved = (node: 1 | 2, sid: string) =>
      Number(after[node].sids.find((entry) => entry.sid === sid)?.packets) -
      Number(before[node].sids.find((entry) => entry.sid === sid)?.packets);
    assert.equal(sidMoved(1, segments[0]!), PROBES);
    assert.equal(sidMoved(2, segments.at(-1)!), PROBES);
  });

  test(`${label}: plain probes arrive without a SID list`, async () => {
    const result = await bed().head.probe(request({ segments: [], count: 50 }));
    assert.deepEqual([result.sent, result.received, result.reflected], [50, 50, 50]);
  });

  test(`${label}: an ACL is listed with hook, interface, name and counter, and its drops are not sent [TS-18]`, async () => {
    const { head, ifnames, addAcl, removeAcl } = bed();
    await addAcl();
    try {
      const before = aclOf(await head.state());
      const result = await head.probe(request({ count: 40, lingerMs: 100 }));
      const after = aclOf(await head.state());
      assert.deepEqual([result.sent, result.received, result.sendErrors, result.sendErrorReason], [40, 0, 40, 'EPERM']);
      assert.equal(after.acl, 'acl-2001');
      assert.equal(after.verdict, 'drop');
      assert.equal(after.hook, 'postrouting');
      assert.deepEqual(after.outInterfaces, [ifnames.head]);
      assert.equal(after.path.at(-1), 'acl-2001');
      assert.equal(Number(after.packets) - Number(before.packets), 40);
    } finally {
      await removeAcl();
    }
    assert.deepEqual((await head.state()).filters, []);
  });

  test(`${label}: adjacencies are up with host name and level, neighbours name port and system [TS-15]`, async () => {
    const { mid, names, ifnames } = bed();
    const state = await mid.state();
    const adjacencies = state.adjacencies
      .map(({ ifname, hostname, level, state: up }) => [ifname, hostname, level, up])
      .toSorted();
    assert.deepEqual(
      adjacencies,
      [
        [ifnames.midHead, names.head, 2, 'up'],
        [ifnames.midTail, names.tail, 2, 'up'],
      ].toSorted(),
    );
    const neighbours = state.neighbours
      .map(({ ifname, systemName, portId }) => [ifname, systemName, portId])
      .toSorted();
    assert.deepEqual(
      neighbours,
      [
        [ifnames.midHead, names.head, ifnames.head],
        [ifnames.midTail, names.tail, ifnames.tail],
      ].toSorted(),
    );
    assert.match(String(state.nodeCounters['Ip6InReceives']), /^\d+$/);
  });

  test(`${label}: routes are unicast, local, blackhole or none`, async () => {
    const { head, tail, tailLoopback, ifnames, blackhole, unrouted } = bed();
    const route = await head.route(tailLoopback);
    assert.deepEqual([route.kind, route.ifname, route.protocol], ['unicast', ifnames.head, 'isis']);
    assert.ok(route.nextHop?.includes(':'));
    assert.equal((await tail.route(tailLoopback)).kind, 'local');
    assert.deepEqual(await head.route(blackhole), { destination: blackhole, kind: 'blackhole', protocol: 'static' });
    assert.deepEqual(await head.route(unrouted), { destination: unrouted, kind: 'none' });
    await assert.rejects(
      head.route('--help'),
      (error) => error instanceof ParleyError && error.code === 'caller/bad-argument',
    );
  });

  test(`${label}: a capture sees the probes and ends with the last packet asked for`, async () => {
    const { head, mid, ifnames } = bed();
    const capturing = mid.capture({
      ifname: ifnames.midHead,
      filter: { kind: 'probe' },
      packetCount: 10,
      timeoutMs: 8_000,
    });
    const capture = await probeUntil(head, request({ count: 20 }), capturing);
    assert.deepEqual([capture.packets, capture.truncated], [10, false]);
    assert.equal(Buffer.from(capture.pcap.subarray(0, 4)).toString('hex'), 'd4c3b2a1');
  });

  test(`${label}: aborting a probe or a capture ends it at once and leaves nothing behind [TS-22]`, async () => {
    const { head, ifnames, leftovers } = bed();
    const isAsBefore = await comesBack(leftovers);
    for (const start of [
      (signal: AbortSignal) => head.probe(request({ count: 10_000, intervalMs: 1 }), signal),
      (signal: AbortSignal) =>
        head.capture(
          { ifname: ifnames.head, filter: { kind: 'tcp-port', port: 9 }, packetCount: 5, timeoutMs: 9_000 },
          signal,
        ),
    ]) {
      const abort = new AbortController();
      const running = start(abort.signal);
      setImmediate(() => abort.abort(new Error('operator left')));
      await assert.rejects(running, /operator left/);
    }
    await assert.rejects(head.state(AbortSignal.abort(new Error('operator left'))), /operator left/);
    await isAsBefore();
  });

  test(`${label}: arguments out of bounds are refused by name`, async () => {
    const { head } = bed();
    const refused = (error: unknown) => error instanceof ParleyError && error.code === 'caller/bad-argument';
    await assert.rejects(head.probe(request({ count: 10_001 })), refused);
    await assert.rejects(head.probe(request({ segments: ['not-a-sid'] })), refused);
    await assert.rejects(head.probe(request({ intervalMs: 0.01 })), refused);
    await assert.rejects(
      head.capture({ ifname: '-w/tmp/x', filter: { kind: 'srv6' }, packetCount: 1, timeoutMs: 10 }),
      refused,
    );
    await assert.rejects(
      head.capture({ ifname: 'eth1', filter: { kind: 'srv6' }, packetCount: 201, timeoutMs: 10 }),
      refused,
    );
  });
}

/** Bounded polling on a condition. */
export async function settle(
  condition: () => Promise<boolean>,
  what: string | (() => string),
  timeoutMs = HANG_MS,
): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  while (!(await condition())) {
    assert.ok(performance.now() < endMs, `expected ${typeof what === 'string' ? what : what()} within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Reads what is there now, without programs that come and go: two readings in a row that say the same. What is returned waits until it is so again,
 * and says what differs.
 */
export async function comesBack(read: () => Promise<string>): Promise<() => Promise<void>> {
  let [before, now] = ['', await read()];
  const isAtRest = async () => {
    [before, now] = [now, await read()];
    return now === before;
  };
  await settle(isAtRest, 'two equal readings');
  return async () => {
    const isBack = async () => {
      now = await read();
      return now === before;
    };
    await settle(isBack, () => `${before}, got ${now},`);
  };
}

/** A capture starts in its own time: probes are repeated until it has what it waits for. */
async function probeUntil<Value>(head: RouterPort, request: ProbeRequest, waiting: Promise<Value>): Promise<Value> {
  let done = false;
  const settled = waiting.finally(() => {
    done = true;
  });
  for (let round = 0; round < 50 && !done; round++) await head.probe(request);
  return settled;
}

function interfaceOf(interfaces: readonly InterfaceState[], name: string): InterfaceState {
  const found = interfaces.find((entry) => entry.name === name);
  assert.ok(found !== undefined, `expected interface ${name}`);
  return found;
}

function aclOf(state: NodeState): NodeState['filters'][number] {
  const found = state.filters.find(({ acl, verdict }) => acl === 'acl-2001' && verdict === 'drop');
  assert.ok(found !== undefined, 'expected a rule of acl-2001');
  return found;
}
