// Places for handshakes and sessions, without sockets: who is let in, when a place is free again, and how refusals are reported.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { silentLog } from '#base/log.ts';
import type { Party } from '#model/identity.ts';
import { createAdmission } from '#mtls/admission.ts';
import { MTLS_LIMITS } from '#mtls/limits.ts';
import type { RefusedConnection } from '#mtls/refusal-reporter.ts';
import { createFakeClock } from '../fakes/clock.ts';

type FakeSocket = EventEmitter & { readonly remoteAddress?: string; destroyed: boolean; destroy(): void };

function socketOf(remoteAddress?: string): FakeSocket {
  const socket = Object.assign(new EventEmitter(), {
    ...(remoteAddress === undefined ? {} : { remoteAddress }),
    destroyed: false,
    destroy() {
      socket.destroyed = true;
      socket.emit('close');
    },
  });
  return socket;
}

const raw = (socket: FakeSocket) => socket as unknown as Socket;
const secure = (socket: FakeSocket) => socket as unknown as TLSSocket;
const PE1: Party = { kind: 'node', domain: 'lab.example', name: 'pe1' };

function bed() {
  const clock = createFakeClock();
  const refused: RefusedConnection[] = [];
  const logged: unknown[] = [];
  const log = { ...silentLog, warn: (...line: unknown[]) => void logged.push(line) };
  const admission = createAdmission({ log, clock, onRefused: (each) => void refused.push(each) });
  /** So many connections, one after the other; those that are still open. */
  const enter = (count: number, address: (at: number) => string) => {
    const sockets = Array.from({ length: count }, (_, at) => socketOf(address(at)));
    for (const socket of sockets) admission.enter(raw(socket));
    return sockets;
  };
  const open = (sockets: readonly FakeSocket[]) => sockets.map(({ destroyed }) => !destroyed);
  return { admission, clock, refused, logged, enter, open };
}

const times = (count: number, value: boolean) => Array<boolean>(count).fill(value);

test('one network has 32 places for handshakes, and its oldest gives way to its next', () => {
  const { enter, open, refused } = bed();
  const sockets = enter(33, () => '192.0.2.1');
  assert.deepEqual(open(sockets), [false, ...times(32, true)]);
  assert.deepEqual(refused, [
    { reason: 'more than 32 TLS handshakes at once from one network', remoteAddress: '192.0.2.1' },
  ]);
});

test('an IPv6 network of 64 bits counts as one, whatever addresses it uses', () => {
  const { enter, open } = bed();
  const sockets = enter(33, (at) => `2001:db8:0:1::${at.toString(16)}`);
  assert.deepEqual(open(sockets), [false, ...times(32, true)]);
  assert.deepEqual(open(enter(1, () => '2001:db8:0:2::1')), [true]);
});

test('128 silent connections of four addresses keep no fifth out: the oldest of who has the most give way', () => {
  const { enter, open, refused } = bed();
  const silent = enter(128, (at) => `198.51.100.${at % 4}`);
  const isOpen = open(silent);
  assert.deepEqual(isOpen, [...times(32, false), ...times(96, true)]);
  const fifth = enter(1, () => '192.0.2.9');
  enter(60, (at) => `198.51.100.${at % 4}`);
  assert.deepEqual(open(fifth), [true]);
  assert.equal(refused.at(-1)!.reason, 'more than 96 TLS handshakes at once');
});

test('places are kept for networks with which a session was open', () => {
  const { admission, enter, open } = bed();
  const [first] = enter(1, () => '192.0.2.7');
  admission.startSession(raw(first!), secure(socketOf()), PE1);
  const strangers = enter(96, (at) => `198.51.100.${at}`);
  const peers = enter(32, () => '192.0.2.7');
  assert.deepEqual([open(strangers), open(peers)], [times(96, true), times(32, true)]);
  const more = enter(96, (at) => `203.0.113.${at}`);
  assert.deepEqual([open(peers), open(more).filter(Boolean).length], [times(32, true), 96]);
});

test('a place is free again when its connection closes, is refused, or becomes a session', () => {
  const { admission, enter, refused } = bed();
  const first = enter(32, () => '192.0.2.1');
  /** Whether one more has a place without another's. */
  const isFree = () => {
    const before = refused.length;
    const socket = socketOf('192.0.2.1');
    admission.enter(raw(socket));
    socket.destroy();
    return refused.length === before;
  };
  assert.equal(isFree(), false);
  first[0]!.destroy();
  assert.equal(isFree(), true);
  admission.enter(raw(socketOf('192.0.2.1')));
  assert.equal(isFree(), false);
  admission.refuse(raw(first[1]!), 'certificate expired');
  assert.equal(isFree(), true);
  admission.enter(raw(socketOf('192.0.2.1')));
  assert.equal(isFree(), false);
  assert.equal(admission.startSession(raw(first[2]!), secure(socketOf()), PE1), undefined);
  assert.equal(isFree(), true);
  assert.equal(admission.sessionCount, 1);
});

test('one party has 64 sessions, a closed one makes room, and its name under another kind is another party', () => {
  const { admission } = bed();
  const sockets = Array.from({ length: 64 }, () => socketOf());
  const start = (socket: FakeSocket, party = PE1) => admission.startSession(undefined, secure(socket), party);
  for (const socket of sockets) assert.equal(start(socket), undefined);
  assert.equal(start(socketOf()), 'more than 64 sessions of one party');
  assert.equal(start(socketOf(), { ...PE1, kind: 'operator' }), undefined);
  assert.equal(start(socketOf(), { ...PE1, name: 'pe2' }), undefined);
  sockets[0]!.destroy();
  assert.equal(admission.sessionCount, 65);
  assert.equal(start(socketOf()), undefined);
});

test('all parties together have 512 sessions', () => {
  const { admission } = bed();
  const results = Array.from({ length: 513 }, (_, at) =>
    admission.startSession(undefined, secure(socketOf()), { ...PE1, name: `n${at}` }),
  );
  assert.deepEqual([results[511], results[512], admission.sessionCount], [undefined, 'more than 512 sessions', 512]);
});

test('a refusal names the address, and the party where a certificate named one', () => {
  const { admission, refused, logged } = bed();
  const socket = socketOf('192.0.2.7');
  admission.enter(raw(socket));
  admission.refuse(raw(socket), 'on the deny list', PE1);
  admission.refuse(undefined, 'no socket');
  admission.enter(raw(socketOf()));
  assert.deepEqual(refused, [
    { reason: 'on the deny list', remoteAddress: '192.0.2.7', party: PE1 },
    { reason: 'no socket', remoteAddress: 'unknown' },
  ]);
  assert.deepEqual(logged, [
    ['connection refused', { reason: 'on the deny list', remoteAddress: '192.0.2.7', party: 'pe1' }],
    ['connection refused', { reason: 'no socket', remoteAddress: 'unknown' }],
  ]);
});

test('sixty refusals a minute are reported; the next report counts the others', async () => {
  const { admission, clock, refused } = bed();
  const refuse = (times: number) => {
    for (let time = 0; time < times; time++) admission.refuse(undefined, 'no');
  };
  refuse(63);
  assert.equal(refused.length, 60);
  await clock.advance(59_999);
  refuse(1);
  assert.equal(refused.length, 60);
  await clock.advance(1);
  refuse(61);
  assert.equal(refused.length, 120);
  assert.deepEqual(
    [refused[59]!.suppressed, refused[60]!.suppressed, refused[61]!.suppressed],
    [undefined, 4, undefined],
  );
});

test('the end destroys every session and every connection', () => {
  const { admission, enter } = bed();
  const sockets = enter(2, () => '192.0.2.1');
  const session = socketOf();
  admission.startSession(raw(sockets[0]!), secure(session), PE1);
  admission.destroyAll();
  assert.deepEqual(
    [...sockets, session].map(({ destroyed }) => destroyed),
    [true, true, true],
  );
  assert.equal(admission.sessionCount, 0);
});

test('connections that are to be passed on take no places of sessions', () => {
  const { admission } = bed();
  const relayed = () => Object.assign(secure(socketOf()), { alpnProtocol: 'parley-relay' }) as TLSSocket;
  const start = (socket: TLSSocket) => admission.startSession(undefined, socket, PE1);
  for (let index = 0; index < MTLS_LIMITS.relayedPerParty; index++) assert.equal(start(relayed()), undefined);
  assert.match(start(relayed()) ?? '', /connections to be passed on of one party/);
  assert.equal(start(secure(socketOf())), undefined);
});
