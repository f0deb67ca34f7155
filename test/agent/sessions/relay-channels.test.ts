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

function bench() {
  const clock = createFakeClock();
  const records: AuditRecord[] = [];
  const record = (entry: AuditRecord) => void records.push(entry);
  const channels = createRelayChannels({ clock, random: systemRandom, log: silentLog, record });
  const offer = (caller = 'r1') => channels.offer({ caller, node: 'r3', asker: 'operator/alice' }, far);
  return { clock, records, channels, offer };
}

test('what follows the ticket goes to the far node, and what that sends comes back', async () => {
  const { channels, offer, records } = bench();
  const ticket = await offer();
  assert.match(ticket, /^[0-9a-f]{32}$/);
  const [near, served] = await pair();
  channels.serve(served, partyOf('r1'));
  near.write(ticket.slice(0, 5));
  near.write(`${ticket.slice(5)}hello`);
  const [bytes] = (await once(near, 'data')) as [Buffer];
  assert.equal(bytes.toString(), 'hello');
  near.destroy();
  await until(() => records.length > 0, 'the end is recorded');
  assert.deepEqual(records, [
    {
      ...{ event: 'relay-ended', party: 'node/r1', asker: 'operator/alice', reason: 'closed' },
      detail: { node: 'r3', bytes: 10 },
    },
  ]);
});

test('a ticket is for the node that asked, for a node, and for one connection', async () => {
  const { channels, offer } = bench();
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
  const [near, served] = await pair();
  channels.serve(served, partyOf('r1'));
  near.write(`${ticket}.`);
  await once(near, 'data');
  await isClosed(partyOf('r1'), ticket);
  channels.close();
});

test('what is not claimed in time is closed, and its place is free again', async () => {
  const { channels, offer, clock } = bench();
  const all = await Promise.all(Array.from({ length: AGENT_LIMITS.relayChannelsPerCaller }, () => offer()));
  await assert.rejects(offer(), { code: 'caller/relay-budget', message: /relayed connections of one node/ });
  await offer('r2');
  await clock.advance(AGENT_LIMITS.relayClaimMs);
  const [near, served] = await pair();
  channels.serve(served, partyOf('r1'));
  near.write(all[0]!);
  near.resume();
  await once(near, 'close');
  await until(async () => offer().then(Boolean, () => false), 'a place is free');
  channels.close();
});

test('a dial that fails takes no place', async () => {
  const { channels } = bench();
  const failing = () =>
    channels.offer({ caller: 'r1', node: 'r3', asker: '' }, () => Promise.reject(new Error('nobody there')));
  for (let turn = 0; turn <= AGENT_LIMITS.relayChannelsPerCaller; turn++)
    await assert.rejects(failing(), { message: 'nobody there' });
});

test('a node that has used up its bytes is passed on no more until a part of the minute is over', async () => {
  const { channels, offer, clock, records } = bench();
  const ticket = await offer();
  const [near, served] = await pair();
  channels.serve(served, partyOf('r1'));
  near.write(ticket);
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
  await offer('r2');
  await clock.advance(30_000);
  await offer();
  channels.close();
});

test('a connection ends after its longest time, however busy', async () => {
  const { channels, offer, clock, records } = bench();
  const [near, served] = await pair();
  channels.serve(served, partyOf('r1'));
  near.write(`${await offer()}.`);
  await once(near, 'data');
  await clock.advance(AGENT_LIMITS.relayLongestMs);
  await until(() => records.length > 0, 'the end is recorded');
  assert.equal(records[0]?.reason, 'open for too long');
  channels.close();
});
