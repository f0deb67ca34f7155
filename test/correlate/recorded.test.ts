// Whole exchanges recorded on real FRR routers (four in a ring; two with two sites), each with one fault injected: what was injected is named, and
// nothing else is, also when answers are missing or a node lies.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import type { Evidence } from '#model/evidence.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { lookedAgain } from './recording.ts';

const FOLDER = join(import.meta.dirname, 'recorded');
/** File → what was injected. */
const TRUTH: Readonly<Record<string, readonly string[]>> = {
  healthy: [],
  arp: ['arp_cache_poisoning node/r2'],
  bgpacl: ['bgp_acl_block node/router2'],
  bgpasn: ['bgp_asn_misconfig node/r2'],
  bgpnbr: ['bgp_neighbor_misconfig interface/r1/eth1'],
  blackhole: ['blackhole_route node/r2'],
  frr: ['frr_service_down node/r3'],
  isispw: ['isis_authentication_mismatch interface/r3/eth1'],
  mtu: ['mtu_mismatch interface/r3/eth1'],
  // Nothing in it says that the prefix was ever announced: a remark (faults/bgp/route-policy.test.ts).
  policy: [],
  // A part of a fabric whose machine was so busy that probes were late by a quarter of a second, and lost in sockets: nothing is wrong.
  starved: [],
  // Beside a link of leaf2 that loses packets; both were heard from leaf2 alone, whose word is not enough.
  spoiled: [],
};
/** Healthy, and not proven to be. */
const UNPROVEN = new Set(['starved', 'spoiled']);

const recorded = new Map(Object.keys(TRUTH).map((name) => [name, load(name)]));

function load(name: string): DiagnoseInput {
  const text = readFileSync(join(FOLDER, `${name}.json.txt`), 'utf8');
  const { intent, nodes, outcomes, evidence } = JSON.parse(text);
  return { intent, nodeNames: nodes, outcomes, evidence };
}

const named = (input: DiagnoseInput) => diagnose(input).findings.map(({ fault, resource }) => `${fault} ${resource}`);

test('every recording has its truth', () => {
  const files = readdirSync(FOLDER).map((file) => file.replace('.json.txt', ''));
  assert.deepEqual(files.sort(), Object.keys(TRUTH).sort());
});

function verdictFor(name: string, truth: readonly string[]): string {
  if (truth.length > 0) return 'fault';
  return UNPROVEN.has(name) ? 'inconclusive' : 'healthy';
}

for (const [name, truth] of Object.entries(TRUTH)) {
  test(`recorded on FRR: ${name} gives ${truth.join(', ') || verdictFor(name, truth)} [TS-17]`, () => {
    const input = recorded.get(name)!;
    assert.deepEqual(named(input), truth);
    assert.equal(diagnose(input).verdict.kind, verdictFor(name, truth));
  });
}

test('damage that the other end met as well is told from the loss beside it', () => {
  const link = 'leaf2:eth2/spine2:eth2';
  const both = lookedAgain(recorded.get('spoiled')!, link, 1_000, { spine2: { out: 55, back: 0 } });
  const evidence = [...new Map(both.evidence.toReversed().map((entry) => [entry.id, entry])).values()];
  const heard = evidence.map((entry) => both.evidence.find(({ id }) => id === entry.id)!);
  assert.deepEqual(named({ ...both, evidence: heard }), ['link_packet_corruption link/leaf2:eth2--spine2:eth2']);
});

test('the order of the evidence means nothing', () => {
  for (const [name, input] of recorded)
    assert.deepEqual(diagnose({ ...input, evidence: [...input.evidence].reverse() }), diagnose(input), name);
});

test('missing answers never accuse anybody but the culprit', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...recorded.keys()),
      fc.array(fc.nat(), { minLength: 1, maxLength: 12 }),
      (name, picks) => {
        const input = recorded.get(name)!;
        const lost = new Set(picks.map((pick) => pick % input.evidence.length));
        const evidence = input.evidence.filter((_, index) => !lost.has(index));
        const extra = named({ ...input, evidence }).filter((finding) => !TRUTH[name]!.includes(finding));
        assert.deepEqual(extra, [], `${name} without ${[...lost].join(', ')}`);
      },
    ),
    { numRuns: 150, seed: 20261121 },
  );
});

test('with one agent silent, a healthy network is not called healthy, and nobody is accused', () => {
  const input = recorded.get('healthy')!;
  for (const silent of ['r2', 'r3', 'r4']) {
    const { verdict, findings } = diagnose({
      ...input,
      evidence: input.evidence.filter(({ node }) => node !== silent),
    });
    assert.deepEqual(findings, [], silent);
    assert.equal(verdict.kind, 'inconclusive', silent);
  }
});

test('a node that lies about its counters accuses nobody else', () => {
  const input = recorded.get('healthy')!;
  fc.assert(
    fc.property(
      fc.constantFrom('r1', 'r2', 'r3', 'r4'),
      fc.integer({ min: 1, max: 100_000 }),
      fc.boolean(),
      (liar, packets, sent) => {
        const evidence = input.evidence.map((entry) =>
          entry.node === liar && entry.kind === 'state' && entry.phase === 'after' ? lied(entry, packets, sent) : entry,
        );
        const others = named({ ...input, evidence }).filter((each) => each !== `agent_contradicted node/${liar}`);
        assert.deepEqual(others, []);
      },
    ),
    { numRuns: 60, seed: 20261121 },
  );
});

function lied(entry: Evidence, packets: number, sent: boolean): Evidence {
  const state = structuredClone(entry.body) as unknown as NodeState;
  const interfaces = state.inventory.interfaces.map((each) => {
    const name = sent ? 'txPackets' : 'rxPackets';
    return { ...each, counters: { ...each.counters, [name]: String(BigInt(each.counters[name]) + BigInt(packets)) } };
  });
  return { ...entry, body: { ...state, inventory: { ...state.inventory, interfaces } } as never };
}
