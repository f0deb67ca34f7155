// link_down: a link without a carrier, one that is shut at one end, and one that was down and is up again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { changed, recorded, withInterface } from '../../recording.ts';
import { remembering } from '../../ring.ts';

type Change = (state: NodeState, node: string, phase: string) => NodeState;

const told = (state: Change) => changed(recorded('healthy'), { state });

/** Both ends of r1 eth1 – r2 eth1. */
const dark: Change = (state, node) =>
  node === 'r1' || node === 'r2' ? withInterface(state, 'eth1', () => ({ operUp: false })) : state;

test('a link without a carrier at either end is named as a link, with the cable to check', () => {
  const [down, ...rest] = diagnose(told(dark)).findings;
  assert.deepEqual([down?.fault, down?.resource, rest.length], ['link_down', 'link/r1:eth1--r2:eth1', 0]);
  assert.match(down?.remedy?.summary ?? '', /^check the cable and the optics of r1 eth1 – r2 eth1: no-carrier/);
  assert.equal(down?.remedy?.change, undefined);
});

test('a link that is shut at both ends is meant', () => {
  const shut: Change = (state, node) =>
    node === 'r1' || node === 'r2' ? withInterface(state, 'eth1', () => ({ operUp: false, adminUp: false })) : state;
  const faults = diagnose(told(shut)).findings.map(({ fault }) => fault);
  assert.ok(!faults.includes('link_down'), faults.join());
});

test('an interface that is shut, towards a silent neighbour, is to be opened: no cable is to blame', () => {
  const shut = told((state, node) => {
    if (node !== 'r1') return state;
    const off = (entry: NodeState['inventory']['interfaces'][number]) =>
      entry.name === 'eth1' ? { ...entry, adminUp: false, operUp: false } : entry;
    return {
      ...state,
      inventory: { ...state.inventory, interfaces: state.inventory.interfaces.map(off) },
      neighbours: state.neighbours.filter(({ ifname }) => ifname !== 'eth1'),
      adjacencies: state.adjacencies.filter(({ ifname }) => ifname !== 'eth1'),
      history: { ...state.history!, lastHeard: [{ ifname: 'eth1', name: 'r2', port: 'eth1' }] },
    };
  });
  const evidence = shut.evidence.filter(({ node }) => node !== 'r2');
  const down = diagnose({ ...shut, evidence }).findings.find(({ fault }) => fault === 'link_down');
  assert.equal(down?.resource, 'link/r1:eth1--r2:eth1');
  assert.deepEqual(
    [down.remedy?.summary, down.remedy?.command, down.remedy?.node],
    ['r1 eth1 is shut down', 'ip link set eth1 up', 'r1'],
  );
  assert.deepEqual(down.remedy?.change?.lines, ['interface eth1', ' no shutdown']);
});

/** r1 eth1 is shut, r2 eth1 still up; LLDP heard nothing there. */
const shutAtOne = (more: (state: NodeState) => NodeState = (state) => state) =>
  told((state, node) => {
    const forgotten = { ...state, history: { ...state.history!, lastHeard: [], events: [] } };
    if (node !== 'r1') return forgotten;
    const shut = withInterface(forgotten, 'eth1', () => ({ operUp: false, adminUp: false }));
    return more({ ...shut, adjacencies: shut.adjacencies.filter(({ ifname }) => ifname !== 'eth1') });
  });
const isDown = (input: ReturnType<typeof told>) =>
  diagnose(input)
    .findings.filter(({ fault }) => fault === 'link_down')
    .map(({ resource, confidence }) => `${resource} ${confidence}`);
const DOWN = ['link/r1:eth1--r2:eth1 likely'];

test('a port that was shut before the agents began is a remark, without a change to undo it', () => {
  const diagnosis = diagnose(shutAtOne());
  const { findings, remarks = [], candidates } = diagnosis;
  assert.deepEqual(findings, []);
  assert.deepEqual(
    remarks.map(({ kind, resource, why }) => [kind, resource, why]),
    [['link_down', 'link/r1:eth1--r2:eth1', 'no-change']],
  );
  assert.match(remarks[0]!.text, /r1 eth1 has been shut down for as long as the agents remember/);
  assert.ok(remarks[0]!.evidence.length > 0);
  assert.match(candidates.find(({ fault }) => fault === 'link_down')?.why ?? '', /as long as the agents remember/);
});

test('a port that memory saw in use, and is shut now, is likely', () => {
  assert.deepEqual(
    isDown(shutAtOne(remembering({ kind: 'admin', subject: 'eth1', was: 'up', is: 'shut', agoMs: 9 }))),
    DOWN,
  );
  assert.deepEqual(
    isDown(shutAtOne(remembering({ kind: 'admin', subject: 'eth2', was: 'up', is: 'shut', agoMs: 9 }))),
    [],
  );
  const event = { kind: 'carrier', subject: 'eth1', up: false, changes: 1, agoMs: 9 } as const;
  assert.deepEqual(
    isDown(
      shutAtOne((state) => ({ ...state, history: { ...state.history!, spanMs: 60_000, events: [event] } }) as never),
    ),
    DOWN,
  );
});

test('a port that was up for a moment alone, as while its node started, was not in use', () => {
  const heard = (agoMs: number, settingsSpanMs: number) =>
    isDown(
      shutAtOne((state) => ({
        ...state,
        history: {
          ...state.history!,
          settingsSpanMs,
          lastHeard: [{ ifname: 'eth1', name: 'r2', port: 'eth1' }],
          settings: [{ kind: 'neighbour', subject: 'eth1', setting: 'lldp', was: 'r2 eth1', agoMs }],
        },
      })),
    );
  assert.deepEqual([heard(39_000, 41_000), heard(39_000, 60_000)], [[], DOWN]);
  const opened = (settingsSpanMs: number) =>
    isDown(
      shutAtOne((state) => ({
        ...state,
        history: {
          ...state.history!,
          settingsSpanMs,
          settings: [{ kind: 'admin', subject: 'eth1', was: 'up', is: 'shut', agoMs: 39_000 }],
        },
      })),
    );
  assert.deepEqual([opened(41_000), opened(60_000)], [[], DOWN]);
});
