// Who asks which DHCP server for which network: nobody where no server was heard, and only for networks whose hosts ask.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planDhcp, planDhcpDoubts, planOfferedNames, planOfferedRouters } from '#measure/hosts/dhcp.ts';
import type { DhcpAnswer, Heard } from '#model/router/dhcp.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { stateOf } from '../../correlate/scope-scene.ts';

const REQUEST: Heard = { ifname: 'eth3', what: 'dhcp-request', from: '0.0.0.0', to: '255.255.255.255', agoMs: 9 };
const REPLY: Heard = { ifname: 'eth3', what: 'dhcp-reply', from: '198.19.3.10', to: '198.19.1.1', agoMs: 9 };

function states(heard: Readonly<Record<string, readonly Heard[]>>, services = false): ReadonlyMap<string, NodeState> {
  return new Map(
    [1, 2, 3].map((number) => {
      const state = stateOf(number as 1 | 2 | 3);
      const names = [{ ifname: 'eth3', address: '198.19.1.53', service: 'udp' as const, port: 53, agoMs: 9 }];
      const history = { ...state.history!, heard: heard[`r${number}`] ?? [], ...(services ? { services: names } : {}) };
      return [`r${number}`, { ...state, history }] as const;
    }),
  );
}

const asksOf = (calls: ReturnType<typeof planDhcp>) => calls.map((call) => [call.id, call.arguments]);

test('without a server that was heard nobody is asked', () => {
  assert.deepEqual(planDhcp(states({})), []);
  assert.deepEqual(planDhcp(states({ r1: [REQUEST] })), []);
});

const FIRST = { ifname: 'eth3', gateway: '198.19.1.1', server: '198.19.3.10' };
const NEAR = { ifname: 'eth3', gateway: '198.19.3.1', server: '198.19.3.10' };

test('a server is asked for networks that it answered, by their router, and for its own', () => {
  assert.deepEqual(asksOf(planDhcp(states({ r3: [REPLY] }))), [
    ['probe/r1/parley-dhcp', { asks: [FIRST], patient: false }],
    ['probe/r3/parley-dhcp', { asks: [NEAR], patient: false }],
  ]);
});

test('a server that hosts write to is known by that; a network whose hosts never asked is left alone', () => {
  const written = { ...REQUEST, from: '198.19.1.10', to: '198.19.3.10' };
  assert.deepEqual(
    planDhcp(states({ r1: [written] })).map(({ node }) => node),
    ['r1', 'r3'],
  );
  const abroad = { ...written, to: '203.0.113.67' };
  assert.deepEqual(planDhcp(states({ r1: [abroad] })), []);
});

const answer = (change: Partial<DhcpAnswer> = {}): DhcpAnswer & { from: string } => ({
  ...{ from: 'r1', ...FIRST, sent: 6, echoed: 6, refused: false, offers: [], present: [] },
  ...change,
});
const offer = { server: '198.19.3.10', address: '198.19.1.100', mask: '255.255.255.0', routers: ['198.19.1.1'] };

test('who offered nothing, did not refuse and can be reached is asked again, with patience', () => {
  assert.deepEqual(asksOf(planDhcpDoubts(states({}), [answer()])), [
    ['deepen/r1/parley-dhcp', { asks: [FIRST], patient: true }],
  ]);
  assert.deepEqual(planDhcpDoubts(states({}), [answer({ refused: true })]), []);
  assert.deepEqual(planDhcpDoubts(states({}), [answer({ echoed: 0 })]), []);
  assert.deepEqual(planDhcpDoubts(states({}), [answer({ offers: [{ ...offer, names: [] }] })]), []);
});

test('beside it goes a question for a network that the server does serve, where one is known', () => {
  const served = { ...answer({ offers: [{ ...offer, names: [] }] }), from: 'r3', gateway: '198.19.3.1' };
  assert.deepEqual(asksOf(planDhcpDoubts(states({}), [answer(), served])), [
    ['deepen/r1/parley-dhcp', { asks: [FIRST, { ...FIRST, link: '198.19.3.1' }], patient: true }],
  ]);
});

test('where they are too many for one call every network is asked for, and some have no question beside theirs', () => {
  const silent = Array.from({ length: 40 }, (_, index) => answer({ gateway: `198.19.${100 + index}.1` }));
  const served = { ...answer({ offers: [{ ...offer, names: [] }] }), from: 'r3', gateway: '198.19.3.1' };
  const [call] = planDhcpDoubts(states({}), [...silent, served]);
  const asks = call!.arguments['asks'] as readonly { readonly gateway: string; readonly link?: string }[];
  const [own, beside] = [asks.filter(({ link }) => link === undefined), asks.filter(({ link }) => link !== undefined)];
  assert.deepEqual([own.length, own.at(-1)?.gateway, beside.length], [40, '198.19.139.1', 24]);
});

test('an offered name server is tried when nobody was seen to use it', () => {
  const offered = [answer({ offers: [{ ...offer, names: ['198.19.1.53'] }] })];
  const [call, ...more] = planOfferedNames(states({}), offered, false);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [call?.id, call?.phase, call?.arguments],
    [
      'deepen/r1/parley-service-probe/offered',
      'deepen',
      { alongDefault: true, serviceProbes: [{ destination: '198.19.1.53', service: 'udp', port: 53 }] },
    ],
  );
  assert.deepEqual(planOfferedNames(states({}, true), offered, false), []);
});

test('what was offered a while ago is looked for where it was offered: routers by ARP, name servers by a question', () => {
  const passed = {
    ...{ ifname: 'eth3', from: '198.19.3.10', ...offer, gateway: '198.19.1.1' },
    ...{ names: ['198.19.1.99'], fromAgoMs: 9, untilAgoMs: 9 },
  };
  const remembering = (routers: readonly string[]) =>
    new Map(
      [...states({})].map(([node, state]) => {
        const watchedDhcp = { offers: [{ ...passed, routers }], refusals: [], doubts: [] };
        return [node, node === 'r3' ? { ...state, history: { ...state.history!, watchedDhcp } } : state] as const;
      }),
    );
  const looks = (routers: readonly string[]) =>
    planOfferedRouters(remembering(routers)).map((call) => [call.id, call.phase, call.arguments]);
  assert.deepEqual(looks(['198.19.1.1']), []);
  assert.deepEqual(looks(['198.19.1.254']), [
    [
      'deepen/r1/parley-host-scan/offered',
      'deepen',
      { ports: [{ ifname: 'eth3', addresses: ['198.19.1.254', '198.19.1.10'] }], census: false },
    ],
  ]);
  assert.deepEqual(looks(['203.0.113.1']), []);
  assert.deepEqual(
    planOfferedNames(remembering([]), [], true).map(({ node, arguments: asked }) => [node, asked]),
    [['r1', { alongDefault: true, serviceProbes: [{ destination: '198.19.1.99', service: 'udp', port: 53 }] }]],
  );
  assert.deepEqual(planOfferedNames(remembering([]), [], false), []);
});
