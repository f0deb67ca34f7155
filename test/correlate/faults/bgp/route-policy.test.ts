// route_policy_misconfig: a real router whose policy keeps its prefix from its neighbours.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { changed, recorded } from '../../recording.ts';
import { at, drawn, named, withheldSince } from '../../ring.ts';

test('the node is named with its policy, which an operator must read', () => {
  const input = withheldSince();
  assert.deepEqual(drawn(input), [
    [
      'route_policy_misconfig node/r3',
      undefined,
      'what the policy is there for: it may be wrong in one line, or as a whole',
    ],
  ]);
  const [finding] = diagnose(input).findings;
  assert.match(finding?.remedy?.summary ?? '', /^let r3 announce 198\.19\.3\.0\/24/);
});

test('a prefix that every session carries is kept back by no policy', () => {
  const announced = changed(recorded('policy'), {
    state: at(['r3'], (state) => {
      const peers = state.bgp!.sessions.map(({ peer }) => peer);
      const ownPrefixes = state.bgp!.ownPrefixes.map((own) => ({ ...own, originated: true, advertisedTo: peers }));
      return { ...state, bgp: { ...state.bgp!, ownPrefixes } };
    }),
  });
  assert.deepEqual(named(announced), []);
});

test('what a policy has kept back for as long as its node remembers is a remark, unless it is asked for', () => {
  const input = recorded('policy');
  const { verdict, findings } = diagnose(input);
  assert.deepEqual([verdict.kind, findings], ['healthy', []]);
  assert.ok(
    verdict.reasons.some((line) => /^r3: 198\.19\.3\.0\/24 is in BGP, and route-map .* keeps it from/.test(line)),
  );
  const asked = { ...input, intent: { ...input.intent, destination: '198.19.3.1' } };
  assert.deepEqual(named(asked), ['route_policy_misconfig node/r3']);
});
