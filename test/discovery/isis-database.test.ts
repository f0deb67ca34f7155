// The speaker's link-state database: what it keeps, what it asks for, and whom it calls reachable.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase } from '#router/helper/isis/database.ts';
import { decodedLsp, entryOf, type LspForm, lspOf } from '../fakes/isis-router.ts';

const [A, B, C] = ['000000000001', '000000000002', '000000000003'];
const lsp = (form: LspForm) => decodedLsp(lspOf(form));

function databaseOf(forms: readonly LspForm[], init: { readonly maxLsps?: number } = {}) {
  const database = createDatabase(init);
  const offer = (form: LspForm, nowMs = 0) => database.offer(lsp(form), nowMs);
  const offered = forms.map((form) => offer(form));
  const reached = () =>
    database
      .reachable(`${A}00`)
      .map(({ systemId }) => systemId)
      .sort();
  return { database, offer, offered, reached };
}

test('a link that one end alone reports leads nowhere', () => {
  const { reached, offer } = databaseOf([
    { systemId: A, neighbours: [B] },
    { systemId: B, neighbours: [C] },
  ]);
  assert.deepEqual(reached(), [A]);
  offer({ systemId: B, neighbours: [A], sequence: 2 });
  assert.deepEqual(reached(), [A, B]);
});

test('a LAN is crossed by way of its pseudonode', () => {
  const pseudonode = `${A}07`;
  const { reached } = databaseOf([
    { systemId: A, neighbours: [pseudonode] },
    { systemId: A, fragment: '0700', neighbours: [A, B] },
    { systemId: B, neighbours: [pseudonode] },
  ]);
  assert.deepEqual(reached(), [A, B]);
});

test('fragments add up, but count only beside the first', () => {
  const more = { systemId: A, fragment: '0001', neighbours: [B], hostname: 'a' };
  const { reached, offer, database } = databaseOf([more, { systemId: B, neighbours: [A] }]);
  assert.deepEqual(reached(), []);
  offer({ systemId: A });
  assert.deepEqual(reached(), [A, B]);
  assert.equal(database.reachable(`${A}00`)[0]!.hostname, 'a');
});

test('keeps the newer of two, a purge before its equal, and no more than it may', () => {
  const two = { systemId: A, sequence: 2, hostname: 'two' };
  const { offer, offered, database } = databaseOf([two, { systemId: B }], { maxLsps: 2 });
  assert.deepEqual(offered, [true, true]);
  assert.equal(offer({ ...two, hostname: 'other' }), false);
  assert.equal(offer({ systemId: A, sequence: 1, lifetimeSeconds: 0 }), false);
  assert.equal(offer({ systemId: C }), false);
  assert.deepEqual(database.missing([entryOf(lspOf({ systemId: C }))]), []);
  assert.equal(offer({ systemId: A, sequence: 3, hostname: 'three' }), true);
  assert.equal(database.contentsOf(`${A}0000`)?.hostname, 'three');
  assert.equal(offer({ systemId: A, sequence: 3, lifetimeSeconds: 0 }), true);
  assert.equal(database.size, 1);
  assert.equal(offer({ systemId: C, sequence: 9, lifetimeSeconds: 0 }), false);
});

test('asks for what is missing or older, never for what is purged', () => {
  const { database } = databaseOf([{ systemId: A, sequence: 2 }]);
  const entries = [
    entryOf(lspOf({ systemId: A, sequence: 2 })),
    entryOf(lspOf({ systemId: B })),
    entryOf(lspOf({ systemId: C, lifetimeSeconds: 0 })),
  ];
  assert.deepEqual(database.missing(entries), [`${B}0000`]);
  assert.deepEqual(database.missing([entryOf(lspOf({ systemId: A, sequence: 3 }))]), [`${A}0000`]);
});

test('forgets at the end of a lifetime, not before', () => {
  const { database } = databaseOf([{ systemId: A, lifetimeSeconds: 10 }]);
  assert.deepEqual([database.age(9_999), database.size], [false, 1]);
  assert.deepEqual([database.age(10_000), database.size], [true, 0]);
});
