// The sentence of an answer about a scope: the place first, what was checked behind it, and whether two places reach each other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentenceOf } from '../../../src/correlate/text/sentence.ts';

type File = Parameters<typeof sentenceOf>[0];
type Words = Parameters<typeof sentenceOf>[2];

const FINDING = { hypothesis: 'r1 eth1 is shut', remedy: { node: 'r1', summary: 'no shutdown' } };

function told(kind: string, over: Partial<Words> = {}, received?: number, way: readonly string[] = []): string {
  const reach = received === undefined ? [] : [{ from: 'r1', destination: '2001:db8::2', sent: 100, received }];
  const owners = new Map([['2001:db8::2', [{ node: 'r2', ifname: 'lo' }]]]);
  const world = {
    views: new Map([
      ['r1', {}],
      ['r2', {}],
    ]),
    links: [{}],
    reach,
    owners,
  };
  const path = [
    { as: 'R-1', key: 'r1' },
    { as: 'R-2', key: 'r2' },
  ];
  const words = {
    verdict: { kind, reasons: ['r2: no state'] },
    findings: [],
    segments: [],
    nameNodes: (text: string) => text,
  };
  const intent = { kind: received === undefined ? 'fault' : 'reachability', path };
  return sentenceOf({ path: way, world } as unknown as File, intent as never, { ...words, ...over } as Words);
}

test('a fault is named before the nodes and links that were checked', () => {
  const findings = [FINDING] as unknown as Words['findings'];
  assert.equal(told('fault', { findings }), 'r1 eth1 is shut; suggest: no shutdown (2 nodes and 1 link checked).');
  assert.equal(
    told('fault', { findings, silenced: 1 }),
    'r1 eth1 is shut; suggest: no shutdown (2 nodes and 1 link checked); not accused, as meant: 1 finding.',
  );
});

test('an inconclusive answer says what was checked, and its first reason last', () => {
  assert.equal(told('inconclusive'), 'Inconclusive, 2 nodes and 1 link checked: r2: no state.');
});

test('two places that lose some probes reach each other, two that lose all do not', () => {
  assert.match(
    told('healthy', {}, 92),
    /^R-1 and R-2 reach each other, packet loss 8 % \(100 probes\)\. Nothing is wrong/,
  );
  assert.match(told('healthy', {}, 0), /^R-1 and R-2 do not reach each other: all 100 probes were lost\. /);
});

test('a path that is healthy although probes are missing says that they were not lost on it', () => {
  const segments = (probesLost: number) =>
    [{ from: 'r1', to: 'r2', probesSent: 1_000, probesLost, lossPercent: 0 }] as unknown as Words['segments'];
  const along = (lost: number) => told('healthy', { segments: segments(lost) }, undefined, ['r1', 'r2']);
  const rest = 'and the counters at both ends of every link agree.';
  assert.equal(along(0), `No packet loss on {r1} → {r2}: all 1000 probes and answers arrived, ${rest}`);
  assert.equal(along(1), `No packet loss on {r1} → {r2}: 999 of 1000 probes and answers arrived, ${rest}`);
  assert.equal(
    along(850),
    `No packet loss on {r1} → {r2}: 150 of 1000 probes and answers arrived, the reasons say why the rest is no loss of the path, ${rest}`,
  );
});
