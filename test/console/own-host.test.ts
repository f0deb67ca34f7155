// By which names the page of a node is reached.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostNamesOf, isOwnHost } from '#console/own-host.ts';

const names = hostNamesOf({ node: 'PE-1', domain: 'lab.example', listen: { names: ['Console.example.net'] } }, [
  'pe1.Net.example',
  '*.net.example',
]);

test('a node is reached by its name, by names of its configuration and by DNS names of its certificate', () => {
  for (const host of [
    'pe-1',
    'PE-1.lab.example',
    'console.example.net:9514',
    'PE1.net.example',
    'pe1.net.example.:9514',
  ])
    assert.equal(isOwnHost(host, names), true, host);
});

test('a wildcard of the certificate is no name: what lies below it may be of another party', () => {
  for (const host of ['pe2.net.example', '*.net.example', 'net.example', 'pe1.net.example.evil.example', '', undefined])
    assert.equal(isOwnHost(host, names), false, host);
});
