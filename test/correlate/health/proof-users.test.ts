// Hosts that ask in vain for what they were given before keep the verdict from being healthy; hosts that are silent, or switched off, and that no other
// host asks for do not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import { userProof } from '#correlate/health/proof-users.ts';
import type { Intent } from '#model/intent.ts';
import type { UnansweredRequests } from '#model/router/host-history.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { HOST1, HOST3, type Scene, sceneOf, stateOf, wellOn } from '../scope-scene.ts';

const ROW: UnansweredRequests = {
  ...{ ifname: 'eth3', okIfname: 'eth3', client: HOST1.address, server: HOST3.address, port: 80 },
  ...{ okTimes: 5, okAgoMs: 40_000, times: 3, sinceAgoMs: 20_000, lastAgoMs: 2_000 },
};
const asking =
  (...rows: readonly UnansweredRequests[]): NonNullable<Scene['states']>[string] =>
  (state) => ({
    ...state,
    history: { ...state.history!, watchedHosts: { asks: [], names: [], unanswered: rows } },
  });
const inputOf = (rows: readonly UnansweredRequests[], scene: Scene, intent: Partial<Intent>) => {
  const input = sceneOf({ ...scene, states: { ...scene.states, r1: asking(...rows) } });
  return { ...input, intent: { ...input.intent, ...intent } };
};
function proofOf(rows: readonly UnansweredRequests[], scene: Scene = {}, intent: Partial<Intent> = {}) {
  const { nodeNames, evidence, outcomes, ...input } = inputOf(rows, scene, intent);
  const plain = (lines: readonly string[]) => lines.map((line) => line.replaceAll(/\{(r\d)\}/g, '$1'));
  const { proven, lacking } = userProof(input.intent, caseFileOf(input.intent, nodeNames, evidence, outcomes).world);
  return { proven: plain(proven), lacking: plain(lacking) };
}
/** What keeps the verdict from being healthy. */
const reasons = (...given: Parameters<typeof proofOf>) => proofOf(...given).lacking;
/** Behind another port. */
const SECOND = { ...ROW, ifname: 'eth4', okIfname: 'eth4', client: '198.19.2.10' };
const tried = (open: boolean): ServiceProbeResult => ({
  ...{ destination: HOST3.address, service: 'tcp', port: 80, sent: 1, answered: open, open },
});
const SAID =
  '198.19.3.10 port 80: 198.19.1.10 (behind r1 eth3) sent requests again for 3 connections in the last 20 s, was seen to end none of them, and ended others until 40 s ago';
const BOTH =
  '198.19.3.10 port 80: 198.19.1.10 (behind r1 eth3), 198.19.2.10 (behind r1 eth4) sent requests again for 6 connections in the last 20 s, were seen to end none of them, and ended others until 40 s ago';
const ALONE = 'hosts of one network alone ask so, and it is taken for no fault of the network';

test('what hosts ask for in vain keeps the verdict from being healthy, with the place as far as it is known', () => {
  const two = [ROW, SECOND];
  const said = diagnose(inputOf(two, {}, {})).verdict;
  assert.equal(said.kind, 'inconclusive');
  const untested = `${BOTH}; whether it answers r3 eth3, the port of its network, was not tested`;
  assert.deepEqual(
    said.reasons.filter((each) => /requests again/.test(each)),
    [untested],
  );
  assert.deepEqual(reasons(two), [untested]);
  assert.deepEqual(reasons(two, { serviceProbes: { r3: [tried(false)] } }), [
    `${BOTH}; it does not answer r3 eth3, the port of its network, and was not seen to answer it before`,
  ]);
  assert.deepEqual(reasons(two, { serviceProbes: { r3: [tried(true)] } }), [
    `${BOTH}; it answers r3 eth3, the port of its network: packets are lost on the way, or the server answers these clients late or not at all`,
  ]);
  const gone = wellOn('r3', { answers: [], echoed: [], asks: [{ mac: '', sender: '', target: HOST3.address }] });
  assert.deepEqual(reasons(two, { hosts: { r3: [gone] } }), [
    `${BOTH}; no host answers for its address at r3 eth3, the port of its network`,
  ]);
  const refused = [{ ...tried(false), answered: true }];
  assert.deepEqual(reasons(two, { serviceProbes: { r3: refused } }), [
    `${BOTH}; it refuses r3 eth3, the port of its network`,
  ]);
  const own = two.map((row) => ({ ...row, server: '198.19.255.3' }));
  assert.match(reasons(own)[0]!, /; it is an address of r3 itself$/);
  const moved = reasons([{ ...ROW, ifname: 'br20' }, SECOND])[0]!;
  assert.match(moved, /198\.19\.1\.10 \(behind r1 br20, and behind eth3 when it was answered\)/);
});

/** r3 was given an answer by that service before. */
const answered =
  (port = 80): NonNullable<Scene['states']>[string] =>
  (state) => {
    const service = {
      ifname: 'eth3',
      address: HOST3.address,
      service: 'tcp' as const,
      port,
      okAgoMs: 60_000,
      times: 2,
    };
    return { ...state, history: { ...state.history!, watchedHosts: { asks: [], names: [], answered: [service] } } };
  };

test('hosts of one network alone keep it from being healthy only where the server answers its own router no more', () => {
  const silent = { serviceProbes: { r3: [tried(false)] } };
  assert.deepEqual(reasons([ROW], { ...silent, states: { r3: answered() } }), [
    `${SAID}; it does not answer r3 eth3, the port of its network, either, and did before`,
  ]);
  assert.deepEqual(reasons([ROW], { ...silent, states: { r3: answered(443) } }), [], 'another service did');
  assert.deepEqual(proofOf([ROW], silent), {
    proven: [
      `${SAID}; it does not answer r3 eth3, the port of its network, and was not seen to answer it before; ${ALONE}`,
    ],
    lacking: [],
  });
  const answers = `${SAID}; it answers r3 eth3, the port of its network: packets are lost on the way, or the server answers these clients late or not at all`;
  assert.deepEqual(proofOf([ROW], { serviceProbes: { r3: [tried(true)] } }), {
    proven: [`${answers}; ${ALONE}`],
    lacking: [],
  });
  const beside = { ...ROW, client: '198.19.1.11' };
  assert.deepEqual(reasons([ROW, beside], { serviceProbes: { r3: [tried(true)] } }), [], 'of the same port');
  assert.deepEqual(reasons([ROW]), []);
  const other = { ...SECOND, port: 443 };
  assert.equal(reasons([ROW, other]).length, 2, 'two services of one server');
  const asked = { kind: 'reachability', path: [], destination: HOST3.address } as const;
  assert.equal(reasons([ROW], {}, { ...asked, fromHost: { address: HOST1.address } }).length, 1, 'it is asked about');
});

test('ports of two routers on one LAN are one network, as a port with two networks is: one host may send in any name there', () => {
  const eth3 = stateOf(1).inventory.interfaces.find(({ name }) => name === 'eth3')!;
  const lan =
    (...addresses: readonly string[]): NonNullable<Scene['states']>[string] =>
    (state) => {
      const shared = { ...eth3, mac: '02:00:00:00:02:03', addresses };
      const others = state.inventory.interfaces.filter(({ name }) => name !== 'eth3');
      return { ...state, inventory: { ...state.inventory, interfaces: [...others, shared] } };
    };
  const rows = (client: string) => (state: NodeState, phase: 'before' | 'after') =>
    asking({ ...ROW, client })(lan('198.19.1.2/24')(state, phase), phase);
  assert.deepEqual(reasons([ROW], { states: { r2: rows('198.19.1.11') } }), []);
  const two = { ...ROW, client: '198.19.2.10' };
  const second = (state: NodeState, phase: 'before' | 'after') =>
    asking(two)(lan('198.19.2.2/24')(state, phase), phase);
  assert.equal(reasons([ROW], { states: { r2: second } }).length, 1, 'of two LANs');
  assert.deepEqual(reasons([ROW, two]), [], 'of one port');
  const wide = (state: NodeState, phase: 'before' | 'after') =>
    asking(two)(lan('198.19.1.2/24', '198.19.2.2/24')(state, phase), phase);
  assert.deepEqual(reasons([ROW], { states: { r2: wide } }), [], 'of a LAN with two networks');
});

/** r2 translates addresses; so many connections its kernel could not enter in the window. */
const translator =
  (failed: number): NonNullable<Scene['states']>[string] =>
  (state, phase) => {
    const at = { family: 'ip', table: 'nat', chain: 'post', path: ['post'], hook: 'postrouting', handle: 1 };
    const rule = {
      ...at,
      verdict: 'other' as const,
      outInterfaces: [],
      inInterfaces: [],
      matches: [],
      matchesRest: true,
    };
    const failures = String(phase === 'before' ? 7 : 7 + failed);
    const conntrack = { tracked: 256, most: 65_536, dropped: '0', failed: failures };
    return {
      ...state,
      filters: [{ ...rule, rewrites: ['source = 203.0.113.5'] }],
      forwarding: { ipv4: true, ipv6: true, interfaces: [], conntrack },
    };
  };

test('a node that translates on the way is named where many clients suffer or its kernel failed, and no other node', () => {
  const scene = (failed: number): Scene => ({
    states: { r2: translator(failed) },
    serviceProbes: { r3: [tried(true)] },
  });
  const [both = ''] = reasons([ROW, SECOND], scene(0));
  assert.match(
    both,
    /^198\.19\.3\.10 port 80: .*, 198\.19\.2\.10 \(behind r1 eth4\) sent requests again for 6 connections/,
  );
  assert.match(both, /late or not at all; r2 translates addresses there$/);
  assert.match(
    proofOf([ROW], scene(3)).proven[0]!,
    /; r2 \(which could not enter 3 connections in the window: no port may be free\) translates addresses there; hosts of/,
  );
  const [banned = ''] = proofOf([ROW], scene(0)).proven;
  assert.match(banned, /packets are lost on the way, or the server answers these clients late or not at all; hosts of/);
});

test('a server of which no node of the question has a network is no matter: it may be off', () => {
  const far = { ...ROW, server: '203.0.113.7', port: 443 };
  const both = [far, { ...far, client: SECOND.client, ifname: 'eth4' }];
  assert.deepEqual(proofOf(both), { proven: [], lacking: [] });
  assert.equal(reasons([...both, ROW, SECOND]).length, 1);
});

test('a server that is off where others on its port answer is said, and keeps no network from being healthy', () => {
  const other = { address: '198.19.3.11', macs: ['02:00:00:00:03:11'] };
  const asks = [{ mac: '', sender: '', target: HOST3.address }];
  const off = wellOn('r3', { answers: [other], echoed: [other.address], asks });
  assert.deepEqual(proofOf([ROW, SECOND], { hosts: { r3: [off] } }), {
    proven: [`${BOTH}; no host has its address at r3 eth3, where others answer: it may be off`],
    lacking: [],
  });
});

const path = (...names: readonly string[]) => names.map((as) => ({ as, key: as }));

test('a question about an address, nodes, a link or a session gets what bears on it', () => {
  const two = [ROW, SECOND];
  const told = (intent: Partial<Intent>) => reasons(two, {}, intent).length;
  assert.equal(told({ kind: 'interface-fault', path: path('r2'), ifname: 'eth2' }), 0);
  assert.equal(told({ kind: 'neighbour-down', path: path('r1', 'r2'), protocol: 'isis' }), 0);
  assert.equal(told({ path: path('r2') }), 1);
  assert.equal(told({ kind: 'reachability', path: path('r1', 'r3') }), 1);
  const near = two.map((row) => ({ ...row, server: '198.19.1.20' }));
  assert.equal(reasons(near, {}, { kind: 'reachability', path: path('r1', 'r3') }).length, 0);
  assert.equal(reasons(near, {}, { path: path('r3') }).length, 0);
  const reach = { kind: 'reachability', path: path('r1') } as const;
  assert.equal(told({ ...reach, destination: HOST3.address }), 1);
  assert.equal(told({ ...reach, destination: '198.19.3.0/24' }), 1);
  assert.equal(told({ ...reach, destination: '198.19.3.11' }), 0);
  assert.equal(told({ ...reach, destination: HOST3.address, fromHost: { address: HOST1.address } }), 1);
  assert.equal(told({ ...reach, destination: HOST3.address, fromHost: { address: '198.19.1.11' } }), 0);
});

test('many services make few lines', () => {
  const many = Array.from({ length: 8 }, (_, index) => [ROW, SECOND].map((row) => ({ ...row, port: 1_000 + index })));
  const lines = reasons(many.flat());
  assert.equal(lines.length, 5);
  assert.equal(lines[4]?.startsWith('requests to 4 more services were sent again: 198.19.3.10 port 1004, '), true);
});

test('what was never answered, is over, was asked for once, or is what a node asks for is no matter', () => {
  const told = (change: object) => proofOf([ROW, SECOND].map((row) => ({ ...row, ...change })));
  const nothing = { proven: [], lacking: [] };
  assert.deepEqual(proofOf([]), nothing);
  assert.deepEqual(told({ okTimes: 1 }), nothing);
  assert.deepEqual(told({ lastAgoMs: 30_001 }), nothing);
  assert.deepEqual(told({ times: 1 }), nothing, 'one lost request of each of two hosts');
  assert.deepEqual(told({ client: '198.19.255.2' }), nothing);
});

test('a host that is switched off and that no host asks for is no matter', () => {
  const off = wellOn('r3', { answers: [], echoed: [] });
  const { verdict, findings } = diagnose(sceneOf({ hosts: { r3: [off] } }));
  assert.deepEqual([findings, verdict.reasons.filter((each) => each.includes(HOST3.address))], [[], []]);
});

test('hosts of one network alone keep it from being healthy where a filter on the way drops what they send by what changed', () => {
  const from = (...values: readonly string[]) => [{ field: 'source', values }];
  const rule = (more: object) => ({
    ...{ family: 'inet', table: 'fw', chain: 'f', path: ['f'], hook: 'forward', handle: 1, verdict: 'accept' },
    ...{ outInterfaces: [], inInterfaces: [], matches: [], matchesRest: false, ...more },
  });
  const data = { verdict: 'accept', path: ['f'], inInterfaces: [], outInterfaces: [], matchesRest: false };
  const filtering =
    (wasRules?: readonly object[], rules: readonly object[] = []): NonNullable<Scene['states']>[string] =>
    (state) =>
      ({
        ...state,
        filters: [
          ...rules,
          rule({ matches: from('198.19.3.0/24') }),
          rule({ handle: 0, verdict: 'other', ends: 'drop' }),
        ],
        history: {
          ...state.history!,
          settings: [
            {
              ...{
                kind: 'filter',
                subject: 'inet fw f',
                setting: 'accept 1',
                was: 'accept',
                is: 'accept',
                agoMs: 30_000,
              },
              ...(wasRules && { wasRules }),
            },
          ],
        },
      }) as unknown as NodeState;
  const said = (r2: NonNullable<Scene['states']>[string], row: UnansweredRequests = ROW) => {
    const { lacking, proven } = proofOf([row], { states: { r2 }, serviceProbes: { r3: [tried(true)] } });
    return [...lacking, ...proven.filter((line) => line.endsWith(ALONE))];
  };
  const drops = `${SAID}; r2: the policy of inet fw f drops the requests of 198.19.1.10, and`;
  const before = [{ ...data, matches: from('198.19.1.0/24', '198.19.3.0/24') }];
  assert.deepEqual(said(filtering(before)), [`${drops} it let them through before`]);
  assert.deepEqual(said(filtering()), [`${drops} its rules changed`]);
  const alone = [
    `${SAID}; it answers r3 eth3, the port of its network: packets are lost on the way, or the server answers these clients late or not at all; ${ALONE}`,
  ];
  assert.deepEqual(said(filtering([{ ...data, matches: from('198.19.9.0/24') }])), alone, 'it dropped them before');
  const web = rule({ matches: [{ field: 'destination-port', values: ['80'] }] });
  assert.deepEqual(said(filtering(before, [web])), alone, 'it lets this port through');
});
