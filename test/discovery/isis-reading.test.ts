// What the IS-IS speaker reads: lists, acknowledgements, systems that come, change and go, and PDUs that are bent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import * as router from '../fakes/isis-router.ts';
import { area, information, P2, PE3, ROUTER, setUp, THEIRS, US } from './speaker-bed.ts';

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
