// The IS-IS speaker against a router in memory: three-way adjacency, one LSP, acknowledgement, refresh, overtaking, purge,
// reachability, and everything under which it must not go on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readLspContents } from '#codec/isis/lsp-contents.ts';
import { decodePdu } from '#codec/isis/pdu.ts';
import type { IsisEvent } from '#model/router-port.ts';
import { createSpeaker } from '#router/helper/isis/speaker.ts';
import { createFakeClock } from '../fakes/clock.ts';
import * as router from '../fakes/isis-router.ts';

const ROUTER = '000000000001';
const P2 = '000000000002';
const PE3 = '000000000003';
const OURS = '02aabbccdd01';
const THEIRS = '02aabbccdd03';
const OWN_LSP = `${OURS}0000`;
const US = { systemId: OURS, circuitId: 7 };
const information = Uint8Array.of(1, 0x25, 0x2a);

/** 2026-01-01: 189,388,800 seconds after the epoch of sequence numbers. */
const FIRST_SEQUENCE = 189_388_801;

function setUp(over: { readonly nowMs?: number; readonly area?: string } = {}) {
  const clock = createFakeClock(over.nowMs === undefined ? {} : { nowMs: over.nowMs });
  const sent: Uint8Array[] = [];
  const events: IsisEvent[] = [];
  const speaker = createSpeaker({
    ...US,
    ...(over.area === undefined ? {} : { area: over.area }),
    linkLocal: Uint8Array.from([0xfe, 0x80, ...new Uint8Array(13), 1]),
    hostname: 'parley-pe1',
    information,
    clock,
    send: (pdu) => sent.push(pdu),
    emit: (event) => events.push(event),
  });
  /** What was sent since the last look, of one kind. */
  const taken = (kind: string) => sent.splice(0).filter((pdu) => router.unwrap(decodePdu(pdu)).kind === kind);
  const pass = async (ms: number) => {
    await clock.advance(ms);
    speaker.tick();
  };
  const connect = async (lsps: readonly Uint8Array[] = []) => {
    speaker.receive(router.routerHello(ROUTER, 'down'));
    speaker.receive(router.routerHello(ROUTER, 'initializing', US));
    for (const lsp of lsps) speaker.receive(lsp);
    speaker.receive(router.csnpOf(ROUTER, lsps));
    speaker.tick();
  };
  const systems = () => events.filter((event) => event.kind === 'system' || event.kind === 'gone');
  return { clock, speaker, sent, events, taken, pass, connect, systems };
}

const helloState = (pdu: Uint8Array) => {
  const decoded = router.unwrap(decodePdu(pdu));
  assert.ok(decoded.kind === 'hello');
  return ['up', 'initializing', 'down'][decoded.tlvs[0]!.value[0]!];
};
const area = (announcement = information) => [
  router.lspOf({ systemId: ROUTER, hostname: 'pe1', neighbours: [P2, OURS] }),
  router.lspOf({ systemId: P2, hostname: 'p2', neighbours: [ROUTER, PE3] }),
  router.lspOf({ systemId: PE3, hostname: 'pe3', neighbours: [P2, THEIRS] }),
  router.lspOf({
    systemId: THEIRS,
    hostname: 'parley-pe3',
    neighbours: [PE3],
    announcements: [announcement],
    overload: true,
  }),
];

test('says nothing before it knows the area, then goes through the three states (RFC 5303)', async () => {
  const { speaker, taken, pass, events } = setUp();
  speaker.tick();
  assert.deepEqual(taken('hello'), []);
  speaker.receive(router.routerHello(ROUTER, 'down'));
  assert.deepEqual(taken('hello').map(helloState), ['initializing']);
  speaker.receive(router.routerHello(ROUTER, 'initializing', US));
  assert.deepEqual(taken('hello').map(helloState), ['up']);
  assert.deepEqual(events, [{ kind: 'adjacency', state: 'up' }]);
  speaker.receive(router.routerHello(ROUTER, 'up', US));
  await pass(9_999);
  assert.deepEqual(taken('hello'), []);
  await pass(1);
  assert.deepEqual(taken('hello').map(helloState), ['up']);
});

test('with an area of its own it speaks first; a router that believes us up starts anew', () => {
  const { speaker, taken } = setUp({ area: '490002' });
  speaker.tick();
  assert.deepEqual(taken('hello').map(helloState), ['down']);
  speaker.receive(router.routerHello(ROUTER, 'up', US));
  assert.deepEqual(taken('hello'), []);
  speaker.receive(router.routerHello(ROUTER, 'down'));
  assert.deepEqual(taken('hello').map(helloState), ['initializing']);
});

test('a hello for somebody else, or without three-way state, is passed over', () => {
  const { speaker, taken } = setUp({ area: '490001' });
  speaker.tick();
  taken('hello');
  speaker.receive(router.routerHello(ROUTER, 'initializing', { systemId: OURS, circuitId: 8 }));
  speaker.receive(router.routerHello(ROUTER, 'initializing', { systemId: THEIRS, circuitId: 7 }));
  assert.deepEqual(taken('hello'), []);
});

test('originates one LSP: overload bit, largest metric, 1,200 s, the descriptor in TLV 251 [CARD-2]', async () => {
  const { taken, connect } = setUp();
  await connect();
  const [own, ...others] = taken('lsp').map(router.decodedLsp);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [own!.lspId, own!.sequence, own!.lifetimeSeconds, own!.overload],
    [OWN_LSP, FIRST_SEQUENCE, 1_200, true],
  );
  const { hostname, neighbours, generic } = readLspContents(own!.contents);
  assert.deepEqual([hostname, neighbours], ['parley-pe1', [`${ROUTER}00`]]);
  assert.deepEqual([generic[0]!.application, generic[0]!.items], [0xff01, [{ type: 1, value: information }]]);
  assert.ok(Buffer.from(own!.contents).toString('hex').includes(`160b${ROUTER}00fffffe00`));
});

test('sends it again every 5 s until it is acknowledged, then a new version every 600 s and no sooner', async () => {
  const { speaker, taken, pass, connect } = setUp();
  await connect();
  const [own] = taken('lsp');
  await pass(4_999);
  assert.equal(taken('lsp').length, 0);
  await pass(1);
  assert.deepEqual(taken('lsp'), [own]);
  speaker.receive(router.psnpOf(ROUTER, [router.entryOf(own!)]));
  for (let second = 5; second < 595; second += 5) {
    speaker.receive(router.routerHello(ROUTER, 'up', US));
    await pass(5_000);
  }
  assert.deepEqual(taken('lsp'), []);
  await pass(5_000);
  assert.deepEqual(
    taken('lsp').map((pdu) => router.decodedLsp(pdu).sequence),
    [FIRST_SEQUENCE + 1],
  );
});

test('a list without it, or with an older one, is a wish for it', async () => {
  const { speaker, taken, connect } = setUp();
  await connect();
  const [own] = taken('lsp');
  const entry = router.entryOf(own!);
  for (const list of [router.csnpOf(ROUTER, []), router.psnpOf(ROUTER, [{ ...entry, sequence: 0 }])]) {
    speaker.receive(router.psnpOf(ROUTER, [entry]));
    speaker.tick();
    assert.deepEqual(taken('lsp'), []);
    speaker.receive(list);
    speaker.tick();
    assert.deepEqual(taken('lsp'), [own]);
  }
});

test('a restart goes on above what it finds of itself, whatever its clock says', async () => {
  const { taken, connect } = setUp();
  await connect([router.lspOf({ systemId: OURS, hostname: 'parley-pe1', sequence: 900_000_000 })]);
  assert.deepEqual(
    taken('lsp').map((pdu) => router.decodedLsp(pdu).sequence),
    [900_000_001],
  );
});

test('overtakes what comes back under its name, at most every 5 s, and gives up when that does not end', async () => {
  const { speaker, taken, pass, connect } = setUp();
  await connect();
  let sequence = router.decodedLsp(taken('lsp')[0]!).sequence;
  const comeBack = () =>
    speaker.receive(router.lspOf({ systemId: OURS, hostname: 'parley-pe1', sequence: sequence + 10 }));
  for (let round = 0; round < 8; round++) {
    speaker.receive(router.routerHello(ROUTER, 'up', US));
    comeBack();
    speaker.tick();
    assert.deepEqual(taken('lsp'), [], `round ${round}`);
    await pass(5_000);
    const [next] = taken('lsp').map(router.decodedLsp);
    assert.equal(next!.sequence, sequence + 11);
    sequence = next!.sequence;
  }
  assert.throws(comeBack, { code: 'node/isis-system-id' });
});

test("never overtakes or purges another's LSP under its system id", async () => {
  const { speaker, taken, connect } = setUp();
  const foreign = router.lspOf({ systemId: OURS, hostname: 'core-7' });
  await assert.rejects(connect([foreign]), { code: 'node/isis-system-id', message: /core-7 has it/ });
  assert.equal(speaker.leave(), true);
  assert.deepEqual(taken('lsp'), []);
});

test('neither when somebody takes it later, although ours was there first', async () => {
  const { speaker, taken, connect } = setUp();
  await connect();
  taken('lsp');
  const foreign = router.lspOf({ systemId: OURS, hostname: 'core-7', sequence: 900_000_000 });
  assert.throws(() => speaker.receive(foreign), { code: 'node/isis-system-id' });
  assert.equal(speaker.leave(), true);
  assert.deepEqual(taken('lsp'), []);
});

test("somebody else's purge of our LSP is overtaken", async () => {
  const { speaker, taken, pass, connect } = setUp();
  await connect();
  const [own] = taken('lsp');
  speaker.receive(router.psnpOf(ROUTER, [{ ...router.entryOf(own!), lifetimeSeconds: 0 }]));
  await pass(5_000);
  assert.deepEqual(
    taken('lsp').map((pdu) => router.decodedLsp(pdu).sequence),
    [FIRST_SEQUENCE + 1],
  );
});

test('a list of another system than the neighbour is passed over', async () => {
  const { speaker, taken, connect } = setUp();
  await connect();
  speaker.receive(router.psnpOf(ROUTER, [router.entryOf(taken('lsp')[0]!)]));
  speaker.receive(router.csnpOf(P2, []));
  speaker.tick();
  assert.deepEqual(taken('lsp'), []);
});

test('a router that comes back gets our LSP again, and has to send its own anew', async () => {
  const { speaker, taken, pass, connect, systems } = setUp();
  await connect(area());
  const [own] = taken('lsp');
  speaker.receive(router.psnpOf(ROUTER, [router.entryOf(own!)]));
  speaker.receive(router.routerHello(ROUTER, 'down'));
  speaker.receive(router.routerHello(ROUTER, 'initializing', US));
  const lists = taken('csnp');
  assert.deepEqual(lists.map(router.entriesOf), [[]]);
  await pass(1_000);
  assert.deepEqual(taken('lsp'), [own]);
  speaker.receive(router.csnpOf(ROUTER, [area()[0]!], [router.entryOf(own!)]));
  speaker.tick();
  assert.deepEqual(taken('psnp').flatMap(router.entriesOf), [[`${ROUTER}0000`, 0]]);
  assert.equal(systems()[0]!.kind, 'system');
});

test('another router on the link begins from the start', async () => {
  const { speaker, events, connect } = setUp();
  await connect(area());
  speaker.receive(router.routerHello(P2, 'up', US));
  assert.deepEqual(events.at(-1), { kind: 'adjacency', state: 'down' });
});

test('an LSP that was only refreshed is no news', async () => {
  const { speaker, pass, connect, systems } = setUp();
  await connect(area());
  const form = { systemId: THEIRS, hostname: 'parley-pe3', neighbours: [PE3], overload: true };
  speaker.receive(router.lspOf({ ...form, announcements: [information], sequence: 2 }));
  await pass(1_000);
  assert.equal(systems().length, 1);
});

test('the last sequence number is the end, not a beginning', async () => {
  const { connect } = setUp();
  const last = router.lspOf({ systemId: OURS, hostname: 'parley-pe1', sequence: 0xffff_ffff });
  await assert.rejects(connect([last]), { code: 'node/isis-system-id', message: /last sequence number/ });
});

test('acknowledges every LSP and asks for those that a list names and it has not', async () => {
  const { speaker, taken, connect } = setUp();
  const lsps = area();
  await connect();
  taken('lsp');
  speaker.receive(lsps[0]!);
  speaker.receive(lsps[0]!);
  speaker.receive(router.csnpOf(ROUTER, lsps.slice(0, 2)));
  speaker.tick();
  assert.deepEqual(taken('psnp').flatMap(router.entriesOf), [
    [`${ROUTER}0000`, 1],
    [`${ROUTER}0000`, 1],
    [`${P2}0000`, 0],
  ]);
});

test('tells of a system three hops away, once, and again when its announcement changes [CARD-2]', async () => {
  const { speaker, pass, connect, systems } = setUp();
  await connect(area());
  const heard = { kind: 'system', systemId: THEIRS, hostname: 'parley-pe3', announcements: ['01252a'], faults: [] };
  assert.deepEqual(systems(), [heard]);
  speaker.receive(area()[3]!);
  await pass(1_000);
  assert.deepEqual(systems(), [heard]);
  const form = { systemId: THEIRS, hostname: 'parley-pe3', neighbours: [PE3], sequence: 2 };
  speaker.receive(router.lspOf({ ...form, announcements: [Uint8Array.of(9)] }));
  await pass(1_000);
  assert.deepEqual(systems().slice(1), [{ ...heard, announcements: ['09'] }]);
});

const leaving: readonly [string, readonly Uint8Array[]][] = [
  ['purges its LSP', [router.lspOf({ systemId: THEIRS, sequence: 2, lifetimeSeconds: 0 })]],
  ['is no neighbour of its router any more', [router.lspOf({ systemId: PE3, neighbours: [P2], sequence: 2 })]],
  ['is behind a router that cannot be reached', [router.lspOf({ systemId: P2, neighbours: [ROUTER], sequence: 2 })]],
  [
    'is behind an overloaded router',
    [router.lspOf({ systemId: P2, neighbours: [ROUTER, PE3], sequence: 2, overload: true })],
  ],
  [
    'is behind a router whose first fragment is gone',
    [router.lspOf({ systemId: PE3, sequence: 2, lifetimeSeconds: 0 })],
  ],
  ['announces nothing any more', [router.lspOf({ systemId: THEIRS, neighbours: [PE3], sequence: 2 })]],
];
for (const [what, lsps] of leaving) {
  test(`a system that ${what} is gone [CARD-2]`, async () => {
    const { speaker, pass, connect, systems } = setUp();
    await connect(area());
    for (const lsp of lsps) speaker.receive(lsp);
    await pass(1_000);
    assert.deepEqual(systems().slice(1), [{ kind: 'gone', systemId: THEIRS }]);
  });
}

test('a system whose LSP nobody renews is gone with its lifetime', async () => {
  const { speaker, clock, pass, connect, systems } = setUp();
  await connect(area());
  for (let second = 0; second < 1_190; second += 10) {
    speaker.receive(router.routerHello(ROUTER, 'up', US));
    await clock.advance(10_000);
    speaker.tick();
  }
  assert.equal(systems().length, 1);
  speaker.receive(router.routerHello(ROUTER, 'up', US));
  await pass(10_000);
  assert.deepEqual(systems().slice(1), [{ kind: 'gone', systemId: THEIRS }]);
});

test('everybody is gone when the router falls silent for its holding time, and back with it', async () => {
  const { events, pass, connect, systems } = setUp();
  await connect(area());
  await pass(29_999);
  assert.equal(systems().length, 1);
  await pass(1);
  await pass(1_000);
  assert.deepEqual(events.slice(-2), [
    { kind: 'adjacency', state: 'down' },
    { kind: 'gone', systemId: THEIRS },
  ]);
  await connect(area());
  await pass(1_000);
  assert.equal(systems().at(-1)!.kind, 'system');
});

test('two announcements of one system, and a faulty TLV 251, are told as such', async () => {
  const { connect, systems } = setUp();
  const twice = { systemId: THEIRS, neighbours: [PE3], announcements: [Uint8Array.of(2), Uint8Array.of(1)] };
  const faulty = { type: 251, value: Uint8Array.of(0, 0, 0) };
  await connect([...area().slice(0, 3), router.lspOf({ ...twice, more: [faulty] })]);
  assert.deepEqual(systems(), [
    { kind: 'system', systemId: THEIRS, announcements: ['01', '02'], faults: ['TLV 251: application id 0'] },
  ]);
});

test("another application's information is nobody's announcement", async () => {
  const { connect, systems } = setUp();
  const other = { type: 251, value: Uint8Array.of(0, 0, 7, 1, 1, 1) };
  await connect([...area().slice(0, 3), router.lspOf({ systemId: THEIRS, neighbours: [PE3], more: [other] })]);
  assert.deepEqual(systems(), []);
});

test('leaves with a purge, sent until it is acknowledged, and a last hello', async () => {
  const { speaker, taken, connect } = setUp();
  await connect();
  taken('lsp');
  assert.equal(speaker.leave(), false);
  const [purge] = taken('lsp');
  const { lifetimeSeconds, sequence, contents } = router.decodedLsp(purge!);
  assert.deepEqual([lifetimeSeconds, sequence, contents.length], [0, FIRST_SEQUENCE + 1, 0]);
  assert.equal(speaker.leave(), false);
  assert.deepEqual(taken('lsp'), [purge]);
  speaker.receive(router.psnpOf(ROUTER, [router.entryOf(purge!)]));
  assert.equal(speaker.leave(), true);
  speaker.farewell();
  assert.deepEqual(taken('hello').map(helloState), ['down']);
});

test('a new announcement becomes a new version, not faster than every 5 s', async () => {
  const { speaker, taken, pass, connect } = setUp();
  await connect();
  taken('lsp');
  speaker.announce(Uint8Array.of(7));
  speaker.announce(Uint8Array.of(8));
  speaker.tick();
  assert.deepEqual(taken('lsp'), []);
  await pass(5_000);
  const [next, ...others] = taken('lsp').map(router.decodedLsp);
  assert.deepEqual([next!.sequence, others], [FIRST_SEQUENCE + 1, []]);
  assert.deepEqual(readLspContents(next!.contents).generic[0]!.items[0]!.value, Uint8Array.of(8));
});

test('ends with the reason where the router wants passwords, level 1, or has our system id', async () => {
  const more = [router.AUTHENTICATION];
  const cases: readonly [Uint8Array, string][] = [
    [router.routerHello(ROUTER, 'down', undefined, { more }), 'node/isis-password'],
    [router.routerHello(ROUTER, 'down', undefined, { circuitType: 1 }), 'node/isis-level'],
    [router.routerHello(OURS, 'down'), 'node/isis-system-id'],
  ];
  for (const [pdu, code] of cases) assert.throws(() => setUp().speaker.receive(pdu), { code });
  const { speaker, connect } = setUp();
  await connect();
  speaker.receive(router.lspOf({ systemId: P2, more }));
  assert.throws(() => speaker.receive(router.lspOf({ systemId: ROUTER, more })), { code: 'node/isis-password' });
});

test('a PDU that cannot be read is told once, however often it comes', () => {
  const { speaker, events } = setUp();
  for (let count = 0; count < 3; count++) speaker.receive(Uint8Array.of(0x83));
  assert.deepEqual(events, [{ kind: 'malformed', detail: 'shorter than the common header' }]);
});

test('bent PDUs never stop it but with a reason of its own', async () => {
  const bases = [...area(), router.csnpOf(ROUTER, area()), router.routerHello(ROUTER, 'up', US)];
  const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }));
  const bent = fc.tuple(fc.constantFrom(...bases), fc.array(change, { maxLength: 4 })).map(([base, changes]) => {
    const copy = base.slice();
    for (const [at, octet] of changes) copy[at % copy.length] = octet;
    return copy;
  });
  await fc.assert(
    fc.asyncProperty(fc.array(bent, { maxLength: 12 }), async (pdus) => {
      const { speaker, connect } = setUp();
      await connect();
      try {
        for (const pdu of pdus) speaker.receive(pdu);
        speaker.tick();
      } catch (error) {
        assert.match(String((error as { code?: string }).code), /^node\/isis-/);
      }
    }),
    { numRuns: 200 },
  );
});
