// The IS-IS speaker against a router in memory: three-way adjacency, one LSP, refresh, overtaking, purge, and everything
// under which it must not go on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLspContents } from '#codec/isis/lsp-contents.ts';
import * as router from '../fakes/isis-router.ts';
import { area, helloState, information, OURS, P2, ROUTER, setUp, THEIRS, US } from './speaker-bed.ts';

const OWN_LSP = `${OURS}0000`;
/** 2026-01-01: 189,388,800 seconds after the epoch of sequence numbers. */
const FIRST_SEQUENCE = 189_388_801;

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

test('the last sequence number is the end, not a beginning', async () => {
  const { connect } = setUp();
  const last = router.lspOf({ systemId: OURS, hostname: 'parley-pe1', sequence: 0xffff_ffff });
  await assert.rejects(connect([last]), { code: 'node/isis-system-id', message: /last sequence number/ });
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
