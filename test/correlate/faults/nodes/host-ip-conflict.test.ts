// host_ip_conflict between routers: r3 has the address of r1's interface towards its hosts. Between hosts: faults/hosts/hosts.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostIpConflict } from '#correlate/faults/nodes/host-ip-conflict.ts';
import { withInterface } from '../../recording.ts';
import { at, type Change, drawn, lines, named, rejected, ring } from '../../ring.ts';
import { caseOf, ringWorld, symptom } from '../proposing.ts';

/** r3 has further addresses on its interface towards its hosts. */
const having = (...addresses: readonly string[]): Change =>
  at(['r3'], (state) => withInterface(state, 'lan0', (entry) => ({ addresses: [...entry.addresses, ...addresses] })));

test('the node that has it besides another address of the subnet gives it up', () => {
  assert.deepEqual(drawn(ring(having('198.19.1.7/24', '198.19.1.1/24'))), [
    ['host_ip_conflict interface/r3/lan0', lines('interface lan0', ' no ip address 198.19.1.1/24')],
  ]);
});

test('where nothing says whose it is, neither is named', () => {
  const input = ring(having('198.19.1.1/25'));
  assert.deepEqual(named(input), []);
  const why = '198.19.1.1 is on two nodes, and nothing says whose it is';
  assert.equal(rejected(input)['host_ip_conflict interface/r1/lan0'], why);
  assert.equal(rejected(input)['host_ip_conflict interface/r3/lan0'], why);
});

test('a host address on the loopbacks of two nodes is anycast', () => {
  const anycast = at(['r1', 'r3'], (state) =>
    withInterface(state, 'lo', (entry) => ({ addresses: [...entry.addresses, '192.0.2.1/32'] })),
  );
  assert.deepEqual(named(ring(anycast)), []);
});

const ADDRESS = '198.19.1.1';
const lan = (...addresses: readonly string[]) => ({
  inventory: { driver: 'linux-frr', sids: [], interfaces: [{ name: 'lan', kind: 'physical', addresses }] },
});
const duplicate = symptom('duplicate', { detail: { address: ADDRESS } });
function between(a: readonly string[], b: readonly string[], owners = ['a', 'b']) {
  const at = new Map([[ADDRESS, owners.map((node) => ({ node, ifname: 'lan' }))]]);
  const world = ringWorld({ owners: at }, { a: lan(...a), b: lan(...b) });
  return hostIpConflict.propose(caseOf([duplicate], world), []);
}
const proposed = (...given: Parameters<typeof between>) =>
  between(...given).map(({ resource, withheld, remedy }) => [
    ...[resource, withheld === undefined, remedy?.change?.lines?.slice(1) ?? remedy?.decide],
  ]);

test('the interface that has it beside another address of that subnet is named; a host address is no subnet', () => {
  const [own, other] = [`${ADDRESS}/24`, '198.19.1.7/24'];
  const undecided = ['a', 'b'].map((node) => [`interface/${node}/lan`, false, 'whose address it is']);
  assert.deepEqual(proposed([own], [other, own]), [['interface/b/lan', true, [` no ip address ${own}`]]]);
  assert.deepEqual(proposed([other, own], [own]), [['interface/a/lan', true, [` no ip address ${own}`]]]);
  assert.deepEqual(proposed([own], [own]), undecided);
  assert.deepEqual(proposed([other, own], [other, own]), undecided);
  assert.deepEqual(proposed([own], ['198.19.1.7/32', own]), undecided);
  assert.deepEqual(proposed([own], ['198.19.2.7/24', own]), undecided);
  assert.deepEqual(proposed([own], [`${ADDRESS}/25`, own]), undecided, 'the same address twice');
  assert.deepEqual(proposed([own], [own], ['a', 'b', 'c']), []);
  assert.deepEqual(proposed([own], [own], ['a']), []);
});

test('each of the two says of the other, and where nothing of it is set any more there is nothing to take off', () => {
  const [one, other] = between([`${ADDRESS}/24`], [`${ADDRESS}/24`]);
  assert.deepEqual([one?.details['other'], other?.details['other']], ['b', 'a']);
  assert.equal(one?.withheld, `${ADDRESS} is on two nodes, and nothing says whose it is`);
  const [gone] = between([`${ADDRESS}/24`], ['198.19.1.7/24']);
  assert.deepEqual([gone?.resource, gone?.remedy?.change], ['interface/b/lan', undefined]);
});

test('between hosts the one that was there before is certain, a stranger likely', () => {
  const conflict = (known: boolean) =>
    symptom('host', {
      detail: { what: 'conflict', router: 'a', ifname: 'lan', conflict: ADDRESS, port: 'interface/h1/eth1', known },
    });
  const of = (known: boolean) => hostIpConflict.propose(caseOf([conflict(known)]), [])[0];
  assert.deepEqual([of(true)?.confidence, of(false)?.confidence], ['certain', 'likely']);
  assert.deepEqual([of(true)?.resource, of(true)?.details['what']], ['interface/h1/eth1', 'text of host']);
  assert.deepEqual(of(true)?.remedy, { node: 'a', summary: `remove ${ADDRESS} from that host: text of host` });
});
