// session_mismatch on the ring: a table of what the two ends of r1 – r2 have, and which end is named for it; and what excuses them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import type { BgpSession, IsisCircuit, OspfInterface } from '#model/router/control-plane.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { remarksTold } from '../../remarks.ts';
import { all, at, type Change, circuits, cut, ring } from '../../ring.ts';
import { R1, R2, session } from '../bgp/sessions.ts';
import { ospf, row } from '../ospf/ospf-ring.ts';

/** Resource, confidence and words of each finding. */
const told = (input: DiagnoseInput) =>
  diagnose(input).findings.map(({ fault, resource, confidence, details }) => {
    assert.equal(fault, 'session_mismatch');
    return [resource, confidence, (details['differs'] as string[]).join('; ')];
  });

const down = (r1: Partial<BgpSession>, r2: Partial<BgpSession>, ...more: readonly Change[]) =>
  ring(
    all(
      session('r1', R2, () => ({ state: 'Active', ...r1 })),
      session('r2', R1, () => ({ state: 'Idle', ...r2 })),
      ...more,
    ),
  );

/** All other sessions of a node. */
const others = (node: string, change: Partial<BgpSession>): Change =>
  at([node], (state) => ({
    ...state,
    bgp: {
      ...state.bgp!,
      sessions: state.bgp!.sessions.map((each) => ([R1, R2].includes(each.peer) ? each : { ...each, ...change })),
    },
  }));

const counted =
  (node: string, before: string, after: string): Change =>
  (state, at, phase) =>
    at === node
      ? {
          ...state,
          nodeCounters: { ...state.nodeCounters, TcpExtTCPMD5Failure: phase === 'before' ? before : after },
        }
      : state;

const [AT_R1, AT_R2] = ['interface/r1/eth1', 'interface/r2/eth1'];

test('a password at one end: the end that differs from its other sessions, else both', () => {
  const words = 'r1 has a password for 198.18.1.1, r2 has none for 198.18.1.0';
  assert.deepEqual(told(down({ password: true }, {})), [[AT_R1, 'certain', words]]);
  assert.deepEqual(
    told(down({ password: true }, {}, others('r1', { password: true }), others('r2', { password: true }))),
    [[AT_R2, 'certain', words]],
  );
  assert.deepEqual(told(down({ password: true }, {}, others('r1', { password: true }))), [
    [AT_R1, 'likely', words],
    [AT_R2, 'likely', words],
  ]);
});

test('passwords at both ends differ where a node counts wrong signatures, and both ends are named', () => {
  const secret = { password: true };
  assert.deepEqual(told(down(secret, secret)), []);
  assert.deepEqual(told(down(secret, secret, counted('r2', '4', '9'))), [
    [
      AT_R1,
      'likely',
      'r1 and r2 have passwords for each other that differ: r2 dropped 5 segments with a wrong signature in the window',
    ],
    [
      AT_R2,
      'likely',
      'r1 and r2 have passwords for each other that differ: r2 dropped 5 segments with a wrong signature in the window',
    ],
  ]);
  assert.deepEqual(told(down(secret, secret, counted('r2', '9', '9'))), [], 'counted before the window');
  assert.deepEqual(told(down({}, {}, counted('r2', '4', '9'))), [], 'without passwords it is of another session');
});

/** r1's settings, r2's settings, and where and how it is told; nothing where a session can come up so. */
const TABLE: readonly (readonly [Partial<BgpSession>, Partial<BgpSession>, readonly (readonly string[])[]])[] = [
  [
    { ttlSecurityHops: 1 },
    {},
    [[AT_R1, 'certain', 'r1 has ttl-security (1 hops) for 198.18.1.1, r2 has none for 198.18.1.0 and sends TTL 1']],
  ],
  [{ ttlSecurityHops: 1 }, { ttlSecurityHops: 2 }, []],
  [{ ttlSecurityHops: 1 }, { multihop: 255 }, []],
  [
    { ttlSecurityHops: 1 },
    { multihop: 10 },
    [[AT_R1, 'certain', 'r1 has ttl-security (1 hops) for 198.18.1.1, r2 has none for 198.18.1.0 and sends TTL 10']],
  ],
  [{ families: ['ipv4'] }, { families: ['ipv4', 'ipv6'] }, []],
  [
    { families: ['ipv4'] },
    { families: [] },
    [[AT_R2, 'certain', 'r1 has activated ipv4 for 198.18.1.1, r2 has activated no address family for 198.18.1.0']],
  ],
  [{ passive: true }, {}, []],
  [
    { passive: true },
    { updateSource: 'lo' },
    [
      [
        AT_R1,
        'likely',
        'r1 waits for r2 to connect (`passive`), r2 connects from 198.18.255.2 (`update-source lo`), r1 expects 198.18.1.1',
      ],
      [
        AT_R2,
        'likely',
        'r1 waits for r2 to connect (`passive`), r2 connects from 198.18.255.2 (`update-source lo`), r1 expects 198.18.1.1',
      ],
    ],
  ],
  [{ updateSource: 'lo' }, {}, []],
  [{ updateSource: 'eth1' }, { passive: true }, []],
  [{ shutdown: true }, { password: true }, []],
  [{}, {}, []],
];

test('what cannot go together is named, what can is not', () => {
  for (const [r1, r2, expected] of TABLE) {
    const known = (change: Partial<BgpSession>): Partial<BgpSession> => ({ families: ['ipv4'], ...change });
    const usual = [others('r1', { families: ['ipv4'] }), others('r2', { families: ['ipv4'] })];
    assert.deepEqual(told(down(known(r1), known(r2), ...usual)), expected, JSON.stringify([r1, r2]));
  }
});

test('an external session between loopbacks needs more hops at both ends, or no check of the peer at an end next to it', () => {
  const loopbacks = (r1: Partial<BgpSession>) => {
    const far = { updateSource: 'lo', multihop: 2 };
    return told(down({ peer: '198.18.255.2', updateSource: 'lo', ...r1 }, { peer: '198.18.255.1', ...far }));
  };
  const words = 'r1 has no ebgp-multihop for 198.18.255.2, which is on no link of it; r2 has it for 198.18.255.1';
  assert.deepEqual([...new Set(loopbacks({}).map(([, , said]) => said))], [words]);
  assert.deepEqual(loopbacks({ multihop: 2 }), []);
  assert.deepEqual(loopbacks({ unconnected: true }), []);
});

const gone = (node: string, peer: string) => session(node, peer, () => undefined);

test('a session that one end lacks is missing there if it was up, else the two ends are named', () => {
  const words = 'r1 has a session with r2 (198.18.1.1), r2 has none with r1';
  const wants = (established: number, ...more: readonly Change[]) =>
    told(
      ring(
        all(
          session('r1', R2, () => ({ state: 'Active', established })),
          gone('r2', R1),
          ...more,
        ),
      ),
    );
  assert.deepEqual(wants(1), [[AT_R2, 'likely', words]]);
  assert.deepEqual(wants(0), [
    [AT_R1, 'likely', words],
    [AT_R2, 'likely', words],
  ]);
  const unlisted = at(['r2'], (state) => ({ ...state, bgp: { ...state.bgp!, unlisted: true } }));
  assert.deepEqual(wants(1, unlisted), [], 'it takes sessions that no statement names');
  const { bgp: _bgp, ...silent } = {} as NodeState;
  assert.deepEqual(
    wants(
      1,
      at(['r2'], ({ bgp, ...state }) => ({ ...silent, ...state }) as NodeState),
    ),
    [],
  );
});

test('a peer by another address at the other end is one difference of both', () => {
  const words = 'r1 connects to r2 at 198.18.1.1, which connects to r1 at 198.18.255.1 from lo';
  const found = told(
    ring(
      all(
        session('r1', R2, () => ({ state: 'Active' })),
        session('r2', R1, () => ({ state: 'Active', peer: '198.18.255.1', updateSource: 'lo' })),
      ),
    ),
  );
  assert.deepEqual(
    found.map(([, confidence, said]) => [confidence, said]),
    [
      ['likely', words],
      ['likely', words],
    ],
  );
});

const remembered: Change = at(['r1'], (state) => ({
  ...state,
  history: {
    ...state.history!,
    events: [{ agoMs: 9_000, kind: 'session', subject: R2, up: false, changes: 1 }],
  },
}));

test('a session that was up and that one end has shut since is found at that end; shut before, or at both ends, it is a remark', () => {
  const words = 'r1 has shut its session with r2 (`neighbor 198.18.1.1 shutdown`), which was up before';
  assert.deepEqual(told(down({ shutdown: true }, {}, remembered)), [[AT_R1, 'likely', words]]);
  for (const meant of [down({ shutdown: true }, {}), down({ shutdown: true }, { shutdown: true }, remembered)]) {
    assert.deepEqual(told(meant), []);
    assert.match(remarksTold(diagnose(meant)).join('\n'), /shut at r1 \(neighbor 198\.18\.1\.1 shutdown\)/);
  }
});

test('a fault that has a name is stronger', () => {
  const input = down({ password: true, remoteAs: 65_099 }, {});
  assert.deepEqual(
    diagnose(input).findings.map(({ fault }) => fault),
    ['bgp_neighbor_misconfig'],
  );
});

const isis = (r1: Partial<IsisCircuit>, r2: Partial<IsisCircuit>, ...more: readonly Change[]) =>
  ring(
    all(
      cut,
      circuits(['r1'], (each) => (each.ifname === 'eth1' ? r1 : each)),
      circuits(['r2'], (each) => (each.ifname === 'eth1' ? r2 : each)),
      ...more,
    ),
  );

const refusing =
  (node: string): Change =>
  (state, where, phase) =>
    where === node
      ? circuits([node], (each) => (each.ifname === 'eth1' ? { rejects: phase === 'before' ? '3' : '8' } : each))(
          state,
          where,
          phase,
        )
      : state;

test('IS-IS: passwords of one kind with which hellos are refused', () => {
  assert.deepEqual(told(isis({}, {})), []);
  const secret = { password: 'md5' } as const;
  assert.deepEqual(told(isis(secret, secret)), []);
  const differ = 'r1 eth1 and r2 eth1 have passwords that differ: packets are refused';
  assert.deepEqual(told(isis(secret, secret, refusing('r2'))), [
    [AT_R1, 'likely', differ],
    [AT_R2, 'likely', differ],
  ]);
  assert.deepEqual(told(isis({}, {}, refusing('r2'))), [], 'refused for another reason');
});

const KNOWN = { authentication: 'none' } as const;
const ospfRing = (r1: Partial<OspfInterface>, r2: Partial<OspfInterface>) =>
  ring(ospf(row({ ...KNOWN, ...r1 }), row({ ...KNOWN, ...r2 })));

test('OSPF: authentication at one end', () => {
  assert.deepEqual(told(ospfRing({}, {})), []);
  assert.deepEqual(
    told(ospfRing({ authentication: 'md5' }, {})).map(([, , words]) => words),
    [
      'r1 eth1: authentication md5, r2 eth1: authentication none',
      'r1 eth1: authentication md5, r2 eth1: authentication none',
    ],
  );
});

test('roles that do not fit, or one that is demanded and not said, keep a session down', () => {
  const words = (r1: Partial<BgpSession>, r2: Partial<BgpSession>) => told(down(r1, r2)).map(([, , said]) => said);
  assert.deepEqual(words({ role: 'customer' }, { role: 'customer' }), [
    'r1 is customer to 198.18.1.1, r2 is customer to 198.18.1.0',
    'r1 is customer to 198.18.1.1, r2 is customer to 198.18.1.0',
  ]);
  assert.match(words({ role: 'peer', roleDemanded: true }, {}).join(), /r2 says no role to 198\.18\.1\.0/);
  assert.doesNotMatch(words({ role: 'customer' }, { role: 'provider' }).join(), /customer/);
  assert.doesNotMatch(words({ role: 'rs-client' }, {}).join(), /rs-client/, 'a role that is not demanded');
});
