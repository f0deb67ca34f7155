// `parley ask --explain` shows the values that a finding stands on, and no more of them than is said.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '#base/json.ts';
import { diagnose } from '#correlate/diagnose.ts';
import type { Finding } from '#model/finding.ts';
import type { LinkRow } from '#model/links/link-indicators.ts';
import { printExplanation } from '../../../src/cli/report/explain.ts';
import { rawValues } from '../../../src/cli/report/raw-evidence.ts';
import type { Output } from '../../../src/cli/terminal/output.ts';
import { recorded } from '../../narrate/evaluation/cases.ts';

const FINDING: Finding = {
  resource: 'interface/r3/eth1',
  fault: 'mtu_mismatch',
  confidence: 'certain',
  evidence: ['before/r3/state'],
  against: [],
  details: { mtu: 1400 },
  hypothesis: 'r3 eth1 mtu mismatch',
};

const reportWith = (body: JsonValue, id = 'before/r3/state') => ({
  items: [{ id, node: 'r3', kind: 'state', phase: 'before', mediaType: 'application/json', sha256: 'ab' } as const],
  evidence: [Buffer.from(JSON.stringify(body)).toString('base64')],
});

test('the rows of the finding’s own interface are shown with their values, the others counted', () => {
  const body = {
    inventory: {
      interfaces: [
        { name: 'eth0', mtu: 9000 },
        { name: 'eth1', mtu: 1400, addresses: ['198.18.1.1/31'], counters: { rxPackets: '12' } },
      ],
    },
    daemons: [{ name: 'zebra', alive: true }],
  };
  assert.deepEqual(rawValues(reportWith(body), 'before/r3/state', FINDING), [
    'inventory.interfaces[1]: name=eth1 mtu=1400 addresses=198.18.1.1/31',
    'inventory.interfaces[1].counters: rxPackets=12',
    '… and 2 more rows',
  ]);
});

test('the row of the interface itself comes before rows that mention it', () => {
  const body = {
    bfd: Array.from({ length: 8 }, (_, index) => ({ ifname: 'eth1', peer: `fd00::${index}`, status: 'down' })),
    inventory: { interfaces: [{ name: 'eth1', adminUp: false, counters: { rxPackets: '12' } }] },
  };
  assert.deepEqual(rawValues(reportWith(body), 'before/r3/state', FINDING).slice(0, 3), [
    'inventory.interfaces[0]: name=eth1 adminUp=false',
    'inventory.interfaces[0].counters: rxPackets=12',
    'bfd[0]: ifname=eth1 peer=fd00::0 status=down',
  ]);
});

test('of a link each end tells of its own interface', () => {
  const body = {
    inventory: {
      interfaces: [
        { name: 'eth1', mtu: 1 },
        { name: 'eth2', mtu: 2 },
      ],
    },
  };
  const link = { ...FINDING, resource: 'link/r2:eth2--r3:eth1', details: {} } as const;
  assert.deepEqual(rawValues(reportWith(body), 'before/r3/state', link), [
    'inventory.interfaces[0]: name=eth1 mtu=1',
    '… and 1 more row',
  ]);
});

test('rows are bounded in number and length, and hold no control characters', () => {
  const body = Array.from({ length: 50 }, () => ({ ifname: 'eth1', text: `\u001b[31m${'x'.repeat(500)}` }));
  const rows = rawValues(reportWith(body), 'before/r3/state', FINDING);
  assert.equal(rows.length, 7);
  assert.equal(rows.at(-1), '… and 44 more rows');
  for (const row of rows) {
    assert.ok(row.length <= 260, String(row.length));
    assert.doesNotMatch(row, /\u001b/);
  }
});

test('evidence that is no JSON is told by size and digest, evidence that is not there as such', () => {
  const capture = { ...reportWith({}), evidence: [Buffer.from('pcap').toString('base64')] };
  assert.deepEqual(rawValues(capture, 'before/r3/state', FINDING), ['4 octets of application/json, SHA-256 ab']);
  assert.deepEqual(rawValues(capture, 'after/r3/state', FINDING), ['not in the report']);
});

test('of a recorded network the MTUs of both ends are among what is shown', () => {
  const input = recorded('mtu');
  const diagnosis = diagnose(input);
  const report = {
    items: input.evidence.map(({ id, node }) => ({ ...reportWith({}).items[0]!, id, node })),
    evidence: input.evidence.map(({ body }) => Buffer.from(JSON.stringify(body)).toString('base64')),
  };
  const lines: string[] = [];
  const output = { line: (text = '') => void lines.push(text), progress: () => {}, result: () => {} };
  printExplanation({ ...diagnosis, outcomes: [] }, output as never, { raw: report, depth: 'tree' });
  const text = lines.join('\n');
  assert.match(text, /^mtu_mismatch at interface\/r3\/eth1/m);
  assert.match(text, /^[│ ├└─]+inventory\.interfaces\[\d\]: .*mtu=1400/m);
  assert.match(text, /^[│ ├└─]+inventory\.interfaces\[\d\]: .*mtu=9000/m);
});

test('links are listed with what both ends say, what one end alone says, and what contradicts them', () => {
  const lines: string[] = [];
  const output = { line: (text = '') => void lines.push(...text.split('\n')) } as unknown as Output;
  const empty = {
    verdict: { kind: 'healthy', reasons: [] },
    findings: [],
    candidates: [],
    segments: [],
    outcomes: [],
  } as const;
  const links: readonly LinkRow[] = [
    {
      from: { node: 'r1', ifname: 'eth1' },
      to: { node: 'r2', ifname: 'eth1' },
      ...{ confidence: 'likely', signs: ['addresses', 'isis'], claims: [{ sign: 'lldp', by: 'r2' }] },
      contradictions: ['LLDP on r1 eth1 names r3\u001b[2J'],
    },
  ];
  printExplanation({ ...empty, links }, output);
  const shown = lines.map((line) => line.replaceAll(/ {2,}/g, ' | ').trim());
  assert.ok(shown.includes('link | confidence | both ends say | one end says | contradicted by'), shown.join('\n'));
  assert.ok(
    shown.some((line) =>
      line.startsWith('r1 eth1 – r2 eth1 | likely | addresses, IS-IS | LLDP (r2) | LLDP on r1 eth1 names r3'),
    ),
  );
  assert.ok(!lines.join('').includes('\u001b'));
});

test('a tree keeps its guide lines where a line is wrapped, and says what the confidence means and which probes were lost', () => {
  const lines: string[] = [];
  const output = {
    line: (text = '') => void lines.push(...text.split('\n')),
    terminal: { isTty: true, width: 60, hasColour: false },
  };
  const why = 'explains segment pe1>p2 by flows over link/p2:eth1--pe1:eth1 told by p2, segment pe1>p2';
  const candidates = [{ resource: FINDING.resource, fault: FINDING.fault, source: 'rule', chosen: true, why }] as const;
  const finding = { ...FINDING, details: { lostAtLeast: 0 } };
  const links: readonly LinkRow[] = [
    {
      from: { node: 'r1', ifname: 'eth1' },
      to: { node: 'r2', ifname: 'eth1' },
      ...{ confidence: 'confirmed', signs: ['addresses'], claims: [], contradictions: [] },
    },
  ];
  const verdict = { kind: 'fault', reasons: [] } as const;
  const told = { verdict, findings: [finding], candidates, segments: [], links, outcomes: [] };
  printExplanation(told, output as unknown as Output);
  assert.deepEqual(lines.slice(1), [
    'mtu_mismatch at interface/r3/eth1: r3 eth1 mtu mismatch',
    '├─ explains the probes lost pe1 → p2 (counted by p2), the',
    '│  probes lost pe1 → p2',
    '├─ certain: measurements or states of both ends, or a',
    '│  configuration, show it',
    '├─ measured',
    '│  └─ lost at least: 0',
    '└─ evidence for it',
    '   └─ before/r3/state',
    '',
    'considered  nothing else',
    '',
    'link               confidence  both ends say',
    'r1 eth1 – r2 eth1  confirmed   addresses',
  ]);
});
