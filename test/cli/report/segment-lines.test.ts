// The table of losses in an answer: rows add up, names are the operator's, and notes say what a figure does not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printSegments } from '../../../src/cli/report/segment-lines.ts';
import { written } from '../../../src/cli/terminal/harmless.ts';
import type { Output } from '../../../src/cli/terminal/output.ts';

const row = (from: string, to: string, probesSent: number, probesLost: number, ifname?: string) => ({
  ...{ from, to, probesSent, probesLost, lossPercent: Math.round((probesLost / probesSent) * 1_000) / 10 },
  ...(ifname === undefined ? {} : { ifname }),
});

function shown(
  segments: Parameters<typeof printSegments>[0]['segments'],
  intent: Parameters<typeof printSegments>[0]['intent'] = {},
  { whole = false, hasColour = false } = {},
): readonly string[] {
  const lines: string[] = [];
  const line: Output['line'] = (told = '') => void lines.push(...written(told, { hasColour }).split('\n'));
  printSegments({ segments, intent }, whole, { line, terminal: { isTty: true, hasColour } } as unknown as Output);
  return lines;
}

test('the probes of both ends of a link are one row a direction, with the range of the two', () => {
  const both = [row('pe1', 'p2', 400, 25, 'eth1'), row('pe1', 'p2', 600, 20, 'eth1'), row('p2', 'pe1', 400, 0, 'eth1')];
  assert.deepEqual(shown(both), [
    'segment   probes  lost  loss                counters of both ends',
    'pe1 → p2  1000    45    4.5 % (3.3 to 6.3)  not comparable',
    'p2 → pe1  400     0     0 %                 not comparable',
    '',
  ]);
  assert.equal(shown(both, {}, { whole: true }).at(-2), 'Loss in brackets: the probes of either end alone.');
});

test('rows of other ports stay apart, and so do more than two of one direction, which are of parallel links', () => {
  const ports = [row('a', 'b', 100, 10, 'eth1'), row('a', 'b', 100, 0, 'eth2')];
  assert.equal(shown(ports).length, 4);
  const many = [0, 20, 0, 0].map((lost) => row('a', 'b', 100, lost, 'eth1'));
  assert.equal(shown(many).length, 6);
});

test('nodes are called as the question called them', () => {
  const path = [{ as: 'PE-1', key: 'pe1' }];
  assert.equal(shown([row('pe1', 'p2', 400, 0, 'eth1')], { path })[1]?.slice(0, 9), 'PE-1 → p2');
});

test('a loss of the whole path that no single link shows is explained, and no other is', () => {
  const path = ['PE-1', 'P-2', 'PE-3'].map((as) => ({ as, key: as.toLowerCase().replace('-', '') }));
  const intent = { kind: 'path-loss', path };
  const hops = (lost: number) => [row('pe1', 'p2', 400, lost, 'eth1'), row('p2', 'pe3', 400, 0, 'eth2')];
  const note = /^The links one by one lost nothing/m;
  assert.match(shown([row('pe1', 'pe3', 400, 17), ...hops(0)], intent).join('\n'), note);
  assert.doesNotMatch(shown([row('pe1', 'pe3', 400, 17), ...hops(9)], intent).join('\n'), note);
  assert.doesNotMatch(shown([row('pe1', 'pe3', 400, 0), ...hops(0)], intent).join('\n'), note);
  assert.doesNotMatch(shown([row('pe1', 'p2', 400, 17), row('p2', 'pe1', 400, 0)], {}).join('\n'), note);
});

test('rows that lost probes are red where there are colours, and only those', () => {
  const lines = shown([row('a', 'b', 100, 10, 'e'), row('b', 'a', 100, 0, 'e')], {}, { hasColour: true });
  assert.deepEqual(
    lines.map((line) => line.startsWith('\x1b[1;31m')),
    [false, true, false, false],
  );
});

test('a node whose name has the codes of a tone gets no colour by them', () => {
  const lines = shown([row('a\x1b[1;32m', 'b', 100, 10, 'e')], {}, { hasColour: true });
  assert.deepEqual(lines[1]?.match(/\x1b\[[\d;]+m/g), ['\x1b[1;31m', '\x1b[22;39m']);
});

test('an explained answer says why counters of two ends differ without a loss', () => {
  const counters = { lostAtLeast: 0, lostAtMost: 12, txPackets: 305, rxPackets: 303 };
  const segments = [{ ...row('a', 'b', 100, 0, 'e'), counters }];
  assert.match(shown(segments, {}, { whole: true }).join('\n'), /^Within error: .* never read at the same moment/m);
  assert.doesNotMatch(shown(segments).join('\n'), /never read/);
});
