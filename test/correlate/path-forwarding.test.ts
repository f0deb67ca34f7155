// Questions about a path: what its nodes do with packets for each other and for hosts behind them, which probes along it need not show.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import { doubtsOf } from '#correlate/doubts.ts';
import type { StaticRoute } from '#model/router/control-plane.ts';
import type { FilterRule, NodeState, RouteAnswer } from '#model/router/router-port.ts';
import { filterSetting, filterSubject } from '#model/settings/filter-settings.ts';
import { along, PATH } from './path-scene.ts';
import { dropping, HOST3, type Scene, sceneOf } from './scope-scene.ts';
import { HTTP, is, served, tried } from './service-scene.ts';

const namedIn = (input: DiagnoseInput) => diagnose(input).findings.map(({ fault, resource }) => `${fault} ${resource}`);

const DISCARDED: RouteAnswer = { destination: '198.19.3.1', kind: 'blackhole', matched: '198.19.3.0/24' };
const withRoute =
  (protocol: string) =>
  (state: NodeState): NodeState => ({
    ...state,
    staticRoutes: [...(state.staticRoutes ?? []), { prefix: '198.19.3.0/24', kind: 'blackhole', protocol }],
  });

test('a route of a node of the path that discards what is for hosts at its end is found, and taken away where it is', () => {
  const found = (protocol: string) =>
    diagnose(along({ states: { r1: withRoute(protocol) }, lookups: { r1: [DISCARDED] } })).findings.map(
      ({ fault, resource, remedy }) => [`${fault} ${resource}`, remedy?.command],
    );
  const place = 'blackhole_route node/r1';
  assert.deepEqual(found('boot'), [[place, 'ip route del blackhole 198.19.3.0/24 proto boot table main']]);
  assert.deepEqual(found('static'), [[place, 'no ip route 198.19.3.0/24 Null0']]);
  assert.deepEqual(namedIn(along({})), []);
  const { sentence } = diagnose(along({ states: { r1: withRoute('boot') }, lookups: { r1: [DISCARDED] } }));
  assert.match(sentence, /^Found on r1 → r2 → r3: r1 blackhole route; suggest: remove the /);
});

test('that a node has no route may be meant, which the few nodes of a path cannot tell', () => {
  const input = along({ lookups: { r1: [{ destination: '198.19.3.1', kind: 'none' }] } });
  assert.deepEqual(namedIn(input), []);
  assert.doesNotMatch(diagnose(input).verdict.reasons.join(), /cannot send/);
});

test('a route that a node remembers and another node still has was lost: its path is not healthy, and no node is accused', () => {
  const was = {
    kind: 'static-route' as const,
    subject: '198.19.3.0/24',
    setting: 'eth2',
    was: 'unicast via 198.18.1.1',
  };
  const remembers =
    (change: object = {}, route?: StaticRoute, past: readonly StaticRoute[] = []) =>
    (state: NodeState): NodeState => ({
      ...state,
      staticRoutes: [...(state.staticRoutes ?? []), ...(route === undefined ? [] : [route])],
      past: [{ fromAgoMs: 90_000, untilAgoMs: 40_000, state: { ...state, staticRoutes: past } }],
      history: { ...state.history!, settingsSpanMs: 900_000, settings: [{ ...was, agoMs: 60_000, ...change }] },
    });
  const none: RouteAnswer = { destination: '198.19.3.1', kind: 'none' };
  const about = (r1: (state: NodeState) => NodeState, more: Scene = {}) => {
    const { states, lookups } = more;
    const input = along({ states: { r1, ...states }, lookups: { r1: [none], ...lookups } });
    const { verdict } = diagnose(input);
    const said = verdict.reasons.some((line) => /r1 cannot send to 198\.19\.3\.1 of r3: r1 has no route/.test(line));
    return [verdict.kind === 'healthy', said, namedIn(input)];
  };
  const lost = [false, true, []];
  assert.deepEqual(about(remembers()), lost);
  const route: StaticRoute = { prefix: '198.19.3.0/24', kind: 'unicast', protocol: 'static', nextHop: '198.18.1.1' };
  const elsewhere = { subject: '198.19.4.0/24' };
  assert.deepEqual(about(remembers(elsewhere, undefined, [route])), lost, 'a whole state of before has it');
  assert.equal(about(remembers(elsewhere))[1], false);
  assert.equal(about(remembers({ subject: '0.0.0.0/0' }))[1], false, 'a default route leads anywhere');
  assert.equal(about(remembers({}, route))[1], false, 'it is there still');
  const bare = (state: NodeState) => ({ ...state, history: { ...state.history!, hosts: [] } });
  const gone = { lookups: { r2: [none] }, states: { r3: bare } };
  assert.equal(about(remembers(), gone)[1], false, 'no other node has it, and no host is there: it may be meant');
  assert.equal(about(remembers(), { lookups: { r2: [none] } })[1], true, 'hosts are there');
  const sending = (state: NodeState) => ({ ...state, staticRoutes: [{ ...route, ifname: 'eth1' }] });
  const unknown = { states: { r2: remembers() }, lookups: { r1: [way], r2: [none] } };
  assert.deepEqual(namedIn(along({ ...unknown, states: { ...unknown.states, r1: sending } })), []);
  assert.deepEqual(
    namedIn(sceneOf({ ...unknown, states: { ...unknown.states, r1: sending } })),
    [],
    'who still sends there is innocent',
  );
});

const way: RouteAnswer = {
  destination: '198.19.3.1',
  kind: 'unicast',
  ifname: 'eth2',
  protocol: 'static',
  matched: '198.19.3.0/24',
};

test('a node of the path that does not forward what others send through it is found', () => {
  const forwarding = {
    ...{ ipv4: false, ipv6: true, policyRules: [] },
    interfaces: ['eth1', 'eth2'].map((ifname) => ({ ifname, ipv4: false, reversePath: 'off' })),
  };
  const off = (state: NodeState) => ({ ...state, forwarding }) as unknown as NodeState;
  assert.deepEqual(namedIn(along({ states: { r2: off } })), ['forwarding_disabled node/r2']);
});

const OPEN = tried('tcp', true, 80);
const REFUSED = { ...OPEN, open: false };
const LOST = tried('tcp', false, 80);

test('a new rule on the path that took packets puts the services of hosts in doubt; one that always was does not', () => {
  const isDoubted = (remembers: boolean) => {
    const { intent, evidence, outcomes } = along({ states: { r2: rejecting(remembers) } });
    return doubtsOf(caseFileOf(intent, PATH, evidence, outcomes), new Map(), []).filtered !== undefined;
  };
  assert.deepEqual([isDoubted(true), isDoubted(false)], [true, false]);
});

test('what a new rule refuses in the name of a host that is open to its own router is blocked', () => {
  const scene = (remembers: boolean, near = OPEN): Scene => ({
    states: { r2: rejecting(remembers), r3: served('tcp', 80) },
    serviceProbes: { r1: [REFUSED], r3: [near] },
  });
  const blocked = ['http_acl_block node/r2'];
  assert.deepEqual(namedIn(along(scene(true))), blocked);
  assert.deepEqual(namedIn(sceneOf(scene(true))), blocked);
  assert.deepEqual(namedIn(sceneOf(scene(false))), [], 'it was always there, and may be meant');
  assert.equal(namedIn(sceneOf(scene(true, REFUSED))).includes('http_acl_block node/r2'), false, 'the host refuses');
});

test('a service that a new rule may take, and that no other router could try, keeps the path from being healthy', () => {
  const lacking = (remembers: boolean, tries: Scene['serviceProbes'] = {}) => {
    const states = { r2: rejecting(remembers), r3: served('tcp', 80) };
    const { verdict } = diagnose(along({ states, serviceProbes: { r3: [OPEN], ...tries } }));
    return verdict.reasons.some((reason) => /which no other router tried/.test(reason));
  };
  assert.deepEqual([lacking(true), lacking(false), lacking(true, { r1: [OPEN] })], [true, false, false]);
});

test('a rule of the last hour that has dropped what its node forwards keeps any answer from being healthy, whatever it takes', () => {
  const lacking = (agoMs: number, packets: string, hook = 'forward', ask = along, before = packets) => {
    const r2 = (state: NodeState, when: 'before' | 'after'): NodeState => {
      const filters = dropping([], hook)(state, 'after').filters.map((rule) => ({
        ...rule,
        ...{ packets: when === 'before' ? before : packets, matchesRest: true, unread: ['ip dscp ef'] },
      }));
      const [rule] = filters;
      const came = {
        kind: 'filter' as const,
        subject: filterSubject(rule!),
        setting: filterSetting(rule!),
        is: 'drop',
        agoMs,
      };
      return { ...state, filters, history: { ...state.history!, settingsSpanMs: 9e6, settings: [came] } };
    };
    const { verdict } = diagnose(ask({ states: { r2 } }));
    return verdict.reasons.filter((reason) => /has dropped \d+ of the packets that the node forwards/.test(reason));
  };
  assert.deepEqual(lacking(60_000, '7'), [
    'r2: what was not in inet filter forward before (ip dscp ef) has dropped 7 of the packets that the node forwards; which hosts miss them is not known',
  ]);
  assert.equal(lacking(60_000, '7', 'forward', sceneOf).length, 1);
  assert.deepEqual([lacking(60_000, '0'), lacking(7_200_000, '7'), lacking(60_000, '7', 'input')], [[], [], []]);
  assert.equal(lacking(7_200_000, '7', 'forward', sceneOf, '3').length, 1, 'it drops while the question is measured');
});

test('a new rule counts as tried only by an answered try that passes it', () => {
  const lacking = (tries: Scene['serviceProbes'], change: Partial<FilterRule> = {}, at = 'r2') => {
    const rule = (state: NodeState, phase: 'before' | 'after') => {
      const now = rejecting(true)(state, phase);
      return { ...now, filters: now.filters.map((each) => ({ ...each, ...change })) };
    };
    const states = {
      [at]: rule,
      r3: at === 'r3' ? (s: NodeState, p: 'before' | 'after') => rule(served('tcp', 80)(s), p) : served('tcp', 80),
    };
    const { verdict } = diagnose(along({ states, serviceProbes: { r3: [OPEN], ...tries } }));
    return (
      verdict.kind !== 'fault' &&
      verdict.reasons.some((reason) => /a rule that was not there before .* may take what hosts send/.test(reason))
    );
  };
  assert.equal(lacking({ r1: [OPEN] }), false);
  assert.equal(lacking({ r1: [LOST] }, { packets: '0' }), false, 'it took nothing');
  assert.equal(
    lacking({ r1: [LOST] }, { matches: [...HTTP, is('destination', HOST3.address)] }),
    true,
    'nothing came back',
  );
  const some = { matchesRest: true, unread: ['limit rate over 10/second'] };
  assert.equal(lacking({}, some), true, 'what is not read may take it');
  assert.equal(lacking({ r1: [OPEN] }, some), false);
  assert.equal(lacking({ r2: [OPEN] }), true, 'what the node of the rule sends itself, it does not forward');
  assert.equal(lacking({ r1: [OPEN] }, { inInterfaces: ['eth3'] }, 'r1'), true, 'hosts of r1 are behind the rule');
  assert.equal(
    lacking({ r1: [OPEN] }, { matches: [...HTTP, is('source', '198.19.1.0/24')] }),
    true,
    'hosts alone are meant',
  );
  assert.equal(lacking({ r2: [OPEN] }, {}, 'r3'), false, 'the last router forwards it too');
});

test('pages that a router of the path asks for as its hosts would, and does not get, keep it from being healthy', () => {
  const lacking = (used: Scene['used'], near = OPEN, filters: ReturnType<typeof dropping> = (state) => state) => {
    const states = { r2: filters, r3: served('tcp', 80) };
    const { verdict } = diagnose(along({ states, whole: { r3: [near] }, ...(used === undefined ? {} : { used }) }));
    return verdict.reasons.filter((reason) =>
      /^r1: nothing came back of 198\.19\.3\.10 port 80 from 198\.19\.1\.1/.test(reason),
    );
  };
  const echo = tried('echo', true);
  assert.equal(lacking({ r1: [LOST, echo] }).length, 1);
  assert.equal(lacking({ r1: [LOST, OPEN, echo] }).length, 0, 'another try is answered');
  assert.equal(lacking({ r1: [REFUSED, echo] }).length, 0, 'the host refuses');
  assert.equal(lacking({ r1: [LOST, tried('echo', false)] }).length, 0, 'the way is not shown');
  assert.equal(lacking({ r1: [LOST, echo] }, LOST).length, 0, 'its own router is not served');
  assert.equal(lacking({ r1: [LOST, echo] }, OPEN, dropping(HTTP)).length, 0, 'an operator may mean it');
});

test('tries of services that were planned along a path and brought no answer are lacking', () => {
  const input = along({
    states: { r2: rejecting(true), r3: served('tcp', 80) },
    serviceProbes: { r3: [OPEN], r1: [OPEN] },
  });
  const failing = (status: 'timed-out' | 'refused', reason: string) => {
    const outcomes = input.outcomes.map((each) =>
      each.node === 'r1' && each.purpose.kind === 'service-probe'
        ? { ...each, name: 'parley-service-probe', status, reason }
        : each,
    );
    return diagnose({ ...input, outcomes }).verdict.reasons;
  };
  const lacking = 'r1: no answer to parley-service-probe (timed-out: no answer in time)';
  assert.ok(failing('timed-out', 'no answer in time').includes(lacking));
  const denied = failing('refused', '-32083 Access denied');
  assert.equal(
    denied.some((line) => line.startsWith('r1: no answer')),
    false,
  );
});

/** A rule of r2 that refuses pages; its node remembers that it came, or nothing of it. */
function rejecting(remembers: boolean) {
  return (state: NodeState, phase: 'before' | 'after'): NodeState => {
    const now = dropping(HTTP)(state, phase);
    const filters = now.filters.map((each) => ({ ...each, verdict: 'reject' as const }));
    const came = { kind: 'filter' as const, subject: 'inet filter forward', setting: 'handle 4', is: 'reject' };
    const settings = remembers ? [{ ...came, agoMs: 20_000 }] : [];
    return { ...now, filters, history: { ...state.history!, settings } };
  };
}

const LAN3: RouteAnswer = {
  destination: '198.19.3.1',
  kind: 'unicast',
  ifname: 'eth2',
  protocol: 'ospf',
  matched: '198.19.3.0/24',
};
const reached = (node: string, destination: string, received: number) => ({
  node,
  purpose: { kind: 'reach', round: 'first' } as const,
  body: { results: [{ destination, sent: 5, received, rttMs: received > 0 ? 1 : null }] },
});
const linesAbout = (text: RegExp, input: DiagnoseInput) => {
  const { verdict } = diagnose(input);
  return [verdict.kind === 'healthy', verdict.reasons.filter((line) => text.test(line))];
};

test('a network of hosts behind the end of a path that is not reached keeps it from being healthy, with the node that sends it off the path', () => {
  const away: RouteAnswer = { ...LAN3, ifname: 'eth9', nextHop: '198.18.9.1' };
  const lost = along({ lookups: { r1: [LAN3], r2: [away] }, more: [reached('r1', '198.19.3.1', 0)] });
  assert.deepEqual(linesAbout(/198\.19\.3\.1/, lost), [
    false,
    [
      'r1 → 198.19.3.1 of r3 over r2: 5 of 5 probes from end to end did not come back; not looked at again; r2 sends it off the path, over eth9 to 198.18.9.1',
    ],
  ]);
  assert.deepEqual(namedIn(lost), []);
  assert.deepEqual(
    linesAbout(/198\.19\.3\.1/, along({ lookups: { r1: [LAN3] }, more: [reached('r1', '198.19.3.1', 5)] }))[1],
    [],
  );
});

const byDefault: RouteAnswer = { ...LAN3, matched: 'default' };
/** Of r2: another uplink than the path. */
const awayByDefault: RouteAnswer = { ...byDefault, ifname: 'eth9', nextHop: '198.18.9.1' };

test('what default routes alone lead to, off the path, is owed no answer: it is said to be not tested', () => {
  const lookups = { r1: [byDefault], r2: [awayByDefault] };
  const [, lines] = linesAbout(/198\.19\.3\.1/, along({ lookups, more: [reached('r1', '198.19.3.1', 0)] }));
  assert.deepEqual(lines, []);
  const { proven } = caseFileOf(...inputFor(lookups)).planned;
  assert.ok(
    proven.includes(
      'not tested: {r1} → 198.19.3.1, as no node on the way is known to have another route there than a default one',
    ),
    proven.join('\n'),
  );
});

test('a head with a default route alone is owed an answer where a node of the path has a wrong route of its own', () => {
  const wrong: RouteAnswer = { ...LAN3, ifname: 'eth9', nextHop: '198.18.9.1', protocol: 'static' };
  const lost = along({ lookups: { r1: [byDefault], r2: [wrong] }, more: [reached('r1', '198.19.3.1', 0)] });
  assert.deepEqual(linesAbout(/198\.19\.3\.1/, lost), [
    false,
    [
      'r1 → 198.19.3.1 of r3 over r2: 5 of 5 probes from end to end did not come back; not looked at again; r2 sends it off the path, over eth9 to 198.18.9.1',
    ],
  ]);
});

test('default routes that lead all the way there and back, or probes of which some came back, are owed their answers', () => {
  const lookups = { r1: [byDefault], r2: [byDefault] };
  const none = linesAbout(/198\.19\.3\.1 of r3/, along({ lookups, more: [reached('r1', '198.19.3.1', 0)] }));
  assert.equal(none[0], false);
  assert.match(String(none[1]), /none of 5 came back, though every route is there/);
  const off = { r1: [byDefault], r2: [awayByDefault] };
  const some = linesAbout(/198\.19\.3\.1 of r3/, along({ lookups: off, more: [reached('r1', '198.19.3.1', 3)] }));
  assert.equal(some[0], false);
  assert.match(String(some[1]), /2 of 5 probes from end to end did not come back/);
});

function inputFor(lookups: Scene['lookups']): Parameters<typeof caseFileOf> {
  const { intent, nodeNames, evidence, outcomes } = along({
    lookups: lookups!,
    more: [reached('r1', '198.19.3.1', 0)],
  });
  return [intent, nodeNames, evidence, outcomes];
}

test('a link beside another one of the same two nodes that one end has always shut is a remark, and what was in use is a finding', () => {
  const spare =
    (address: string, adminUp: boolean, past: readonly boolean[] = []) =>
    (state: NodeState): NodeState => {
      const entry = { ...state.inventory.interfaces[1]!, name: 'eth8', mac: '', addresses: [`${address}/31`] };
      const at = (isUp: boolean): NodeState => ({
        ...state,
        inventory: {
          ...state.inventory,
          interfaces: [...state.inventory.interfaces, { ...entry, adminUp: isUp, operUp: isUp }],
        },
      });
      return {
        ...at(adminUp),
        past: past.map((isUp) => ({ fromAgoMs: 90_000, untilAgoMs: 40_000, state: at(isUp) })),
      };
    };
  const asked = (past: readonly boolean[]) => {
    const states = { r1: spare('198.18.8.0', false, past), r2: spare('198.18.8.1', true) };
    return diagnose(along({ states }));
  };
  const always = asked([false]);
  assert.deepEqual(
    always.remarks?.filter(({ kind }) => kind === 'link_down').map(({ resource }) => resource),
    ['link/r1:eth8--r2:eth8'],
  );
  assert.doesNotMatch(always.verdict.reasons.join(), /is shut down/);
  assert.deepEqual(
    asked([true]).findings.map(({ fault, resource }) => `${fault} ${resource}`),
    ['link_down link/r1:eth8--r2:eth8'],
  );
});
