// Probes that crossed a node or were marked, and probes in SRv6 over one link: what was planned says where they went.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { srv6Facts } from '#correlate/observe/observe-srv6.ts';
import { crossingFacts } from '#correlate/observe/observe-transit.ts';
import { bisectingTransit } from '#measure/nodes/bisecting-transit.ts';
import { dscpProbes } from '#measure/nodes/dscp-probes.ts';
import { transitProbes } from '#measure/nodes/transit-probes.ts';
import type { Evidence } from '#model/evidence.ts';

const COUNTS = { sent: 100, sendErrors: 0, reflected: 90, received: 80, duplicates: 0, rttMs: null };
const FROM = { node: 'a', ifname: 'eth1' };
const TO = { node: 'b', ifname: 'eth2' };
const entry = (purpose: object, body: object = {}, args: object = {}) =>
  ({
    ...{ id: 'e1', node: 'a', kind: 'probe', phase: 'probe', purpose },
    request: { method: 'tools/call', params: { arguments: args } },
    body: { ...COUNTS, ...body },
  }) as unknown as Evidence;

test('a crossing is lost when it did not come back, but for what the reflector refused', () => {
  const [kind] = transitProbes.kinds;
  const crossed = (body: object) =>
    crossingFacts([entry({ kind, from: FROM, through: 'm', to: TO, round: 'first' }, body)]).map(
      ({ subject, predicate, value, source }) => [subject, predicate, value, source],
    );
  const fact = (sent: number, lost: number) => [
    ['path/a>m>b', 'crossing', { from: 'a', through: 'm', to: 'b', sent, lost }, ['e1']],
  ];
  assert.deepEqual(crossed({}), fact(100, 20));
  assert.deepEqual(crossed({ sendErrors: 5 }), fact(95, 15));
  assert.deepEqual(crossed({ reflectorRefused: 8 }), fact(100, 12));
  assert.deepEqual(crossed({ sent: 0, reflected: 0, received: 0 }), []);
  assert.deepEqual(crossed({ reflected: 0, received: 0 }), []);
});

test('of probes that look for the node that loses them, those of which nothing came back count too', () => {
  const [kind] = bisectingTransit.kinds;
  const transit = (body: object) =>
    crossingFacts([entry({ kind, from: FROM, through: 'm', to: TO, round: 'confirmation' }, body)]).map(
      ({ predicate, value }) => [predicate, value],
    );
  const fact = (sent: number, lost: number) => [['transit', { from: 'a', through: 'm', to: 'b', sent, lost }]];
  assert.deepEqual(transit({}), fact(100, 20));
  assert.deepEqual(transit({ reflected: 0, received: 0 }), fact(100, 100));
  assert.deepEqual(transit({ sendErrors: 5, reflectorRefused: 8 }), fact(95, 7));
  assert.deepEqual(transit({ sent: 0, reflected: 0, received: 0 }), []);
});

test('marked probes are those that left, with the mark that was planned', () => {
  const [kind] = dscpProbes.kinds;
  const marked = (body: object) =>
    crossingFacts([entry({ kind, from: FROM, to: TO, dscp: 46, round: 'first' }, body)]).map(
      ({ subject, predicate, value }) => [subject, predicate, value],
    );
  const fact = (sent: number) => [['interface/a/eth1', 'marked', { node: 'a', ifname: 'eth1', dscp: 46, sent }]];
  assert.deepEqual(marked({}), fact(100));
  assert.deepEqual(marked({ sendErrors: 7 }), fact(93));
  assert.deepEqual(marked({ sent: 0 }), []);
});

test('probes in SRv6 are a loss each way, with the addresses that were asked for', () => {
  const args = { source: 'fd00::1', destination: 'fd00::2', segments: ['fd00:5a::e', 7] };
  const purpose = { kind: 'srv6-probe', from: FROM, to: TO, round: 'first' };
  const facts = srv6Facts([entry(purpose, {}, args)]);
  assert.deepEqual(
    facts.map(({ subject, value }) => {
      const { scope, sent, lost, probe, link } = value as never as Record<string, unknown>;
      return [subject, scope, sent, lost, probe, link];
    }),
    ['path/a>b', 'path/b>a'].map((subject, index) => [
      ...[subject, 'segment', index === 0 ? 100 : 90, 10],
      { source: 'fd00::1', destination: 'fd00::2', segments: ['fd00:5a::e'] },
      undefined,
    ]),
  );
  assert.deepEqual(srv6Facts([entry(purpose, { sent: 0 }, args)]), []);
});
