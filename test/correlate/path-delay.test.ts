// A link of a path whose round trip rose while its nodes watched: users' packets are late, though none is lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { diagnose } from '#correlate/diagnose.ts';
import type { LinkRise } from '#model/router/link-monitor.ts';
import { exchange } from './builder.ts';

const ROSE = { far: ['fd00:2::1'], agoMs: 30_000, quickUs: 300, slowUs: 85_300, slowRounds: 5 };

/** From p2 to pe3 a round trip takes so long; `rise`: as p2 remembers it. */
function told(tripMs: number, rise?: Partial<LinkRise>) {
  const scene = exchange({ nodes: ['pe1', 'p2', 'pe3'], seed: 7, load: 400 });
  const evidence = scene.evidence.map((entry) => {
    const body = entry.body as JsonObject;
    if (entry.kind === 'probe' && entry.node === 'p2')
      return { ...entry, body: { ...body, rttMs: { min: tripMs, avg: tripMs + 1, max: tripMs + 9 } } };
    if (entry.kind !== 'state' || entry.node !== 'p2' || rise === undefined) return entry;
    const rises = [{ ifname: 'eth1', ...ROSE, ...rise }];
    return { ...entry, body: { ...body, history: { spanMs: 60_000, events: [], lastHeard: [], rises } } };
  });
  const { verdict, findings } = diagnose({ ...scene, evidence } as typeof scene);
  return { kind: verdict.kind, reasons: verdict.reasons.join('\n'), faults: findings.map(({ fault }) => fault) };
}

test('a path over a link that became slow is not healthy, and says since when', () => {
  const { kind, reasons } = told(85.5, {});
  assert.notEqual(kind, 'healthy');
  assert.match(reasons, /round trip 85\.5 ms at least.*; 0\.3 ms until 30 s ago/);
});

test('a path over a link that may always have been long, or is quick again, is healthy', () => {
  assert.equal(told(85.5).kind, 'healthy');
  assert.equal(told(0.3, {}).kind, 'healthy');
});
