// What is over and left only counts, or a rule in a former state: losses on a wire, and filters that stood in everybody's way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { FilterMatch, NodeState } from '#model/router/router-port.ts';
import { dropping, type Scene, sceneOf } from '../scope-scene.ts';

type Row = readonly [agoMs: number, rx: number, tx: number];

/** r1 and r2 count each other's packets on r1 eth2 – r2 eth1; `lost` of what r1 sent vanish between 30 and 20 seconds ago. */
function counting(lost: number, noise = 0): Scene['states'] {
  const ages = Array.from({ length: 30 }, (_, index) => 60_000 - index * 2_000);
  const gone = (agoMs: number) => (agoMs > 30_000 ? 0 : agoMs < 20_000 ? lost : (lost * (30_000 - agoMs)) / 10_000);
  const sent = (agoMs: number) => 1_000 + Math.round((60_000 - agoMs) / 100);
  const traffic = (ifname: string, row: (agoMs: number, index: number) => Row) => (state: NodeState) => ({
    ...state,
    history: { ...state.history!, traffic: [{ ifname, samples: ages.map(row) }] },
  });
  return {
    r1: traffic('eth2', (agoMs) => [agoMs, sent(agoMs), sent(agoMs)]),
    r2: traffic('eth1', (agoMs, index) => [
      agoMs,
      sent(agoMs) - Math.round(gone(agoMs)) + (index % 2 === 0 ? noise : 0),
      sent(agoMs),
    ]),
  };
}

function said(states: Scene['states'], sinceMs?: number): readonly string[] {
  const input = sceneOf(states === undefined ? {} : { states });
  const intent = sinceMs === undefined ? input.intent : { ...input.intent, sinceMs };
  const { verdict, findings } = diagnose({ ...input, intent });
  return [verdict.kind, ...findings.map(({ fault, resource }) => `${fault} ${resource}`)];
}

test('packets that one end sent and the other never counted are packet_loss, over', () => {
  assert.deepEqual(said(counting(40), 120_000), ['fault', 'packet_loss interface/r1/eth2']);
  assert.deepEqual(said(counting(40)).slice(1), []);
  const input = sceneOf({ states: counting(40)! });
  const { findings } = diagnose({ ...input, intent: { ...input.intent, sinceMs: 120_000 } });
  assert.deepEqual([findings[0]!.details['over'], findings[0]!.confidence], [true, 'likely']);
});

test('a few packets, or counts that only jump about, are no loss; that there was none is not proven', () => {
  assert.deepEqual(said(counting(3), 120_000), ['inconclusive']);
  assert.deepEqual(said(counting(0, 4), 120_000), ['inconclusive']);
});

test('a burst that one end had not counted yet when it was last read is no loss', () => {
  const burst = (ifname: string, late: number) => (state: NodeState) => ({
    ...state,
    history: {
      ...state.history!,
      traffic: [
        {
          ifname,
          samples: Array.from({ length: 30 }, (_, index): Row => {
            const count = 1_000 + index * 20 + (index >= 28 + late ? 400 : 0);
            return [60_000 - index * 2_000, count, count];
          }),
        },
      ],
    },
  });
  assert.deepEqual(said({ r1: burst('eth2', 0), r2: burst('eth1', 1) }, 120_000), ['inconclusive']);
  assert.deepEqual(said({ r1: burst('eth2', 0), r2: burst('eth1', 2) }, 120_000), ['inconclusive']);
});

test('a loss before the time asked about is not its business', () => {
  assert.deepEqual(said(counting(40), 15_000), ['inconclusive']);
});

const is = (field: FilterMatch['field'], ...values: readonly string[]): FilterMatch => ({ field, values });
const DNS = [is('protocol', 'udp'), is('destination-port', '53')];

/** r2 had the rule between 30 and 20 seconds ago. */
const had = (matches: readonly FilterMatch[], hook = 'forward'): Scene['states'] => ({
  r2: (state, phase) => ({
    ...state,
    past: [{ fromAgoMs: 30_000, untilAgoMs: 20_000, state: dropping(matches, hook, 0)(state, phase) }],
  }),
});

const served = (state: NodeState): NodeState => ({
  ...state,
  history: {
    ...state.history!,
    services: [{ ifname: 'eth3', address: '198.19.3.10', service: 'udp', port: 53, agoMs: 9_000 }],
  },
});

test('a filter against a service that some host serves, and that is gone, is named for its time', () => {
  const states = { ...had(DNS), r3: served };
  assert.deepEqual(said(states, 120_000), ['fault', 'dns_port_blocked node/r2']);
  assert.deepEqual(said(states, 10_000), ['inconclusive']);
  assert.deepEqual(said(had(DNS), 120_000), ['inconclusive']);
});

test('a filter against what a router of the network is sent is acl_misconfig; one against others, or some senders, is not', () => {
  const to = (prefix: string) => [is('network', 'ip'), is('destination', prefix)];
  assert.deepEqual(said(had(to('198.19.3.0/24')), 120_000), ['fault', 'acl_misconfig node/r2']);
  assert.deepEqual(said(had(to('203.0.113.0/24')), 120_000), ['inconclusive']);
  assert.deepEqual(said(had([...DNS, is('source', '198.51.100.0/24')]), 120_000), ['inconclusive']);
  assert.deepEqual(said(had(to('198.19.3.0/24'), 'input'), 120_000), ['inconclusive']);
});
