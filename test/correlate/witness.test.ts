// Reject counters and NOTIFICATIONs as what speaks for a finding: recorded on real FRR routers. They support what was found and find nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import { changed, recorded, said } from './recording.ts';

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
