// A host to which the asking node has a default route alone, and which it therefore does not try: what shows that it is reached all the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { askedProof } from '#correlate/health/proof-asked.ts';
import type { Intent } from '#model/intent.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { dropping, HOST3, type Scene, sceneOf, wellOn } from '../scope-scene.ts';

type More = NonNullable<Scene['more']>;
const echoOf = (node: string, answered: boolean): More[number] => ({
  node,
  purpose: { kind: 'service-probe', reason: 'far-echo', round: 'first' },
  body: { results: [{ destination: HOST3.address, service: 'echo', sent: 3, answered, open: answered }] },
});
const toRouter = (received: number): More[number] => ({
  node: 'r1',
  purpose: { kind: 'reach', round: 'first' },
  body: { results: [{ destination: '198.19.3.1', sent: 5, received, rttMs: 0.3 }] },
});
const SEEN = [toRouter(5), echoOf('r3', true), echoOf('r2', true)];
const byDefault: RouteAnswer = {
  ...{ destination: HOST3.address, kind: 'unicast', ifname: 'eth2', protocol: 'ospf', matched: 'default' },
};
const proofOf = (more: More, scene: Scene = {}, route = byDefault) => {
  const input = sceneOf({ lookups: { r1: [route] }, more, ...scene });
  const { world, facts } = caseFileOf(input.intent, input.nodeNames, input.evidence, input.outcomes);
  const intent: Intent = {
    ...{ kind: 'reachability', text: '', path: [{ as: 'r1', key: 'r1' }], encapsulation: 'ip' },
    destination: HOST3.address,
  };
  return askedProof(intent, world, facts);
};

test('its router and another node got answers, and all probes to that router came back: the host is reached', () => {
  assert.deepEqual(proofOf(SEEN), {
    proven: [
      '{r1}: 198.19.3.10 was not probed by it, as its default route alone leads there; {r3}, whose host it is, and {r2} got answers from it, and all probes of {r1} to 198.19.3.1 of {r3} came back',
    ],
    lacking: [],
  });
});

test('that its router got answers at an address off the network of the host shows its way back as well', () => {
  const near = [toRouter(5), echoOf('r3', true)];
  assert.deepEqual(proofOf(near), {
    proven: [
      '{r1}: 198.19.3.10 was not probed by it, as its default route alone leads there; {r3}, whose host it is, got answers from it, also at its address 198.19.255.3, and all probes of {r1} to 198.19.3.1 of {r3} came back',
    ],
    lacking: [],
  });
  const seen = (change: Parameters<typeof wellOn>[1]) => proofOf(near, { hosts: { r3: [wellOn('r3', change)] } });
  assert.equal(seen({ echoed: [] }).proven.length, 0);
  assert.equal(seen({ source: '198.19.3.2' }).proven.length, 0, 'an address beside the host');
});

test('a rule that the host’s port alone meets takes what comes from the host there, and nothing that is for it', () => {
  const from = (network: string, port: 'inInterfaces' | 'outInterfaces'): Scene => ({
    states: {
      r3: (state, phase) => {
        const changed = dropping([{ field: 'source', values: [network], negated: true }])(state, phase);
        return { ...changed, filters: changed.filters!.map((rule) => ({ ...rule, [port]: ['eth3'] })) };
      },
    },
  });
  assert.equal(proofOf(SEEN, from('198.19.3.0/24', 'inInterfaces')).proven.length, 1, 'as against false senders');
  assert.equal(proofOf(SEEN, from('198.19.9.0/24', 'inInterfaces')).proven.length, 0);
  assert.equal(proofOf(SEEN, from('198.19.3.0/24', 'outInterfaces')).proven.length, 0);
});

test('a node beside the way that gets no answer is no hole', () => {
  const off = { lookups: { r1: [byDefault, { ...byDefault, destination: '198.19.3.1', ifname: 'eth9' }] } };
  assert.equal(proofOf([...SEEN, echoOf('r2', true)]).proven.length, 1);
  const aside = proofOf([...SEEN, { ...echoOf('r4', false) }]);
  assert.deepEqual([aside.proven.length, aside.lacking], [1, []]);
  assert.equal(proofOf(SEEN, off).proven.length, 0, 'where the way of the asking node is not known');
});

test('what another node lost is a symptom of the question only on the way of a node that got no answer itself', () => {
  const echo = (node: string, answered: boolean, round: 'first' | 'confirmation'): More[number] => ({
    ...echoOf(node, answered),
    purpose: { kind: 'service-probe', reason: round === 'first' ? 'asked-echo' : 'far-echo', round },
  });
  const lost = (node: string, more: More) => {
    const twice = [echo(node, false, 'first'), echo(node, false, 'confirmation')];
    const router = { ...toRouter(5), node };
    const input = sceneOf({
      more: [toRouter(5), ...(node === 'r1' ? [] : [router]), echo('r3', true, 'first'), ...twice, ...more],
    });
    const intent: Intent = {
      ...input.intent,
      kind: 'reachability',
      path: [{ as: 'r1', key: 'r1' }],
      destination: HOST3.address,
    };
    const file = caseFileOf(intent, input.nodeNames, input.evidence, input.outcomes);
    return file.symptoms.filter(({ kind }) => kind === 'service').length;
  };
  assert.equal(lost('r1', []), 1);
  assert.equal(lost('r2', []), 1, 'on the way');
  assert.equal(lost('r2', [echo('r1', true, 'first')]), 0, 'the node that is asked about is answered');
});

test('where a part of that is not shown, nothing is proven', () => {
  const lacks = (...scene: Parameters<typeof proofOf>) =>
    assert.deepEqual(proofOf(...scene), {
      proven: [],
      lacking: ['{r1}: no probe was sent to 198.19.3.10, which no agent has'],
    });
  lacks([echoOf('r3', true), echoOf('r2', true)]);
  lacks([toRouter(4), echoOf('r3', true), echoOf('r2', true)]);
  lacks([toRouter(5), echoOf('r3', true)], { hosts: { r3: [wellOn('r3', { echoed: [] })] } });
  lacks([toRouter(5), echoOf('r2', true)]);
  lacks([...SEEN, echoOf('r2', false)]);
  lacks(SEEN, { hosts: { r3: [wellOn('r3', { answers: [], echoed: [] })] } });
  lacks(SEEN, {}, { ...byDefault, matched: '198.19.3.0/24' });
  lacks(SEEN, { states: { r2: dropping([{ field: 'protocol', values: ['tcp'] }]) } });
});
