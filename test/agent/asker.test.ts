// A question travels with the one who asked it: no node is asked past its own rules through another one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAskTool } from '#agent/tools/ask.ts';
import { type Access, ACCESS_OPERATIONS, createAccess, DEFAULT_ACCESS } from '#model/access.ts';
import type { CallContext } from '#model/definition.ts';
import { systemRandom } from '#base/random.ts';
import { fakeParty } from '../fakes/signed-exchange.ts';
import { createTestDomain, hear, partsOf, type TestDomain } from './in-process.ts';

const INTENT = 'Verify packet loss on the SRv6 path from PE-1 to PE-3 via P-2';
const never = new AbortController().signal;
const alice = fakeParty('alice', 'operator');

/** The named group may do nothing at all. */
function nothingFor(group: string): Access {
  const rules = [{ name: 'nothing', action: 'deny', operations: ACCESS_OPERATIONS }] as const;
  return createAccess({ ...DEFAULT_ACCESS, lists: [{ name: 'shut', groups: [group], rules }] });
}

function domainWith(access: Readonly<Record<string, Access>>): TestDomain {
  const domain = createTestDomain(undefined, { random: systemRandom, party: fakeParty, access });
  hear(domain.node('pe1'), 'p2');
  hear(domain.node('pe1'), 'pe3');
  return domain;
}

type Answer = { readonly outcomes: readonly { node: string; status: string; reason?: string }[] };

async function askAt(domain: TestDomain, node: string, context: Partial<CallContext>): Promise<Answer> {
  const tool = createAskTool(partsOf(domain, node));
  const whole = { caller: alice.party, signal: never, progress: () => {}, ...context };
  return (await tool.call({ intent: INTENT }, whole)) as unknown as Answer;
}

test('an operator who is denied everything at p2 learns nothing of p2 by asking pe1', async () => {
  const domain = domainWith({ p2: nothingFor('operator/alice') });
  const answer = await askAt(domain, 'pe1', {});
  const ofP2 = answer.outcomes.filter(({ node }) => node === 'p2');
  assert.notEqual(ofP2.length, 0);
  assert.deepEqual([...new Set(ofP2.map(({ status }) => status))], ['refused']);
});
