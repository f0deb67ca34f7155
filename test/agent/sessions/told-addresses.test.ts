// A peer that lies about where others are must not make this node connect to the Internet, or anywhere else it should not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMayDial } from '#agent/sessions/told-addresses.ts';
import { silentLog } from '#base/log.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { createTestDomain, hear, sessionsOf } from '../in-process.ts';

// Addresses of 224.0.0.0/24 stand for those on the Internet: no real host's are written down here.
const ROUTES: Readonly<Record<string, Partial<RouteAnswer>>> = {
  '224.0.0.2': { kind: 'unicast', protocol: 'isis', matched: '224.0.0.2/32' },
  '224.0.0.8': { kind: 'unicast', protocol: 'static', matched: 'default' },
  '224.0.0.19': { kind: 'unicast', protocol: 'bgp', matched: '224.0.0.16/28' },
  'ff0e::1': { kind: 'unicast', protocol: 'ra', matched: '::/0' },
  '224.0.0.33': { kind: 'blackhole', matched: '224.0.0.33/32' },
  '224.0.0.169': { kind: 'unicast', protocol: 'static', matched: '0.0.0.0/0' },
};

function mayDial(prefixes?: readonly string[]) {
  const route = async (destination: string): Promise<RouteAnswer> => {
    if (destination === '224.0.0.55') throw new Error('the router does not answer');
    return { destination, kind: 'none', ...ROUTES[destination] };
  };
  return createMayDial({ prefixes, router: { route }, log: silentLog });
}

test('without a setting: what is off the Internet, and what an own route leads to that is neither the default nor BGP’s', async () => {
  const may = mayDial();
  const dialled = [
    '10.0.0.5',
    '172.16.0.0',
    '192.168.1.1',
    '100.64.0.0',
    '198.18.0.1',
    'fd00::1',
    '2001:db8::1',
    '224.0.0.2',
  ];
  for (const address of dialled) assert.equal(await may(address), true, address);
  const left = [
    '224.0.0.8',
    '224.0.0.19',
    'ff0e::1',
    '224.0.0.33',
    '224.0.0.55',
    '224.0.0.111',
    '127.0.0.1',
    '224.0.0.169',
    'pe9',
  ];
  for (const address of left) assert.equal(await may(address), false, address);
});

test('with prefixes: those alone', async () => {
  const may = mayDial(['224.0.0.8/30', 'fd00:1::/32']);
  assert.deepEqual([await may('224.0.0.8'), await may('fd00:1::5')], [true, true]);
  assert.deepEqual([await may('10.0.0.5'), await may('224.0.0.2'), await may('fd00:2::5')], [false, false, false]);
  assert.equal(await mayDial([])('10.0.0.5'), false);
});

const told = { source: 'peer-exchange', port: 9514, toldBy: 'pe3', hops: 1, heardAtMs: 0 } as const;

test('a node that a peer places on the Internet is not dialled there, and the outcome says why', async () => {
  const domain = createTestDomain();
  domain.node('pe1').peers.add({ ...told, node: 'p2', addresses: ['224.0.0.8'] });
  const { sessions, dialled } = sessionsOf(domain, 'pe1');
  await assert.rejects(sessions.open('p2', new AbortController().signal), {
    code: 'peer/unreachable',
    message: 'p2 is known only from other nodes, at 224.0.0.8, where this node may not dial: see peers.dial',
  });
  assert.deepEqual(dialled, []);
});

test('of several told addresses the others are dialled; what was heard directly is not judged', async () => {
  const domain = createTestDomain();
  domain.node('pe1').peers.add({ ...told, node: 'p2', addresses: ['224.0.0.8', 'fd00::2'] });
  hear(domain.node('pe1'), 'pe3', '224.0.0.3');
  const { sessions, dialled } = sessionsOf(domain, 'pe1');
  await sessions.open('p2', new AbortController().signal);
  await sessions.open('pe3', new AbortController().signal);
  assert.deepEqual(
    dialled.map(({ addresses }) => addresses),
    [['fd00::2'], ['224.0.0.3']],
  );
});
