// The answer about a TCP port that a question names: open, refused or not answered, and to which node; never healthy unless it is open.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { portProof } from '#correlate/health/proof-port.ts';
import type { World } from '#correlate/network/world.ts';
import type { Intent } from '#model/intent.ts';
import { REFUSED, serviceProbe } from '../expected-scene.ts';
import { dropping, HOST3, type Scene, sceneOf } from '../scope-scene.ts';

const PORT = 3_389;
const INTENT: Intent = {
  ...{ kind: 'reachability', text: '', path: [{ as: 'r1', key: 'r1' }], encapsulation: 'ip' },
  ...{ destination: HOST3.address, service: { name: 'tcp', port: PORT } },
};
const OPEN = serviceProbe('tcp', PORT, {});
const CLOSED = serviceProbe('tcp', PORT, REFUSED);
const SILENT = serviceProbe('tcp', PORT, { answered: false, open: false });
const ECHO = { destination: HOST3.address, service: 'echo', sent: 3, answered: true, open: true } as const;

const about = (serviceProbes: NonNullable<Scene['serviceProbes']>, states: NonNullable<Scene['states']> = {}) => {
  const { verdict, findings } = diagnose({ ...sceneOf({ serviceProbes, states }), intent: INTENT });
  // A symptom that no fault explains is among the reasons.
  const lines = verdict.reasons.filter((line) => line.toLowerCase().includes(`tcp port ${PORT}`));
  return { kind: verdict.kind, lines, faults: findings.map(({ fault }) => fault) };
};

test('a port that is open to the asked node and to the router of the host is proven, without data', () => {
  const serviceProbes = ['r1', 'r3'].map((from) => ({ ...OPEN, from, source: from }));
  const proof = portProof({ address: HOST3.address, port: PORT }, 'r1', { serviceProbes } as unknown as World, []);
  assert.deepEqual(proof, {
    proven: [
      `TCP port ${PORT} at ${HOST3.address}: open to {r1}, {r3}; a connection was opened and closed, and no data sent`,
    ],
    lacking: [],
  });
  assert.deepEqual(about({ r1: [OPEN, ECHO], r3: [OPEN, ECHO] }).lines, [], 'nothing of it is lacking');
});

test('a refusal is an answer that is told apart from silence, and neither is healthy', () => {
  const refused = about({ r1: [CLOSED, ECHO], r3: [CLOSED, ECHO] });
  assert.deepEqual(refused.lines, [
    `TCP port ${PORT} at ${HOST3.address}: refuses r1, r3. Packets get there and back: nothing listens on the port, or a filter refuses it`,
  ]);
  const silent = about({ r1: [SILENT, ECHO], r3: [SILENT, ECHO] });
  // Silence is what was asked about: it is the answer, and no symptom beside it.
  assert.deepEqual(silent.lines, [`TCP port ${PORT} at ${HOST3.address}: no answer to r1, r3`]);
  for (const { kind } of [refused, silent]) assert.equal(kind, 'inconclusive');
});

test('each node has its own outcome', () => {
  const { lines, kind } = about({ r1: [SILENT, ECHO], r3: [OPEN, ECHO] });
  assert.ok(lines.includes(`TCP port ${PORT} at ${HOST3.address}: no answer to r1; open to r3`), String(lines));
  assert.notEqual(kind, 'healthy');
  assert.deepEqual(about({ r1: [CLOSED, ECHO], r3: [OPEN, ECHO] }).lines, [
    `TCP port ${PORT} at ${HOST3.address}: refuses r1; open to r3. Something listens there: a filter, on the way or of the host, refuses the others`,
  ]);
});

test('a port that an earlier agent refused to try was not tested', () => {
  const { lines, kind } = about({ r1: [ECHO], r3: [ECHO] });
  assert.deepEqual(
    [lines, kind],
    [[`TCP port ${PORT} at ${HOST3.address}: not tested, as no node tried it`], 'inconclusive'],
  );
  const half = about({ r1: [ECHO], r3: [OPEN, ECHO] });
  assert.deepEqual(
    [half.lines, half.kind],
    [[`TCP port ${PORT} at ${HOST3.address}: open to r3; not tested from r1`], 'inconclusive'],
  );
});

test('a connection by way of another next hop than the node would choose says nothing of the port', () => {
  const via = { ifname: 'eth2', mac: '02:00:00:00:02:01' };
  const proofOf = (serviceProbes: readonly object[]) =>
    portProof({ address: HOST3.address, port: PORT }, 'r1', { serviceProbes } as unknown as World, []).lacking;
  const tried = { ...OPEN, from: 'r1', source: 'r1' };
  assert.deepEqual(proofOf([tried]), []);
  assert.deepEqual(proofOf([{ ...tried, via }]), [
    `TCP port ${PORT} at ${HOST3.address}: not tested, as no node tried it`,
  ]);
});

test('a DNS query to the same port says nothing of the connection', () => {
  const { lines } = about({ r1: [serviceProbe('udp', PORT, {}), ECHO], r3: [ECHO] });
  assert.deepEqual(lines, [`TCP port ${PORT} at ${HOST3.address}: not tested, as no node tried it`]);
});

const TRIED = { r1: [SILENT, ECHO], r3: [OPEN, ECHO] };
const PROTOCOL = { field: 'protocol', values: ['tcp'] } as const;
const PORTS = [`${PORT}`, '1-9000'].map(
  (values) => [PROTOCOL, { field: 'destination-port', values: [values] }] as const,
);

/** With what its node remembers: the rule, or a time without it. */
const filtered = (matches: Parameters<typeof dropping>[0], before?: 'there' | 'without'): Scene['states'] => ({
  r2: (state, phase) => {
    const now = dropping(matches, 'forward', 1)(state, phase);
    const then = before === 'there' ? now.filters : [];
    return before === undefined
      ? now
      : { ...now, past: [{ fromAgoMs: 90_000, untilAgoMs: 60_000, state: { ...state, filters: then } }] };
  },
});

test('a filter that took our own connection alone is named with the port, and accused only where it is new', () => {
  for (const matches of PORTS) {
    const words = `A filter of r2 drops such packets (protocol tcp, destination-port ${matches[1].values[0]}), and dropped 1 meanwhile`;
    const line = `TCP port ${PORT} at ${HOST3.address}: no answer to r1; open to r3. ${words}`;
    const stood = `${line}; it was there for as long as the agents remember`;
    for (const [before, said] of [
      [undefined, line],
      ['there', stood],
    ] as const)
      assert.deepEqual(about(TRIED, filtered(matches, before)), { kind: 'inconclusive', lines: [said], faults: [] });
    const { kind, faults } = about(TRIED, filtered(matches, 'without'));
    assert.deepEqual([kind, faults], ['fault', ['acl_misconfig']]);
  }
});
