// The privileged helper's memory of LLDP neighbours, and the announcement that lasts as long as somebody holds it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNeighbourReader } from '#router/helper/device/lldp.ts';
import { createAnnouncer } from '#router/helper/device/lldp-announcer.ts';

const never = new AbortController().signal;
const TLV = { oui: '02504c', subtype: 1 };

function lldpdOf() {
  let nowMs = 0;
  const lldpd = { text: 'p2', tell: () => {}, reads: 0 };
  const reader = createNeighbourReader(
    {
      read: async () => {
        lldpd.reads++;
        return lldpd.text;
      },
      watch: (changed, signal) => {
        lldpd.tell = changed;
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    },
    { monotonicMs: () => nowMs },
  );
  return { lldpd, reader, pass: (ms: number) => (nowMs += ms) };
}

test('a change before the watch has subscribed is seen: memory begins later and is never old', async () => {
  const { lldpd, reader, pass } = lldpdOf();
  const end = new AbortController();
  const watching = reader.watch(() => {}, end.signal);
  assert.equal(await reader.read(never), 'p2');
  lldpd.text = 'p2 and a stranger';
  assert.equal(await reader.read(never), 'p2 and a stranger');
  pass(2_000);
  await reader.read(never);
  const reads = lldpd.reads;
  assert.equal(await reader.read(never), 'p2 and a stranger');
  assert.equal(lldpd.reads, reads, 'told from memory');
  lldpd.text = 'nobody';
  lldpd.tell();
  assert.equal(await reader.read(never), 'nobody');
  lldpd.text = 'p2 again';
  pass(10_000);
  assert.equal(await reader.read(never), 'p2 again');
  end.abort();
  await watching;
  lldpd.text = 'after the watch';
  assert.equal(await reader.read(never), 'after the watch');
});

function writerOf() {
  const done: string[] = [];
  const announcer = createAnnouncer({
    announce: async (_tlv, hex) => void done.push(`announce ${hex}`),
    withdraw: async () => void done.push('withdraw'),
  });
  const hold = async (hex: string) => {
    const connection = new AbortController();
    let over: Promise<void> = Promise.resolve();
    await new Promise<void>((announced) => {
      over = announcer.hold(TLV, hex, announced, connection.signal);
    });
    return {
      end: () => {
        connection.abort();
        return over;
      },
    };
  };
  return { done, announcer, hold };
}

test('an announcement goes with the connection that made it, as when its agent is killed [TS-22]', async () => {
  const { done, hold } = writerOf();
  const agent = await hold('aa');
  await agent.end();
  assert.deepEqual(done, ['announce aa', 'withdraw']);
});

test('a newer announcement outlives the older connection, and is withdrawn once', async () => {
  const { done, announcer, hold } = writerOf();
  const older = await hold('aa');
  const newer = await hold('bb');
  await older.end();
  assert.deepEqual(done, ['announce aa', 'announce bb']);
  await announcer.withdraw(TLV, never);
  await newer.end();
  assert.deepEqual(done, ['announce aa', 'announce bb', 'withdraw']);
});
