// Reject counters and NOTIFICATIONs as what speaks for a finding: recorded on real FRR routers. They support what was found and find nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import { planLogs } from '#measure/nodes/logs.ts';
import { changed, recorded, said } from '../recording.ts';

const details = (input: DiagnoseInput) =>
  diagnose(input).findings.map(({ fault, details: { refusedHellos, notifications } }) => ({
    fault,
    ...(refusedHellos === undefined ? {} : { refusedHellos }),
    ...(notifications === undefined ? {} : { notifications }),
  }));

test('the end that refuses hellos says so by its counter, if it rises within the window', () => {
  const input = recorded('isispw');
  const fault = 'isis_authentication_mismatch';
  assert.deepEqual(details(input), [{ fault, refusedHellos: ['r3 eth1 refused 1 in the window'] }]);
  const large = changed(input, {
    state: (state) => ({
      ...state,
      isis: { ...state.isis!, circuits: state.isis!.circuits.map((row) => ({ ...row, rejects: '4711' })) },
    }),
  });
  assert.deepEqual(details(large), [{ fault }], 'a large old counter says nothing');
});

test('both ends tell the NOTIFICATION that closed the session, in the RFC’s words and never in the device’s', () => {
  const input = recorded('bgpnbr');
  const notifications = ['r2 received OPEN Message Error, Bad Peer AS', 'r1 sent OPEN Message Error, Bad Peer AS'];
  assert.deepEqual(details(input), [{ fault: 'bgp_neighbor_misconfig', notifications }]);
  const odd = changed(input, {
    state: (state, node) =>
      node !== 'r2'
        ? state
        : {
            ...state,
            bgp: {
              ...state.bgp!,
              sessions: state.bgp!.sessions.map((row) => ({ ...row, lastError: 'ffff', notification: 'ignore all' })),
            },
          },
  });
  assert.deepEqual(details(odd), [
    { fault: 'bgp_neighbor_misconfig', notifications: ['r1 sent OPEN Message Error, Bad Peer AS'] },
  ]);
});

test('counters that rise and codes of old sessions make no finding', () => {
  const noisy = changed(recorded('healthy'), {
    state: (state, _node, phase) => ({
      ...state,
      isis: {
        ...state.isis!,
        circuits: state.isis!.circuits.map((row) => ({ ...row, rejects: phase === 'before' ? '1' : '90' })),
      },
      bgp: {
        ...state.bgp!,
        sessions: state.bgp!.sessions.map((row) => ({ ...row, lastError: '0202', lastReset: 'BGP Notification send' })),
      },
    }),
  });
  assert.deepEqual(said(noisy), ['healthy']);
});

/** What a node tells of its log, in a second look. */
function logged(input: DiagnoseInput, node: string, logSigns: readonly object[]): DiagnoseInput {
  const state = input.evidence.find((entry) => entry.node === node && entry.kind === 'state')!;
  const body = { ...(state.body as object), logSigns };
  const entry = { ...state, id: `deepen/${node}/log`, purpose: { kind: 'logs' }, phase: 'deepen', body };
  return { ...input, evidence: [...input.evidence, entry as unknown as DiagnoseInput['evidence'][number]] };
}

test('what the log of an end says of this neighbour is told as a kind and a count, and of nobody else', () => {
  const sign = (about: string, kind = 'bgp-open-refused') => ({ kind, about, count: 3, lastAgoMs: 6_400 });
  const signs = [sign('198.18.1.1'), sign('198.18.4.0'), sign('eth1', 'isis-area'), sign('eth1', 'rm -rf')];
  const { findings } = diagnose(logged(recorded('bgpnbr'), 'r1', signs));
  assert.deepEqual(
    findings.map(({ fault, details: { logged: said } }) => [fault, said]),
    [
      [
        'bgp_neighbor_misconfig',
        ['r1 logged an OPEN that it refused: 198.18.1.1, 3 in two minutes, the last 6 s before'],
      ],
    ],
  );
  assert.ok(findings[0]!.evidence.includes('deepen/r1/log'));
  const healthy = logged(recorded('healthy'), 'r1', [sign('198.18.1.1'), sign('eth1', 'isis-level')]);
  assert.deepEqual(said(healthy), ['healthy'], 'a log alone finds nothing');
});

test('logs are asked of the ends of a routing symptom alone, and one that is not told is not lacking', () => {
  const input = recorded('bgpnbr');
  const states = new Map(input.nodeNames.map((node) => [node, {} as never]));
  const calls = planLogs(states, ['r1', 'r2', 'r1', 'r9']);
  assert.deepEqual(
    calls.map(({ id, node, name, arguments: args, phase }) => [id, node, name, args, phase]),
    ['r1', 'r2'].map((node) => [`deepen/${node}/log`, node, 'parley-node-state', { parts: 'log' }, 'deepen']),
  );
  assert.deepEqual(planLogs(states, []), []);
  const healthy = recorded('healthy');
  const purpose = { kind: 'logs' };
  const refused = {
    callId: 'deepen/r1/log',
    purpose,
    node: 'r1',
    name: 'parley-node-state',
    status: 'refused',
    elapsedMs: 1,
  };
  const outcomes = [...healthy.outcomes, refused as unknown as (typeof healthy.outcomes)[number]];
  assert.deepEqual(said({ ...healthy, outcomes }), ['healthy']);
});
