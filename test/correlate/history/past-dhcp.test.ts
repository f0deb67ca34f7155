// What was wrong with the addresses that hosts were given, and is over; and what passed and is nobody's fault: an offer that is right, a router
// that somebody is, a service that was started again, a network that nobody asked for. Hosts are behind r1 and r3; the server is the
// host behind r3.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '#base/json.ts';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import { unexplainedDhcp } from '#correlate/history/past-dhcp.ts';
import { decodeNodeState } from '#measure/decode/decode.ts';
import type { HistoryEvent } from '#model/router/control-plane.ts';
import type { DhcpAnswer } from '#model/router/dhcp.ts';
import type { PassedOffer, WatchedDhcp } from '#model/router/dhcp-history.ts';
import type { HostPort } from '#model/router/hosts.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { type Scene, sceneOf, wellOn } from '../scope-scene.ts';

const SERVER = '198.19.3.10';
const NOTHING: WatchedDhcp = { offers: [], refusals: [], doubts: [] };
const SERVED = { ifname: 'eth3', address: '198.19.1.53', service: 'udp', port: 53, agoMs: 9 } as const;

type Memory = Partial<WatchedDhcp> & { readonly events?: readonly HistoryEvent[] };

const remembering =
  ({ events = [], ...dhcp }: Memory) =>
  (state: NodeState): NodeState => ({
    ...state,
    history: { ...state.history!, events, services: [SERVED], watchedDhcp: { ...NOTHING, ...dhcp } },
  });

/** `fault resource over seconds` of every finding about the last two minutes, by what r1 and r3 remember. */
function found(memory: { r1?: Memory; r3?: Memory }, scene: Scene = {}, sinceMs = 120_000): readonly string[] {
  const states = { r1: remembering(memory.r1 ?? {}), r3: remembering(memory.r3 ?? {}) };
  const { intent, ...rest } = sceneOf({ ...scene, states });
  return diagnose({ ...rest, intent: { ...intent, sinceMs } }).findings.map(({ fault, resource, details }) =>
    [fault, resource, ...(details['over'] === true ? ['over', details['agoSeconds']] : [])].join(' '),
  );
}

/** What r3 heard its server send to the relay on r1. */
const passed = (change: Partial<PassedOffer> = {}): PassedOffer => ({
  ...{ ifname: 'eth3', from: SERVER, server: SERVER, gateway: '198.19.1.1', address: '198.19.1.100' },
  ...{ mask: '255.255.255.0', routers: ['198.19.1.1'], names: ['198.19.1.53'] },
  ...{ fromAgoMs: 40_000, untilAgoMs: 30_000 },
  ...change,
});
const offered = (change: Partial<PassedOffer>) => ({ r3: { offers: [passed(change)] } });
/** r1 looked on its port for a router of that address: somebody answers, or nobody. */
const soughtOn = (address: string, ...macs: readonly string[]): Scene => {
  const well = wellOn('r1');
  const asks = [{ mac: '02:00:00:00:01:10', sender: '198.19.1.10', target: address }];
  const answers = macs.length === 0 ? well.answers : [...well.answers, { address, macs }];
  return { hosts: { r1: [{ ...well, asks, answers } satisfies HostPort] } };
};

test('offers that agree with the router of their network are no finding', () => {
  assert.deepEqual(found(offered({})), []);
});

test('an offered router that nobody is, then or now, is named as over; one that could not be looked for is not', () => {
  const wrong = offered({ routers: ['198.19.1.254'] });
  assert.deepEqual(found(wrong, soughtOn('198.19.1.254')), ['dhcp_spoofed_gateway node/h3 over 30']);
  assert.deepEqual(found(wrong, soughtOn('198.19.1.254', '02:00:00:00:01:fe')), []);
  assert.deepEqual(found(wrong), []);
  assert.deepEqual(found(wrong, soughtOn('198.19.1.254'), 20_000), []);
});

test('a mask and an address that are not of the network are named', () => {
  assert.deepEqual(found(offered({ mask: '255.255.0.0' })), ['dhcp_spoofed_subnet node/h3 over 30']);
  assert.deepEqual(found(offered({ address: '198.19.9.100' })), ['dhcp_spoofed_subnet node/h3 over 30']);
});

test('a name server that serves nobody is named when it was tried', () => {
  const wrong = offered({ names: ['198.19.1.99'] });
  const tried = {
    destination: '198.19.1.99',
    service: 'udp',
    port: 53,
    sent: 2,
    answered: false,
    open: false,
  } as const;
  assert.deepEqual(found(wrong, { serviceProbes: { r1: [tried] } }), ['dhcp_spoofed_dns node/h3 over 30']);
  assert.deepEqual(found(wrong, { serviceProbes: { r1: [{ ...tried, answered: true, open: true }] } }), []);
  assert.deepEqual(found(wrong), []);
});

test('an offer for a network that nobody in scope has, or in the name of a relay, is held against nobody', () => {
  const wrong = { mask: '255.255.0.0' };
  assert.deepEqual(found(offered({ ...wrong, gateway: '203.0.113.1' })), []);
  assert.deepEqual(found(offered({ ...wrong, server: '198.19.1.1' })), []);
});

test('an offer on the server’s own link is for the network of that port', () => {
  const { gateway: _relay, ...own } = passed({ address: '198.19.3.100', routers: ['198.19.3.1'] });
  assert.deepEqual(found({ r3: { offers: [own] } }), []);
  assert.deepEqual(found({ r3: { offers: [{ ...own, mask: '255.0.0.0' }] } }), ['dhcp_spoofed_subnet node/h3 over 30']);
});

test('a port that had lost its carrier at the time may have been set otherwise', () => {
  const events = [{ kind: 'carrier', subject: 'eth3', up: true, changes: 2, agoMs: 31_000 }] as const;
  const wrong = offered({ mask: '255.255.0.0' });
  assert.deepEqual(found({ ...wrong, r1: { events } }), []);
  assert.deepEqual(found({ ...wrong, r1: { events: [{ ...events[0], agoMs: 90_000 }] } }), [
    'dhcp_spoofed_subnet node/h3 over 30',
  ]);
});

const refusals = { ifname: 'eth3', server: SERVER, fromAgoMs: 34_000, untilAgoMs: 30_000 };

test('a host that refused for its server, longer than a start takes, was without it', () => {
  const offers = [passed({ fromAgoMs: 90_000, untilAgoMs: 80_000 })];
  assert.deepEqual(found({ r3: { offers, refusals: [refusals] } }), ['dhcp_service_down node/h3 over 30']);
  assert.deepEqual(found({ r3: { offers, refusals: [{ ...refusals, fromAgoMs: 30_000 }] } }), []);
});

test('a shorter refusal counts while a router asked whose hosts had asked in vain', () => {
  const offers = [passed({ fromAgoMs: 90_000, untilAgoMs: 80_000 })];
  const r3 = { offers, refusals: [{ ...refusals, fromAgoMs: 30_000 }] };
  const doubted = (agoMs: number) => ({ r1: { doubts: [{ agoMs, answers: [{ ...ask, refused: true }] }] } });
  assert.deepEqual(found({ r3, ...doubted(31_000) }), ['dhcp_service_down node/h3 over 30']);
  assert.deepEqual(found({ r3, ...doubted(60_000) }), []);
});

test('a server that refuses now is not over', () => {
  const offers = [passed({ fromAgoMs: 90_000, untilAgoMs: 80_000 })];
  const now = { dhcp: { r1: [{ ...ask, refused: true }] } };
  assert.deepEqual(found({ r3: { offers, refusals: [refusals] } }, now), []);
});

test('a host that never gave an address is no server that could be down', () => {
  assert.deepEqual(found({ r3: { refusals: [refusals] } }), []);
});

const ask: DhcpAnswer = {
  ...{ ifname: 'eth3', gateway: '198.19.1.1', server: SERVER },
  ...{ sent: 6, echoed: 6, refused: false, offers: [], present: [] },
};
const offer = { server: SERVER, address: '198.19.1.100', routers: ['198.19.1.1'], names: [] };
const others: DhcpAnswer = { ...ask, link: SERVER, offers: [{ ...offer, address: '198.19.3.100', routers: [] }] };
const today: Scene = { dhcp: { r1: [{ ...ask, offers: [offer] }] } };
const doubting = (...answers: readonly DhcpAnswer[]) => ({ r1: { doubts: [{ agoMs: 25_000, answers }] } });

test('a network that got nothing while the server served its own was missing, when it gets something now', () => {
  assert.deepEqual(found(doubting(ask, others), today), ['dhcp_missing_subnet node/h3 over 25']);
  assert.deepEqual(found(doubting(ask, others)), []);
});

test('a server that was silent to all, refused, could not be reached, or was not the only one, missed no network', () => {
  for (const answers of [
    [ask, { ...others, offers: [] }],
    [{ ...ask, refused: true }, others],
    [{ ...ask, echoed: 5 }, others],
    [ask, others, { ...ask, server: '198.19.3.11', offers: [offer] }],
    [{ ...ask, offers: [offer] }, others],
  ])
    assert.deepEqual(found(doubting(...answers), today), [], JSON.stringify(answers));
});

test('silence that nothing explains keeps the past open; where nobody asked, or was served as before, it does not', () => {
  const reasons = (memory: Memory, sinceMs = 30_000) => {
    const { intent, nodeNames, evidence, outcomes } = sceneOf({ ...today, states: { r1: remembering(memory) } });
    const { world } = caseFileOf({ ...intent, sinceMs }, nodeNames, evidence, outcomes);
    return unexplainedDhcp(world, world.views.get('r1')!, sinceMs);
  };
  const silent = [ask, { ...others, offers: [] }];
  assert.deepEqual(reasons({}), []);
  assert.deepEqual(reasons({ doubts: [{ agoMs: 25_000, answers: silent }] }), [
    '{r1} eth3: DHCP server 198.19.3.10 gave no addresses for a while, and nothing says why',
  ]);
  assert.deepEqual(reasons({ doubts: [{ agoMs: 35_000, answers: silent }] }), []);
  assert.deepEqual(reasons({ doubts: [{ agoMs: 25_000, answers: [{ ...ask, offers: [offer] }] }] }), []);
});

const decodeWatchedDhcp = (watchedDhcp: JsonValue) =>
  decodeNodeState({ inventory: { node: 'r1', interfaces: [] }, history: { watchedDhcp } })?.history?.watchedDhcp;

test('what a node says of it is read; malformed rows are left out, and there are never too many', () => {
  const kept = { offers: [passed()], refusals: [refusals], doubts: [{ agoMs: 5, answers: [ask, others] }] };
  assert.deepEqual(decodeWatchedDhcp(JSON.parse(JSON.stringify(kept)) as JsonValue), kept);
  const rows = Array.from({ length: 40 }, () => ({ ...passed() }) as JsonValue);
  const bad = {
    offers: ['x', { ...passed(), ifname: 7 } as JsonValue, ...rows],
    refusals: 'x',
    doubts: [{ agoMs: -1 }],
  };
  const read = decodeWatchedDhcp(bad as JsonValue);
  assert.deepEqual([read?.offers.length, read?.refusals, read?.doubts], [32, [], []]);
  assert.equal(decodeWatchedDhcp('x'), undefined);
});
