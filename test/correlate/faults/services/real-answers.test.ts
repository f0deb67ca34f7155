// Services that their own router was given real answers by before, and is not now: silent, hung, and names with another address. What was
// always so, what may have been filtered, and what moved to a host that is there, is no fault.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import { serviceProof } from '#correlate/health/proof-services.ts';
import type { AnsweredService } from '#model/router/host-history.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { found, HTTP, said, serviceProbe } from '../../expected-scene.ts';
import { dropping, HOST1, HOST3, type Scene, sceneOf, wellOn } from '../../scope-scene.ts';
import { DNS } from '../../service-scene.ts';

const ROW = { ifname: 'eth3', address: HOST3.address };
const PAGE: AnsweredService = { ...ROW, service: 'tcp', port: 80, okAgoMs: 9_000, times: 3 };
const QUESTION: AnsweredService = { ...ROW, service: 'udp', port: 53, okAgoMs: 9_000, times: 3 };
const record = 'www.lab.example';
const given = (times: number, ...addresses: readonly string[]) => ({
  ...{ addresses, times },
  ...{ firstAgoMs: 30_000, lastAgoMs: 9_000 },
});
const NAME: AnsweredService = { ...QUESTION, record, given: [given(3, '192.0.2.80')] };

/** h3 was seen to serve, and gave r3 these answers. */
const remembering =
  (service: 'tcp' | 'udp', port: number, ...answered: readonly AnsweredService[]) =>
  (state: NodeState): NodeState => ({
    ...state,
    history: {
      ...state.history!,
      services: [{ ...ROW, service, port, agoMs: 9_000 }],
      watchedHosts: { servicesMs: 300_000, asks: [], names: [], ...(answered.length === 0 ? {} : { answered }) },
    },
  });

const hung = serviceProbe('tcp', 80, { reply: 'none' });
const silent = serviceProbe('udp', 53, { answered: false, open: false });
const echo = { destination: HOST3.address, service: 'echo', sent: 3, answered: true, open: true } as const;
const web = (answered: readonly AnsweredService[], ...whole: NonNullable<Scene['whole']>['r3']): Scene => ({
  states: { r3: remembering('tcp', 80, ...answered) },
  whole: { r3: whole },
});
const names = (answered: readonly AnsweredService[], ...whole: NonNullable<Scene['whole']>['r3']): Scene => ({
  states: { r3: remembering('udp', 53, ...answered) },
  whole: { r3: whole },
});
const reasonsOf = (scene: Scene) => diagnose(sceneOf(scene)).verdict;
const remarksOf = (scene: Scene) => diagnose(sceneOf(scene)).remarks?.map(({ text }) => text) ?? [];

test('a web server that gave its router a page, accepts connections and sends nothing is http_service_down', () => {
  assert.deepEqual(found(web([PAGE], hung, hung)), [['http_service_down', 'node/h3', 'likely']]);
  const [finding] = diagnose(sceneOf(web([PAGE], hung, hung))).findings;
  assert.equal(
    finding?.details['what'],
    'HTTP at 198.19.3.10 port 80 behind r3: accepts connections and sent nothing within 2.5 s; it answered this router 9 s ago',
  );
});

test('one try, a page among them, or a server that never gave its router one, accuses no host', () => {
  assert.deepEqual(found(web([PAGE], hung)), []);
  assert.deepEqual(found(web([PAGE], hung, serviceProbe('tcp', 80, { reply: 'page' }))), []);
  assert.deepEqual(found(web([PAGE], serviceProbe('tcp', 80, { reply: 'closed' }), hung)), []);
  assert.deepEqual(found(web([], hung, hung)), []);
});

test('a web server that answered its router less than three times may be slow, also where the question names it', () => {
  const twice = web([{ ...PAGE, times: 2 }], hung, hung);
  assert.deepEqual(found(twice), []);
  const lacking =
    /port 80 behind r3 \(h3\): was seen to serve, and now accepts connections and sent nothing within 2\.5 s/;
  assert.match(reasonsOf(twice).reasons.join('\n'), lacking);
  assert.deepEqual(said(web([PAGE], hung, hung), HTTP), ['http_service_down node/h3']);
  assert.match(said(twice, HTTP).join('\n'), /accepts connections and sent nothing within 2\.5 s/);
  assert.match(
    said({ whole: { r3: [hung, hung] } }, HTTP).join('\n'),
    /accepts connections and sent nothing within 2\.5 s/,
  );
});

test('a service that does not answer its router is no proof of health, unless it never did in a long time', () => {
  const proof = (scene: Scene) => {
    const { intent, nodeNames, evidence, outcomes } = sceneOf(scene);
    return serviceProof(caseFileOf(intent, nodeNames ?? [], evidence, outcomes).world);
  };
  const lost = proof(web([PAGE], hung));
  assert.deepEqual(lost.lacking, [
    'HTTP at 198.19.3.10 port 80 behind {r3} (h3): was seen to serve, and now accepts connections and sent nothing within 2.5 s',
  ]);
  assert.ok(
    reasonsOf(web([PAGE], hung)).reasons.some((reason) => reason.startsWith('HTTP at 198.19.3.10 port 80 behind r3')),
  );
  const never = proof(web([], hung, hung));
  assert.deepEqual(never.lacking, []);
  assert.match(
    never.proven[0] ?? '',
    /accepts connections and sent nothing within 2\.5 s, as for as long as it has tried/,
  );
  const young = (state: NodeState): NodeState => {
    const { watchedHosts: _, ...history } = remembering('tcp', 80)(state).history!;
    return { ...state, history };
  };
  assert.match(
    proof({ ...web([], hung, hung), states: { r3: young } }).lacking[0] ?? '',
    /whether it ever did is not known/,
  );
  const well = proof(web([PAGE], serviceProbe('tcp', 80, { reply: 'page' })));
  assert.deepEqual(well.lacking, []);
  assert.match(well.proven[0] ?? '', /^HTTP at 198\.19\.3\.10 port 80 behind \{r3\} \(h3\): answers \{r3\}$/);
  assert.match(well.proven[1] ?? '', /not tested: other ports, packets in the name of a host/);
  // Agents that did not ask for real answers.
  const { whole: _, ...plain } = web([PAGE], hung);
  assert.deepEqual(proof(plain), { proven: [], lacking: [] });
});

test('a name server that answered its router and is silent, although its host answers echoes, is dns_service_down', () => {
  assert.deepEqual(found(names([QUESTION], silent, silent, echo)), [['dns_service_down', 'node/h3', 'likely']]);
});

test('silence is no fault of the host without echoes, without memory, when it is away, or behind a filter of its router', () => {
  assert.deepEqual(found(names([QUESTION], silent, silent)), []);
  assert.deepEqual(found(names([], silent, silent, echo)), []);
  const away = {
    ...names([QUESTION], silent, silent, echo),
    hosts: { r3: [wellOn('r3', { answers: [], echoed: [] })] },
  };
  assert.deepEqual(found(away), []);
  const both = (state: NodeState, phase: 'before' | 'after') =>
    dropping(DNS)(remembering('udp', 53, QUESTION)(state), phase);
  const filtered = found({ ...names([QUESTION], silent, silent, echo), states: { r3: both } });
  assert.deepEqual(
    filtered.filter(([fault]) => fault === 'dns_service_down'),
    [],
  );
});

const moved = (...addresses: readonly string[]) => serviceProbe('udp', 53, { record, found: true, addresses });
const nowhere = { ...echo, destination: '198.51.100.99', answered: false, open: false };

test('another address for a name than its router was steadily given, with nothing there, is dns_record_error', () => {
  const scene = names([NAME], moved('198.51.100.99'), moved('198.51.100.99'), { ...nowhere, sent: 0 });
  assert.deepEqual(found(scene), [['dns_record_error', 'node/h3', 'likely']]);
  const [finding] = diagnose(sceneOf(scene)).findings;
  assert.equal(
    finding?.details['what'],
    'DNS at 198.19.3.10 behind r3: gives 198.51.100.99 for www.lab.example, and gave 192.0.2.80 until 9 s ago',
  );
});

test('a record that moved to a host that is there is a remark, and one of which that was not tried is left open', () => {
  const toHost = names([NAME], moved(HOST1.address), moved(HOST1.address));
  assert.deepEqual(found(toHost), []);
  assert.ok(remarksOf(toHost).some((reason) => /another address than before .* in use/.test(reason)));
  const echoed = names([NAME], moved('198.51.100.99'), moved('198.51.100.99'), { ...nowhere, answered: true });
  assert.deepEqual(found(echoed), []);
  const outside = names([NAME], moved('198.51.100.99'), moved('198.51.100.99'), nowhere);
  assert.deepEqual(found(outside), []);
  assert.ok(remarksOf(outside).some((reason) => /whether anything is there is not known/.test(reason)));
  const untried = names([NAME], moved('198.51.100.99'), moved('198.51.100.99'));
  assert.deepEqual(found(untried), []);
  assert.ok(
    reasonsOf(untried).reasons.some((reason) => /whether anything is at 198\.51\.100\.99 was not tried/.test(reason)),
  );
});

test('a new address in a network of a router is nowhere only where no host has it there, not where echoes are lost', () => {
  const address = '198.19.1.99';
  const lost = { ...echo, destination: address, answered: false, open: false };
  const scene = names([NAME], moved(address), moved(address), lost);
  const scanned = (...answers: ReturnType<typeof wellOn>['answers']): Scene => ({
    ...scene,
    more: [
      {
        node: 'r1',
        purpose: { kind: 'host-scan', aim: 'moved' },
        body: { ports: [wellOn('r1', { answers })] },
        args: { ports: [{ ifname: 'eth3', addresses: [address, HOST1.address] }] },
      },
    ],
  });
  const other = { address: HOST1.address, macs: [HOST1.mac] };
  assert.deepEqual(found(scene), [], 'a host may drop echoes');
  assert.ok(remarksOf(scene).some((reason) => /whether anything is there is not known/.test(reason)));
  assert.deepEqual(found(scanned(other)), [['dns_record_error', 'node/h3', 'likely']]);
  assert.deepEqual(found(scanned(other, { address, macs: ['02:00:00:00:01:99'] })), []);
  assert.deepEqual(found(scanned()), [], 'no host of that port answered the scan');
});

test('answers that take turns, share an address, or were given once, are no change', () => {
  const now = [moved('198.51.100.99'), moved('198.51.100.99'), { ...nowhere, sent: 0 }] as const;
  const turns = [
    { ...given(3, '192.0.2.80'), lastAgoMs: 1_000 },
    { ...given(3, '198.51.100.99'), firstAgoMs: 20_000 },
  ];
  assert.deepEqual(found(names([{ ...NAME, given: turns }], ...now)), []);
  assert.deepEqual(found(names([{ ...NAME, given: [given(1, '192.0.2.80')] }], ...now)), []);
  assert.deepEqual(found(names([{ ...NAME, given: [given(3, '192.0.2.80', '198.51.100.99')] }], ...now)), []);
  assert.deepEqual(found(names([NAME], moved('198.51.100.99'), moved('192.0.2.80'), { ...nowhere, sent: 0 })), []);
});
