// Real TLS sessions whose certificate is revoked, or whose CA goes, while they are open.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loadIdentity } from '#mtls/identity.ts';
import { beginRotation, finishRotation, switchRotation } from '#mtls/revocation/publish.ts';
import { closed, dialTo, receive, startListener, systemClock } from '../domain.ts';
import { type ListBed, upLists } from './list-bed.ts';

let bed: ListBed;
before(async () => {
  bed = await upLists();
});
after(async () => bed?.domain.remove());

test('an open session is cut the moment its party is revoked, on whichever side, and no other is opened [TS-24]', async () => {
  const [pe1, p2, pe3] = [
    await bed.domain.identity('pe1'),
    await bed.domain.identity('p2'),
    await bed.domain.identity('pe3'),
  ];
  const server = await bed.node();
  const client = await bed.node();
  const listener = await startListener(pe1, { trust: server.trust });
  const revoked = await dialTo(listener, p2, { expectedNode: 'pe1' });
  const innocent = await dialTo(listener, pe3, { expectedNode: 'pe1', trust: client.trust });
  await receive(innocent.socket, 1);
  await receive(revoked.socket, 1);
  const gone = closed(revoked.socket);
  await server.kept.takeUp((await bed.revoke('node/p2')).text);
  await gone;
  assert.equal(innocent.socket.destroyed, false);
  const refused = await dialTo(listener, p2, { expectedNode: 'pe1' });
  refused.socket.resume();
  await closed(refused.socket);
  assert.match(listener.refused.at(-1)?.reason ?? '', /^certificate of node\/p2 was revoked on/);

  // The side that dialled.
  const cut = closed(innocent.socket);
  await client.kept.takeUp((await bed.revoke('node/pe1')).text);
  await cut;
  await assert.rejects(dialTo(listener, pe3, { expectedNode: 'pe1', trust: client.trust }), {
    code: 'peer/untrusted-certificate',
    message: /node\/pe1 was revoked on/,
  });
});

test('another CA takes the place of the first without a refused session in between [TS-24]', async () => {
  const lists = await upLists();
  const { domain, ca } = lists;
  const at = { dir: ca, clock: systemClock };
  const [server, client] = [await lists.node(), await lists.node()];
  const old = await domain.identity('old');
  const listener = await startListener(old, { trust: server.trust });
  const take = async (list: { readonly text: string }) => {
    for (const node of [server, client]) assert.equal((await node.kept.takeUp(list.text)).outcome, 'taken');
  };
  const reach = async (name: string) => {
    const identity = { ...(await domain.identity(name)), caPem: client.caPem };
    const { socket } = await dialTo(listener, identity, { trust: client.trust });
    await receive(socket, 1);
    return socket;
  };
  await reach('before');
  await take(await beginRotation(at));
  listener.rotate({ ...old, caPem: server.caPem });
  const early = await reach('begun');
  await take(await switchRotation(at));
  await reach('switched');
  const fresh = await domain.identity('new');
  listener.rotate({ ...fresh, caPem: server.caPem });
  const late = await reach('switched-too');
  // Only what the first CA certified is cut.
  const cut = closed(early);
  await take(await finishRotation(at));
  await cut;
  listener.rotate({ ...fresh, caPem: server.caPem });
  assert.equal(late.destroyed, false);
  await reach('finished');
  const forgotten = await dialTo(listener, {
    ...(await loadIdentity(join(domain.dir, 'begun'))),
    caPem: client.caPem,
  }).catch((error) => error);
  if (!(forgotten instanceof Error)) await closed(forgotten.socket);
  assert.match(listener.refused.at(-1)?.reason ?? '', /certificate is not from this domain's CA/);
  await domain.remove();
});

test('while a CA is replaced a list needs the signatures of both: the thief of one key makes none [TS-24]', async () => {
  const lists = await upLists();
  const at = { dir: lists.ca, clock: systemClock };
  const before = await lists.revoke('node/x');
  const begun = await beginRotation(at);
  const node = await lists.node();
  await node.kept.takeUp(begun.text);
  assert.equal(begun.anchors.length, 2);
  assert.equal(begun.number, before.number + 1);
  const envelope = JSON.parse((await beginRotation(at)).text);
  for (const gone of [0, 1]) {
    const signatures = envelope.signatures.filter((_: unknown, index: number) => index !== gone);
    const taken = await node.kept.takeUp(JSON.stringify({ ...envelope, signatures }));
    assert.match('reason' in taken ? taken.reason : '', /is missing/);
  }
  assert.equal((await node.kept.takeUp(JSON.stringify(envelope))).outcome, 'taken');
  await lists.domain.remove();
});

test('each step of a replacement may be run again, and none out of its order', async () => {
  const lists = await upLists();
  const at = { dir: lists.ca, clock: systemClock };
  await assert.rejects(switchRotation(at), { code: 'caller/no-rotation' });
  await assert.rejects(finishRotation(at), { code: 'caller/no-rotation' });
  const [first, again] = [await beginRotation(at), await beginRotation(at)];
  assert.deepEqual(again.anchors, first.anchors);
  await switchRotation(at);
  await assert.rejects(beginRotation(at), { code: 'caller/rotation-open' });
  const list = await finishRotation(at);
  assert.equal(list.anchors.length, 1);
  assert.equal(list.anchors[0], first.anchors[1]);
  // Its list is signed by the new CA alone from now on.
  assert.equal(JSON.parse((await lists.revoke('node/y')).text).signatures.length, 1);
  await lists.domain.remove();
});
