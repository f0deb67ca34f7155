// DHCP servers as routers asked them: which networks each serves, when silence or a refusal is a fault, and what is too young or explained.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wasSilent } from '#correlate/faults/services/dhcp-missing-subnet.ts';
import { isServed, isSilent, offersIn, serversIn } from '#correlate/faults/services/dhcp-server.ts';
import { dhcpServiceDown, wasDown } from '#correlate/faults/services/dhcp-service-down.ts';
import { dhcpSpoofedSubnet } from '#correlate/faults/services/dhcp-spoofed-subnet.ts';
import { ringWorld } from '../proposing.ts';

const SERVER = '198.19.1.9';
const lan = (address: string, more: object = {}) => ({
  inventory: { interfaces: [{ name: 'lan', kind: 'physical', operUp: true, addresses: [address] }] },
  ...more,
});
const look = (change: object = {}) => ({
  ...{ from: 'a', ifname: 'lan', gateway: '198.19.1.1', server: SERVER, source: 'dhcp', present: [] },
  ...{ sent: 6, echoed: 6, refused: false, offers: [] as readonly object[] },
  ...change,
});
const OFFER = { server: SERVER, address: '198.19.1.100', mask: '255.255.255.0', routers: [], names: [] };
const FAR = { from: 'b', gateway: '198.19.2.1' };
const worldOf = (dhcp: readonly object[], more: object = {}, states: Readonly<Record<string, object>> = {}) =>
  ringWorld({ dhcp, ...more }, { a: lan('198.19.1.1/24'), b: lan('198.19.2.1/24'), ...states });

test('a server is a host behind a router or a node itself, with every network that it was asked about', () => {
  const servers = (dhcp: readonly object[], more: object = {}) =>
    serversIn(worldOf(dhcp, more)).map(({ resource, near, networks }) => [
      ...[resource, near, networks.map(({ node, gateway, looks }) => `${node} ${gateway} ${looks.length}`).join()],
    ]);
  const two = [look(), look(), look(FAR)];
  assert.deepEqual(servers(two), [[`node/${SERVER}`, 'a', 'a 198.19.1.1 2,b 198.19.2.1 1']]);
  assert.deepEqual(servers([look(), look({ link: 'x', gateway: '198.19.9.1' })])[0]?.[2], 'a 198.19.1.1 1');
  const owners = new Map([[SERVER, [{ node: 'c', ifname: 'lo' }]]]);
  assert.deepEqual(servers([look()], { owners }), [['node/c', 'c', 'a 198.19.1.1 1']]);
  assert.deepEqual(servers([look({ server: '203.0.113.9' })]), [], 'nowhere that is known');
});

test('silence is the last of several looks in which every echo came back', () => {
  const silent = (...looks: readonly object[]) => isSilent({ looks } as never);
  assert.equal(silent(look(), look()), true);
  assert.equal(silent(look()), false);
  assert.equal(silent(), false);
  assert.equal(silent(look(), look({ refused: true })), false);
  assert.equal(silent(look(), look({ echoed: 5 })), false);
  assert.equal(silent(look({ echoed: 0 }), look()), true);
  assert.deepEqual(
    [isServed({ looks: [look(), look({ offers: [OFFER] })] } as never), isServed({ looks: [look()] } as never)],
    [true, false],
  );
});

test('an offer is for the port whose own address is the gateway', () => {
  const own = (change: object) =>
    offersIn(worldOf([look({ offers: [OFFER, OFFER], ...change })])).map((seen) => seen.own);
  assert.deepEqual(own({}), ['198.19.1.1/24', '198.19.1.1/24']);
  assert.deepEqual(own({ gateway: '198.19.1.2' }), []);
  assert.deepEqual(own({ ifname: 'x' }), []);
});

const down = (dhcp: readonly object[], states: Readonly<Record<string, object>> = {}) =>
  dhcpServiceDown.detect!({ world: worldOf(dhcp, {}, states), facts: [] }).map(({ confidence, detail }) => [
    confidence,
    detail['refused'],
    String(detail['networks']),
  ]);

test('refused by its own router it is down; silent to all, its own router among them, likely', () => {
  const REFUSED = look({ refused: true });
  assert.deepEqual(down([REFUSED]), [['certain', true, '198.19.1.1']]);
  assert.deepEqual(down([look({ ...FAR, refused: true })]), []);
  assert.deepEqual(down([REFUSED, look({ ...FAR, offers: [OFFER] })]), [], 'it serves others');
  const silence = [look(), look()];
  assert.deepEqual(down(silence), [['likely', false, '198.19.1.1']]);
  assert.deepEqual(down([...silence, look(FAR)]), [], 'asked once only');
  assert.equal(down([...silence, look(FAR), look(FAR)]).length, 1);
  assert.deepEqual(down([look(FAR), look(FAR)]), [], 'its own router did not ask');
  const filters = [
    { family: 'inet', verdict: 'drop', hook: 'forward', matches: [{ field: 'protocol', values: ['udp'] }] },
  ];
  assert.deepEqual(down(silence, { c: { filters } }), []);
  assert.equal(down([REFUSED], { c: { filters } }).length, 1, 'a refusal passed every filter');
});

const refusal = { server: SERVER, ifname: 'lan', fromAgoMs: 21_000, untilAgoMs: 20_000 };
type Then = {
  readonly refusal?: object;
  readonly history?: object;
  readonly before?: object;
  readonly dhcp?: readonly object[];
  readonly doubts?: readonly object[];
};
const wasDownThen = (given: Then = {}) => {
  const { history = { watchedDhcp: { offers: [{ from: SERVER }] } }, before, dhcp = [], doubts = [] } = given;
  const now = worldOf(dhcp, {}, { c: { history: { watchedDhcp: { doubts } } } });
  const view = { state: { history }, ...(before === undefined ? {} : { before: { history: before } }) };
  return wasDown(now, view as never, { ...refusal, ...given.refusal } as never);
};

test('a server that gave addresses and refused for a second or longer was down, unless it refuses still', () => {
  assert.equal(wasDownThen(), true);
  assert.equal(wasDownThen({ refusal: { fromAgoMs: 20_999 } }), false);
  assert.equal(wasDownThen({ dhcp: [look({ refused: true })] }), false);
  assert.equal(wasDownThen({ dhcp: [look()] }), true);
  assert.equal(wasDownThen({ dhcp: [look({ refused: true, server: 'x' })] }), true);
  assert.equal(wasDownThen({ history: { watchedDhcp: { offers: [{ from: 'x' }] } } }), false);
  const heard = (change: object = {}) => ({ heard: [{ what: 'dhcp-reply', from: SERVER, ...change }] });
  assert.equal(wasDownThen({ history: heard() }), true);
  assert.equal(wasDownThen({ history: heard({ what: 'dhcp-request' }) }), false);
  assert.equal(wasDownThen({ history: heard({ from: 'x' }) }), false);
  assert.equal(wasDownThen({ history: heard(), before: {} }), false, 'what was heard before the question counts');
  assert.equal(wasDownThen({ history: {}, before: heard() }), true);
});

test('a shorter refusal counts while a router asked in vain within eight seconds', () => {
  const short = { fromAgoMs: 20_100 };
  const doubt = (agoMs: number, answer: object = {}) => [
    { agoMs, answers: [{ server: SERVER, refused: true, ...answer }] },
  ];
  const of = (doubts: readonly object[]) => wasDownThen({ refusal: short, doubts });
  assert.deepEqual([of(doubt(20_000)), of(doubt(28_000)), of(doubt(12_000))], [true, true, true]);
  assert.deepEqual([of(doubt(28_001)), of(doubt(11_999)), of([])], [false, false, false]);
  assert.deepEqual([of(doubt(20_000, { server: 'x' })), of(doubt(20_000, { refused: false }))], [false, false]);
});

test('an address of another network, or a mask of another length, is wrong, whatever the length', () => {
  const offered = (address: string, change: object) => {
    const gateway = address.split('/')[0];
    const dhcp = [look({ gateway, offers: [{ ...OFFER, ...change }] })];
    return dhcpSpoofedSubnet.detect!({ world: worldOf(dhcp, {}, { a: lan(address) }), facts: [] }).map(({ detail }) =>
      [detail['own'], detail['mask'] ?? detail['offered']].join(' '),
    );
  };
  const net = '198.19.1.1/24';
  assert.deepEqual(offered(net, {}), []);
  assert.deepEqual(offered(net, { address: '198.19.2.100' }), [`${net} 198.19.2.100`]);
  assert.deepEqual(offered(net, { mask: '255.255.0.0' }), [`${net} 255.255.0.0`]);
  assert.deepEqual(offered(net, { mask: undefined }), []);
  assert.deepEqual(offered('198.19.1.1/20', { mask: '255.255.240.0' }), []);
  assert.deepEqual(offered('198.19.1.1/25', { mask: '255.255.255.128' }), []);
  assert.deepEqual(offered('198.19.1.1/20', { mask: '255.255.255.0' }), ['198.19.1.1/20 255.255.255.0']);
});

test('a server was silent to a network that nothing else served, and that it serves now', () => {
  const served = look({ offers: [OFFER] });
  const was = (answer: object, others: readonly object[] = [], now: readonly object[] = [served]) =>
    wasSilent(worldOf(now), 'a', look(answer) as never, [look(answer), ...others] as never);
  assert.equal(was({}), true);
  for (const change of [{ link: 'x' }, { offers: [OFFER] }, { refused: true }, { sent: 0, echoed: 0 }, { echoed: 5 }])
    assert.equal(was(change), false, JSON.stringify(change));
  assert.equal(was({}, [look({ server: 'x', offers: [OFFER] })]), false);
  assert.equal(was({}, [look({ ...FAR, offers: [OFFER] })]), true);
  assert.equal(was({}, [look({ link: 'x', offers: [OFFER] })]), true);
  assert.equal(was({}, [], []), false);
  for (const change of [{ from: 'b' }, { gateway: 'x' }, { server: 'x' }, { offers: [] }])
    assert.equal(was({}, [], [{ ...served, ...change }]), false, JSON.stringify(change));
});
