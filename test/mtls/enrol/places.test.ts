// Who gives way at a registrar's port that is full.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlaces, networkOf, type Placed } from '#mtls/enrol/places.ts';

const BOUND = 8;

function upPlaces() {
  const places = createPlaces<Placed>(BOUND);
  const cut: string[] = [];
  let ports = 0;
  const admit = (remoteAddress: string) => {
    const name = `${remoteAddress} ${++ports}`;
    const ends = { remoteAddress, remotePort: ports };
    const destroy = () => {
      cut.push(name);
      return connection as never;
    };
    const connection: Placed = { ...ends, destroy };
    places.admit(connection);
    return { name, speak: () => places.spoke(ends) };
  };
  return { admit, cut, places };
}

test('an IPv6 host with many addresses is one network', () => {
  const { admit, cut } = upPlaces();
  const honest = ['2001:db8:1::1', '2001:db8:2::1', '192.0.2.1'].map((address) => admit(address));
  for (let host = 1; host <= 100; host++) admit(`2001:db8:bad:1:${host.toString(16)}::1`);
  assert.equal(cut.length, 3 + 100 - BOUND);
  for (const { name } of honest) assert.equal(cut.includes(name), false);
});

test('networks are IPv4 addresses and 64 bits of IPv6, however they are written', () => {
  assert.equal(networkOf('::ffff:192.0.2.1'), networkOf('192.0.2.1'));
  assert.equal(networkOf('fe80::1%eth0'), networkOf('fe80::2'));
  assert.equal(networkOf('2001:db8::1'), networkOf('2001:db8:0:0:ffff::2'));
  assert.notEqual(networkOf('2001:db8::1'), networkOf('2001:db8:0:1::1'));
  assert.notEqual(networkOf('192.0.2.1'), networkOf('192.0.2.2'));
});

test('connections that have sent no hello give way first', () => {
  const { admit, cut } = upPlaces();
  const rack = [1, 2, 3].map(() => admit('192.0.2.1'));
  for (const each of rack) each.speak();
  for (let host = 1; host <= 40; host++) admit(`198.51.100.${host}`);
  assert.equal(cut.length, 3 + 40 - BOUND);
  assert.equal(
    cut.every((name) => name.startsWith('198.51.100.')),
    true,
  );
});

test('hellos of strangers keep no newcomer out', () => {
  const { admit, cut } = upPlaces();
  for (let port = 0; port < BOUND; port++) admit('198.51.100.1').speak();
  const newcomers = [1, 2, 3].map((host) => admit(`192.0.2.${host}`));
  assert.equal(cut.length, 3);
  for (const { name } of newcomers) assert.equal(cut.includes(name), false);
});
