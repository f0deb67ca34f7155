// What is over within the time asked about: carriers that both ends saw fall and return, and daemons younger than their agent's memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pastSymptoms } from '#correlate/symptoms/recovered.ts';
import { pairWorld } from '../pair-scene.ts';

type Event = readonly [agoMs: number, changes?: number];
type End = { readonly events?: readonly Event[]; readonly spanMs?: number; readonly more?: object };
const eventsOf = (subject: string, events: readonly Event[], kind = 'carrier') =>
  events.map(([agoMs, changes = 1]) => ({ kind, subject, agoMs, changes, up: true }));
const stateOf = (ifname: string, { events = [], spanMs = 0, more = {} }: End) => ({
  now: { history: { spanMs, events: eventsOf(ifname, events) }, ...more },
});
const SINCE = 60_000;
const found = (a: End, b: End, sinceMs: number | undefined = SINCE) =>
  pastSymptoms(pairWorld(['a-b'], { a: stateOf('to-b', a), b: stateOf('to-a', b) }, { sinceMs })).map(
    ({ id, detail }) => [id, detail],
  );
const KEY = 'past:link/a:to-b--b:to-a';

test('two changes or more within the time, by the end that saw more of them, first and last of both ends', () => {
  const fell: End = { events: [[30_000], [20_000]] };
  const detail = { changes: 2, agoMs: 20_000, fellAgoMs: 30_000 };
  assert.deepEqual(found(fell, fell), [[KEY, detail]]);
  assert.deepEqual(found(fell, { events: [[35_000], [18_000]] }), [
    [KEY, { changes: 2, agoMs: 18_000, fellAgoMs: 35_000 }],
  ]);
  assert.deepEqual(found({ events: [[30_000, 3]] }, { events: [[29_000]] })[0]?.[1], {
    ...{ changes: 3, agoMs: 29_000, fellAgoMs: 30_000 },
  });
  assert.deepEqual(found({ events: [[30_000]] }, { events: [[30_000]] }), []);
  assert.deepEqual(found({ events: [[60_000], [20_000]] }, fell)[0]?.[1], { ...detail, fellAgoMs: 60_000 });
  assert.deepEqual(found({ events: [[60_001], [20_000]] }, { events: [[20_000]] }), []);
  const unasked = pairWorld(['a-b'], { a: stateOf('to-b', fell), b: stateOf('to-a', fell) });
  assert.deepEqual(pastSymptoms(unasked), [], 'a question about now');
});

test('an end that watched and saw nothing contradicts the other; one that began to watch later does not', () => {
  const fell: End = { events: [[30_000], [20_000]] };
  assert.deepEqual(found(fell, { spanMs: 25_001 }), []);
  assert.equal(found(fell, { spanMs: 25_000 }).length, 1);
  assert.deepEqual(found({ spanMs: 25_001 }, fell), []);
});

test('a link of which an end is down now is not back, and other ports and events are not its own', () => {
  const fell: End = { events: [[30_000], [20_000]] };
  const down = { inventory: { interfaces: [{ name: 'to-b', operUp: false }] } };
  assert.deepEqual(found({ ...fell, more: down }, fell), []);
  const other = (subject: string, kind: string) => {
    const history = { spanMs: 0, events: eventsOf(subject, [[30_000], [20_000]], kind) };
    return found({ more: { history } }, {}).length;
  };
  assert.deepEqual([other('to-b', 'carrier'), other('to-c', 'carrier'), other('to-b', 'adjacency')], [1, 0, 0]);
});

test('daemons that are alive, younger than the question and than what their agent remembers, were started again', () => {
  const daemons = (...rows: readonly (readonly [name: string, upMs?: number, alive?: boolean])[]) => ({
    daemons: rows.map(([name, upMs, alive = true]) => ({ name, alive, ...(upMs === undefined ? {} : { upMs }) })),
  });
  const restarted = (more: object, spanMs = 600_000) =>
    found({ spanMs, more: { history: { spanMs, events: [] }, ...more } }, {});
  assert.deepEqual(restarted(daemons(['isisd', 15_000], ['bgpd', 9_000], ['zebra', 700_000])), [
    ['restarted:a', { dead: ['isisd', 'bgpd'], alive: ['zebra'], agoMs: 9_000 }],
  ]);
  assert.equal(restarted(daemons(['isisd', 60_000])).length, 1);
  assert.deepEqual(restarted(daemons(['isisd', 60_001])), []);
  assert.deepEqual(restarted(daemons(['isisd'])), []);
  assert.deepEqual(restarted(daemons(['isisd', 9_000, false])), []);
  assert.deepEqual(restarted(daemons(['isisd', 9_000]), 9_000), []);
  assert.equal(restarted(daemons(['isisd', 9_000]), 9_001).length, 1);
});
