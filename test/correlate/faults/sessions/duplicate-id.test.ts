// duplicate_router_id on the ring: r2 has the id of r1, or both have one of neither.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import { all, at, type Change, cut, named, ring } from '../../ring.ts';
import { ospf, row } from '../ospf/ospf-ring.ts';

const systemId = (node: string, id: string): Change =>
  at([node], (state) => ({ ...state, isis: { ...state.isis!, systemId: id } }));

test('two routers with one system id that are not adjacent for it are both named', () => {
  const input = ring(all(cut, systemId('r2', '0000.0000.0001')));
  assert.deepEqual(named(input), ['duplicate_router_id node/r1', 'duplicate_router_id node/r2']);
  assert.equal(diagnose(input).findings[0]!.details['what'], 'r1 and r2 have the same system id 0000.0000.0001');
});

test('without harm, or where no link of the protocol joins the two, one id at two routers is not told', () => {
  assert.deepEqual(named(ring(systemId('r2', '0000.0000.0001'))), []);
  const apart: Change = (state) => ({
    ...state,
    isis: { ...state.isis!, circuits: state.isis!.circuits.map((each) => ({ ...each, passive: true })) },
  });
  assert.deepEqual(named(ring(all(cut, systemId('r2', '0000.0000.0001'), apart))), []);
});

test('a router id that is an address of one of the two is the mistake of the other', () => {
  const id = { routerId: '198.18.255.1' };
  assert.deepEqual(named(ring(ospf(row(id), row(id)))), ['duplicate_router_id node/r2']);
  const strange = { routerId: '192.0.2.1' };
  assert.deepEqual(named(ring(ospf(row(strange), row(strange)))), [
    'duplicate_router_id node/r1',
    'duplicate_router_id node/r2',
  ]);
});
