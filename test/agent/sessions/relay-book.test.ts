// Through whom a node is tried: bounded, by way of nodes that were reached, and never in a circle.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGENT_LIMITS } from '#agent/limits.ts';
import { createRelayBook } from '#agent/sessions/relay-book.ts';
import type { States } from '#measure/states.ts';
import type { PeerSession } from '#model/call.ts';
import type { PeerHint, PeerRecord } from '#model/peer.ts';

const session = (closed = false) => ({ closed }) as PeerSession;
const told = (toldBy: string, hops = 1) => ({ source: 'peer-exchange', toldBy, hops }) as PeerHint;
const HEARD = { source: 'lldp', hops: 0 } as PeerHint;

function bookOf(hints: Readonly<Record<string, readonly PeerHint[]>>, direct: readonly string[] = []) {
  const recordOf = (node: string): PeerRecord | undefined =>
    hints[node] === undefined ? undefined : { node, hints: hints[node], remarks: [] };
  return createRelayBook({
    node: 'r1',
    peers: { find: recordOf },
    sessions: { current: (node) => (direct.includes(node) ? session() : undefined) },
  });
}

function triedOf(book: ReturnType<typeof bookOf>, node: string): readonly string[] {
  const all: string[] = [];
  for (let relay = book.next(node); relay !== undefined; relay = book.next(node)) {
    all.push(relay);
    book.noteTried(node, relay);
  }
  return all;
}

const hearing = (hearer: string, heard: string, operUp = true): States =>
  new Map([
    [
      hearer,
      {
        inventory: { interfaces: [{ name: 'eth1', operUp }] },
        neighbours: [{ ifname: 'eth1', systemName: heard }],
      } as never,
    ],
  ]);

test('its own link comes first, then who hears it, then who told of it, the nearest first', () => {
  const book = bookOf({ r9: [told('r4', 3), told('r2', 1), HEARD] }, ['r2', 'r3', 'r4', 'r5']);
  book.learn(hearing('r5', 'R9'));
  book.learn(hearing('r3', 'r9', false));
  assert.deepEqual(triedOf(book, 'r9'), ['r1', 'r5', 'r2'].slice(0, AGENT_LIMITS.relayTries));
});

test('through a node without a session nothing leads, and to a node without an agent neither', () => {
  const book = bookOf({ r9: [told('r2')], host: [] });
  assert.equal(book.next('r9'), undefined);
  assert.equal(book.next('host'), undefined);
  assert.equal(book.next('nobody'), undefined);
  book.reached.set('r2', { session: session(), relays: [] });
  assert.equal(book.next('r9'), 'r2');
  book.reached.set('r2', { session: session(true), relays: [] });
  assert.equal(book.next('r9'), undefined);
});

test('no way goes through the node that it is for, and none is longer than the hop limit', () => {
  const book = bookOf({ r9: [told('r2'), told('r3')] });
  const way = Array.from({ length: AGENT_LIMITS.relayHops }, (_, index) => `x${index}`);
  book.reached.set('r2', { session: session(), relays: ['r9'] });
  book.reached.set('r3', { session: session(), relays: way });
  assert.equal(book.next('r9'), undefined);
  book.reached.set('r3', { session: session(), relays: way.slice(1) });
  assert.equal(book.next('r9'), 'r3');
  assert.deepEqual(book.wayTo('r3'), [...way.slice(1), 'r3']);
});

test('a question reaches no more nodes through others than its bound', () => {
  const book = bookOf({ r9: [told('r2')] }, ['r2']);
  for (let index = 0; index < AGENT_LIMITS.relayedNodes; index++)
    book.reached.set(`x${index}`, { session: session(), relays: ['r2'] });
  assert.equal(book.next('r9'), undefined);
});

test('of those that hear a node, who was asked for fewer comes first', () => {
  const book = bookOf({ r8: [told('r2')], r9: [told('r2')] }, ['r2', 'r3']);
  for (const node of ['r8', 'r9']) for (const hearer of ['r2', 'r3']) book.learn(hearing(hearer, node));
  assert.equal(book.next('r8'), 'r2');
  book.noteTried('r8', 'r2');
  assert.deepEqual([book.next('r8'), book.next('r9')], ['r3', 'r3']);
});

test('who was asked in vain is asked for nothing less, unless it knows of no connections', () => {
  const book = bookOf({ r9: [told('r2'), told('r3')] }, ['r2', 'r3']);
  assert.deepEqual(triedOf(book, 'r9'), ['r2', 'r3']);
  book.notePassesNone('r3');
  assert.deepEqual(
    ['r2', 'r3', 'r4'].map((relay) => book.wasAsked('r9', relay)),
    [true, false, false],
  );
});

test('who was busy was not tried, and comes after others', () => {
  const book = bookOf({ r9: [told('r2'), told('r3', 2)] }, ['r2', 'r3']);
  book.noteTried('r9', 'r2');
  book.noteBusy('r9', 'r2');
  assert.deepEqual([book.next('r9', new Set(['r2'])), book.next('r9')], ['r3', 'r2']);
  assert.equal(book.wasAsked('r9', 'r2'), false);
  book.noteTried('r9', 'r3');
  assert.equal(book.next('r9', new Set(['r2'])), 'r2');
});

test('who led to another node is tried once more, for the next address', () => {
  const book = bookOf({ r9: [told('r2')] }, ['r2']);
  book.noteTried('r9', 'r2');
  assert.equal(book.next('r9'), undefined);
  book.noteAstray('r9', 'r2');
  assert.equal(book.next('r9'), 'r2');
  book.noteTried('r9', 'r2');
  assert.deepEqual([book.turnOf('r9', 'r2'), book.next('r9')], [1, undefined]);
});

test('a session that has ended may be opened in the same way again, a few times', () => {
  const book = bookOf({ r9: [told('r2')] }, ['r2']);
  for (let turn = 0; turn <= AGENT_LIMITS.relayRenewals; turn++) {
    assert.equal(book.next('r9'), 'r2');
    book.noteTried('r9', 'r2');
    book.renew('r9');
  }
  assert.equal(book.next('r9'), undefined);
});

test('who hears no such node counts as no try', () => {
  const book = bookOf({ r9: ['r2', 'r3', 'r4', 'r5'].map((relay) => told(relay)) }, ['r2', 'r3', 'r4', 'r5']);
  for (const relay of ['r2', 'r3']) {
    book.noteTried('r9', relay);
    book.noteUnknown('r9', relay);
  }
  assert.deepEqual(triedOf(book, 'r9'), ['r4', 'r5']);
});
