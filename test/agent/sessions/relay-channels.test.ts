// Connections that a node passes on: claimed once, by the node that asked, in time; bounded in number, bytes and time.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { AGENT_LIMITS } from '#agent/limits.ts';
import { createRelayChannels } from '#agent/sessions/relay-channels.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import type { Party } from '#model/identity.ts';
import type { AuditRecord } from '#model/ports.ts';
import { MTLS_LIMITS } from '#mtls/limits.ts';
import { createFakeClock, until } from '../../fakes/clock.ts';

const partyOf = (name: string, kind: Party['kind'] = 'node'): Party => ({ kind, domain: 'lab.example', name });
let server: Server;
const open = new Set<Socket>();

before(async () => {
  // What the far node would be: it sends back what it gets.
  server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => {
  for (const socket of open) socket.destroy();
  server.close();
});

async function far(): Promise<Socket> {
  const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Both ends of a connection of a caller to the node that passes on. */
async function pair(): Promise<readonly [Socket, Socket]> {
  const listener = createServer();
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const near = connect((listener.address() as { port: number }).port, '127.0.0.1');
  const [served] = (await once(listener, 'connection')) as [Socket];
  listener.close();
  near.on('error', () => {});
  open.add(near).add(served);
  return [near, served];
}

/** As a TLS session begins. */
const HELLO = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]);

function bench() {
  const clock = createFakeClock();
  const records: AuditRecord[] = [];
  const record = (entry: AuditRecord) => void records.push(entry);
  const channels = createRelayChannels({ clock, random: systemRandom, log: silentLog, record });
  const connected: Socket[] = [];
  const connectFar = async () => {
    const socket = await far();
    connected.push(socket);
    return socket;
  };
  const offer = ({ caller = 'r1', node = 'r3', asker = 'operator/alice' } = {}, connectTo = connectFar) =>
    channels.offer({ caller, node, asker }, connectTo);
  const claim = async (ticket: string, rest: Buffer | string = HELLO, caller = 'r1') => {
    const [near, served] = await pair();
    channels.serve(served, partyOf(caller));
    near.write(Buffer.concat([Buffer.from(ticket), Buffer.from(rest)]));
    return near;
  };
  /** Up to where TLS stands: the far node has spoken twice. */
  const settled = async (near: Socket) => {
    for (let turn = 0; turn < 2; turn++) {
      await once(near, 'data');
      near.write('.');
    }
    await once(near, 'data');
  };
  return { clock, records, channels, offer, claim, settled, connected };
}

test('what follows the ticket goes to the far node, and what that sends comes back', async () => {
  const { channels, offer, records, connected } = bench();
  const ticket = await offer();
  assert.match(ticket, /^[0-9a-f]{32}$/);
  const [near, served] = await pair();
  channels.serve(served, partyOf('r1'));
  near.write(ticket.slice(0, 5));
  near.write(ticket.slice(5));
  near.write(HELLO.subarray(0, 2));
  near.write(HELLO.subarray(2));
  const got: Buffer[] = [];
  near.on('data', (chunk: Buffer) => got.push(chunk));
  await until(() => Buffer.concat(got).length === HELLO.length, 'all comes back');
  assert.deepEqual(Buffer.concat(got), HELLO);
  assert.equal(connected.length, 1);
  near.destroy();
  await until(() => records.length > 0, 'the end is recorded');
  assert.deepEqual(records, [
    {
      ...{ event: 'relay-ended', party: 'node/r1', asker: 'operator/alice', reason: 'closed' },
      detail: { node: 'r3', bytes: 2 * HELLO.length },
    },
  ]);
});

test('what is no TLS session is not passed on, and nothing of the far node is read for it', async () => {
  const { offer, claim, records, connected } = bench();
  for (const text of ['enable\n', 'GET / HTTP/1.1\r\n', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x02])]) {
    const near = await claim(await offer(), text);
    near.resume();
    await once(near, 'close');
  }
  assert.deepEqual(
    records.map(({ reason }) => reason),
    ['no TLS session', 'no TLS session', 'no TLS session'],
  );
  assert.equal(connected.length, 0);
});

test('the far node is connected to once the ticket is claimed, and no more than a few times for one caller at once', async () => {
  const { offer, claim, settled, connected } = bench();
  const tickets = await Promise.all(Array.from({ length: AGENT_LIMITS.relayOpenings }, () => offer()));
  await assert.rejects(offer(), { code: 'caller/relay-budget', message: /being opened to r3/ });
  await offer({ node: 'r4' });
  assert.equal(connected.length, 0);
  // Once TLS stands on one of them, another may be opened.
  await settled(await claim(tickets[0]!));
  assert.equal(connected.length, 1);
  await offer();
  await assert.rejects(offer(), { code: 'caller/relay-budget' });
});

test('of all callers together, fewer connections are being opened to a node than it runs handshakes with one network', async () => {
  const { offer } = bench();
  assert.ok(AGENT_LIMITS.relayOpeningsToNode < MTLS_LIMITS.handshakesPerNetwork);
  for (let index = 0; index < AGENT_LIMITS.relayOpeningsToNode; index++)
    await offer({ caller: `c${Math.floor(index / AGENT_LIMITS.relayOpenings)}` });
  await assert.rejects(offer({ caller: 'c9' }), { code: 'caller/relay-budget', message: /being opened to r3/ });
});

test('one question has places for all that it may reach, and takes none of another asker or caller', async () => {
  const { offer } = bench();
  for (let index = 0; index < AGENT_LIMITS.relayedNodes; index++) await offer({ node: `x${index}` });
  await assert.rejects(offer(), { code: 'caller/relay-budget', message: /of one asker/ });
  for (let index = 0; index < AGENT_LIMITS.relayedNodes; index++)
    await offer({ node: `x${index}`, asker: 'operator/bob' });
  for (let index = 0; index < AGENT_LIMITS.relayedNodes; index++) await offer({ node: `x${index}`, caller: 'r2' });
});

test('one caller, whatever askers it names, leaves half of all places to others', async () => {
  const { offer } = bench();
  const most = AGENT_LIMITS.relayChannels / 2;
  for (let index = 0; index < most; index++) await offer({ node: `x${index}`, asker: `operator/o${index}` });
  await assert.rejects(offer({ node: 'x', asker: 'operator/new' }), { code: 'caller/relay-budget', message: /share/ });
  for (let index = 0; index < AGENT_LIMITS.relayedNodes; index++) await offer({ node: `x${index}`, caller: 'r2' });
});

test('one caller asks for no more connections a minute than its bound', async () => {
  const { offer, clock } = bench();
  const perTurn = AGENT_LIMITS.relayChannelsPerAsker;
  for (let index = 0; index < AGENT_LIMITS.relayOpeningsPerMinute / perTurn; index++) {
    for (let place = 0; place < perTurn; place++) await offer({ node: `x${place}`, asker: `operator/o${index}` });
    if (index % 4 === 3) await clock.advance(AGENT_LIMITS.relayClaimMs);
  }
  // What was forgotten while the places were waited for may be asked for again.
  let more = 0;
  const isRefused = () =>
    offer({ node: `y${more}`, asker: `operator/p${more}` }).then(
      () => false,
      (error: Error) => /a minute/.test(error.message),
    );
  while (!(await isRefused())) assert.ok(++more < AGENT_LIMITS.relayOpeningsPerMinute / 4);
});

test('a far node that is gone ends the connection at once, and gives its place back', async () => {
  const { offer, claim, records, connected } = bench();
  const near = await claim(await offer());
  near.resume();
  await until(() => connected.length > 0, 'connected');
  connected[0]!.destroy();
  await once(near, 'close');
  const dead = async () => {
    const socket = await far();
    socket.destroy();
    await once(socket, 'close');
    return socket;
  };
  const again = await claim(await offer({}, dead));
  again.resume();
  await once(again, 'close');
  assert.deepEqual(
    records.map(({ reason }) => reason),
    ['closed', 'closed'],
  );
});

test('octets of a ticket that come slowly have the same time in all', async () => {
  const { channels, clock } = bench();
  const [near, served] = await pair();
  channels.serve(served, partyOf('r1'));
  near.resume();
  for (let turn = 0; turn < 3; turn++) {
    near.write('0');
    await clock.advance(AGENT_LIMITS.relayClaimMs / 3);
  }
  await until(() => near.destroyed, 'it is closed');
});

test('a ticket is for the node that asked, for a node, and for one connection', async () => {
  const { channels, offer, claim } = bench();
  const ticket = await offer();
  const isClosed = async (party: Party, text: string) => {
    const [near, served] = await pair();
    channels.serve(served, party);
    near.write(text);
    near.resume();
    await once(near, 'close');
  };
  await isClosed(partyOf('r2'), ticket);
  await isClosed(partyOf('r1', 'operator'), ticket);
  await isClosed(partyOf('r1'), 'f'.repeat(32));
  const near = await claim(ticket);
  await once(near, 'data');
  await isClosed(partyOf('r1'), ticket);
  channels.close();
});

test('what is not claimed in time is closed, and its place is free again', async () => {
  const { channels, offer, clock } = bench();
  const all = await Promise.all(Array.from({ length: AGENT_LIMITS.relayOpenings }, () => offer()));
  await assert.rejects(offer(), { code: 'caller/relay-budget' });
  await offer({ caller: 'r2' });
  await clock.advance(AGENT_LIMITS.relayClaimMs);
  const [near, served] = await pair();
  channels.serve(served, partyOf('r1'));
  near.write(all[0]!);
  near.resume();
  await once(near, 'close');
  await offer();
  channels.close();
});

test('a dial that fails ends the connection, and takes no place', async () => {
  const { offer, claim, records } = bench();
  const failing = () => Promise.reject(new Error('nobody there'));
  for (let turn = 0; turn <= AGENT_LIMITS.relayOpenings; turn++) {
    const near = await claim(await offer({}, failing));
    near.resume();
    await once(near, 'close');
  }
  assert.deepEqual([...new Set(records.map(({ reason }) => reason))], ['nobody there']);
});

test('a node that has used up its bytes is passed on no more until a part of the minute is over', async () => {
  const { channels, offer, claim, clock, records } = bench();
  const near = await claim(await offer());
  const chunk = Buffer.alloc(1 << 20);
  near.resume();
  // Each byte counts on its way there and back.
  const feed = () => {
    while (!near.destroyed && near.write(chunk));
  };
  near.on('drain', feed);
  feed();
  await until(() => near.destroyed, 'the connection is cut');
  await until(() => records.length > 0, 'the end is recorded');
  assert.match(records[0]?.reason ?? '', /more bytes than/);
  await assert.rejects(offer(), { code: 'caller/relay-budget', message: /bytes a minute/ });
  await offer({ caller: 'r2' });
  await clock.advance(30_000);
  await offer();
  channels.close();
});

test('a connection ends after its longest time, however busy', async () => {
  const { channels, offer, claim, clock, records } = bench();
  const near = await claim(await offer());
  await once(near, 'data');
  await clock.advance(AGENT_LIMITS.relayLongestMs);
  await until(() => records.length > 0, 'the end is recorded');
  assert.equal(records[0]?.reason, 'open for too long');
  channels.close();
});
