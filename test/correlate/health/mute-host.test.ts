// A host that is on its link and answers no node: what is said of it, and what keeps it from being said.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { askedProof } from '#correlate/health/proof-asked.ts';
import type { Intent } from '#model/intent.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { dropping, HOST3, type Scene, sceneOf, wellOn } from '../scope-scene.ts';

type More = NonNullable<Scene['more']>;
const tryOf = (node: string, answered = false): More[number] => ({
  node,
  purpose: { kind: 'service-probe', reason: 'asked-echo', round: 'first' },
  body: { results: [{ destination: HOST3.address, service: 'echo', sent: 3, answered, open: answered }] },
});
const toRouter = (received: number): More[number] => ({
  node: 'r1',
  purpose: { kind: 'reach', round: 'first' },
  body: { results: [{ destination: '198.19.3.1', sent: 5, received, rttMs: 0.3 }] },
});
const MUTE = { r3: [wellOn('r3', { echoed: [] })] };
const SEEN = [toRouter(5), tryOf('r1'), tryOf('r3')];
const WATCHED = { asks: [], names: [], answered: [] };
const proofOf = (more: More = SEEN, scene: Scene = remembering({ watchedHosts: WATCHED }), asker = 'r1') => {
  const input = sceneOf({ more, hosts: MUTE, ...scene });
  const { world, facts } = caseFileOf(input.intent, input.nodeNames, input.evidence, input.outcomes);
  const intent: Intent = {
    ...{ kind: 'reachability', text: '', path: [{ as: asker, key: asker }], encapsulation: 'ip' },
    destination: HOST3.address,
  };
  return askedProof(intent, world, facts);
};
function remembering(history: Partial<NodeState['history'] & {}>): Scene {
  return { states: { r3: (state) => ({ ...state, history: { ...state.history!, ...history } }) } };
}

test('a host that is on its link and never answered any node is told not to have been tested', () => {
  const { proven, lacking } = proofOf();
  assert.deepEqual(lacking, []);
  assert.match(proven.join(), /not tested: 198\.19\.3\.10, which is on \{r3\} eth3 and answers neither .* nor \{r1\}/);
  assert.deepEqual(proofOf([tryOf('r3')], undefined, 'r3').lacking, [], 'its own router needs no way to itself');
});

test('where it ever answered, is not there, or something else may be to blame, that it is silent is lacking', () => {
  const lacks = (...scene: Parameters<typeof proofOf>) =>
    assert.match(proofOf(...scene).lacking.join(), /nothing came back from 198\.19\.3\.10, which no agent has/);
  lacks([toRouter(4), tryOf('r1'), tryOf('r3')]);
  lacks([toRouter(5), tryOf('r1')]);
  lacks([toRouter(5), tryOf('r1'), tryOf('r3', true)]);
  const watched = remembering({ watchedHosts: WATCHED });
  lacks(SEEN, { ...watched, hosts: { r3: [wellOn('r3')] } });
  lacks(SEEN, { ...watched, hosts: { r3: [wellOn('r3', { answers: [], echoed: [] })] } });
  lacks(SEEN, remembering({ watchedHosts: WATCHED, spanMs: 5_000 }));
  lacks(SEEN, {});
  lacks(
    SEEN,
    remembering({
      watchedHosts: WATCHED,
      services: [{ ifname: 'eth3', address: HOST3.address, service: 'tcp', port: 80, agoMs: 9 }],
    }),
  );
  const answered = [
    { ifname: 'eth3', address: HOST3.address, service: 'tcp', port: 80, okAgoMs: 9, times: 1 } as const,
  ];
  lacks(SEEN, remembering({ watchedHosts: { asks: [], names: [], answered } }));
  lacks(SEEN, { states: { r2: dropping([{ field: 'protocol', values: ['icmp'] }]) } });
});
