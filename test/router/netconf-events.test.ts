// Notifications of a device as lines of its log: without what its modules deny, in the order in which they came, and bounded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { buildSchema } from '#codec/yang/schema.ts';
import { parseYang } from '#codec/yang/statements.ts';
import { redactedXml } from '#router/drivers/netconf/denied.ts';
import { createNetconfEvents } from '#router/drivers/netconf/events.ts';
import { parseXml, type XmlElement } from '#router/drivers/netconf/xml.ts';
import { createFakeClock } from '../fakes/clock.ts';

const YANG = [
  `module vault { namespace "urn:vault"; prefix v; import ietf-netconf-acm { prefix acl; }
    container vault { leaf pin { acl:default-deny-all; type string; } }
    notification opened { leaf by { type string; } leaf code { acl:default-deny-all; type string; } anydata contents; }
    notification hidden { acl:default-deny-all; leaf by { type string; } } }`,
  `module more { namespace "urn:more"; prefix m; import vault { prefix v; } import ietf-netconf-acm { prefix acl; }
    augment /v:opened { leaf extra { acl:default-deny-all; type string; } } }`,
].map((text) => {
  const parsed = parseYang(text);
  assert.ok(parsed.ok);
  return parsed.value;
});
const SCHEMA = buildSchema(YANG);

function notification(inside: string): XmlElement {
  const parsed = parseXml(
    `<notification xmlns="urn:n"><eventTime>2026-01-01T00:00:00Z</eventTime>${inside}</notification>`,
  );
  assert.ok(parsed.ok);
  return parsed.value;
}

/** `tells` is false where the device cannot be asked for its modules. */
function bench(tells = true) {
  let hear: (notification: XmlElement) => void = () => {};
  const session = {
    capabilities: ['urn:ietf:params:netconf:capability:notification:1.0'],
    onNotification(each: typeof hear) {
      hear = each;
    },
    onEnd: () => {},
  };
  const device = { session, operations: { subscribe: async () => {} } };
  const link = { use: async () => device, beside: async () => device };
  const reader = {
    notification: async (one: XmlElement) =>
      tells ? redactedXml(one, SCHEMA, SCHEMA.notifications) : Promise.reject(new Error('away')),
  };
  const parts = { link, reader, clock: createFakeClock(), log: silentLog };
  const events = createNetconfEvents(parts as unknown as Parameters<typeof createNetconfEvents>[0]);
  return { events, hear: (inside: string) => hear(notification(inside)) };
}

const OPENED =
  '<opened xmlns="urn:vault"><by>ann</by><code>C</code><contents><vault><pin>P</pin></vault></contents><extra xmlns="urn:more">E</extra></opened>';

test('what a device’s modules deny is in no line of its log, nor in the data that a notification carries [NET-18]', async () => {
  const { events, hear } = bench();
  await events.start();
  hear(OPENED);
  hear('<hidden xmlns="urn:vault"><by>ann</by></hidden>');
  hear('<other xmlns="urn:other"><password>W</password><by>ben</by></other>');
  assert.deepEqual(await events.last(10), [
    '2026-01-01T00:00:00Z opened by=ann code=<redacted> contents={vault={pin=<redacted>}} extra=<redacted>',
    '2026-01-01T00:00:00Z hidden by=<redacted>',
    '2026-01-01T00:00:00Z other password=<redacted> by=ben',
  ]);
});

test('as long as the device cannot say what it denies, a line has the name of the event only [NET-18]', async () => {
  const { events, hear } = bench(false);
  await events.start();
  hear(OPENED);
  assert.deepEqual(await events.last(10), ['2026-01-01T00:00:00Z opened <redacted>']);
});
