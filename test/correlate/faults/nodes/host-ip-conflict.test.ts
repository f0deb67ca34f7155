// host_ip_conflict between routers: r3 has the address of r1's interface towards its hosts. Between hosts: faults/hosts/hosts.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withInterface } from '../../recording.ts';
import { at, type Change, drawn, lines, named, rejected, ring } from '../../ring.ts';

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
