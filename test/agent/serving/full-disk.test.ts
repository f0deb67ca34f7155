// What a node answers where its audit trail cannot be written: reads go on, changes are refused before their effect, and none is told otherwise than it went.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import type { Party } from '#model/identity.ts';
import type { AuditRecord } from '#model/ports.ts';
import { bed } from '../../network/change-bed.ts';
import { bench, operator, refusalOf } from './serve-bed.ts';

test('on a full disk a read is answered without a record, and a change is refused before its effect [TS-31]', async () => {
  const full = async () => {
    throw new ParleyError('us/audit-full', 'expected room for the audit trail, its disk is full');
  };
  const read = bench({ audit: full });
  assert.equal((await read.handle()).status, 'answered');
  assert.deepEqual([read.order, read.records], [['effect'], []]);
  const change = bench({ audit: full, tool: { mutability: 'write' } });
  const admin: Party = { ...operator, role: 'admin' };
  const handled = await change.handle({ caller: admin, envelope: undefined });
  assert.deepEqual(refusalOf(handled), [-32603, 'expected room for the audit trail, its disk is full']);
  assert.deepEqual(change.order, []);
});

test('a change that was made is told as made, with a warning, where its answer can no longer be recorded [TS-31]', async () => {
  const admin: Party = { ...operator, role: 'admin' };
  for (const code of ['us/audit-full', 'us/audit-stalled'] as const) {
    const audit = async ({ event }: AuditRecord) => {
      if (event === 'response') throw new ParleyError(code, 'expected room for the audit trail, its disk is full');
    };
    const { handle, order } = bench({ audit, tool: { mutability: 'write' } });
    const handled = await handle({ caller: admin, envelope: undefined });
    assert.deepEqual(handled.status === 'answered' && handled.body, {
      value: 42,
      warning:
        'this was done, but the audit trail does not record all of it: expected room for the audit trail, its disk is full',
    });
    assert.deepEqual(order, ['in request', 'effect']);
  }
});

test('on a full disk what takes back an open change is done, and says that it is not recorded [TS-31, NET-15]', async () => {
  const { asked, definitions } = bed();
  const rollback = definitions.find(({ name }) => name === 'network.rollback')!;
  const admin: Party = { ...operator, role: 'admin' };
  const audit = async () => {
    throw new ParleyError('us/audit-full', 'expected room for the audit trail, its disk is full');
  };
  const ask = async (args: JsonObject) => {
    const { handle } = bench({ audit, tool: { ...rollback, name: 'read' } });
    const params = { name: 'read', arguments: args };
    return handle({ caller: admin, envelope: undefined, content: { method: 'tools/call', params } });
  };
  const undone = await ask({});
  assert.equal(undone.status, 'answered', JSON.stringify(undone));
  assert.match(
    JSON.stringify(undone.status === 'answered' && undone.body),
    /rolled-back.*the audit trail does not record/,
  );
  // What an earlier commit was before is a new change.
  assert.equal((await ask({ 'commit-id': '00000001-0a0b0c0d' })).status, 'refused');
  assert.equal((await ask({ discard: true })).status, 'refused');
  assert.equal(asked.filter((step) => step.startsWith('cancel')).length, 1);
});

test('on a full disk an open change is confirmed, and says that it is not recorded; a new one is refused [TS-31, NET-15]', async () => {
  const { asked, definitions } = bed();
  const commit = definitions.find(({ name }) => name === 'network.commit')!;
  const admin: Party = { ...operator, role: 'admin' };
  const audit = async () => {
    throw new ParleyError('us/audit-full', 'expected room for the audit trail, its disk is full');
  };
  const ask = async (args: JsonObject) => {
    const { handle } = bench({ audit, tool: { ...commit, name: 'read' } });
    const params = { name: 'read', arguments: args };
    return handle({ caller: admin, envelope: undefined, content: { method: 'tools/call', params } });
  };
  const confirmed = await ask({ confirm: true });
  assert.equal(confirmed.status, 'answered', JSON.stringify(confirmed));
  assert.match(
    JSON.stringify(confirmed.status === 'answered' && confirmed.body),
    /"status":"confirmed".*the audit trail does not record/,
  );
  assert.equal((await ask({ confirmed: 60 })).status, 'refused');
  assert.equal((await ask({})).status, 'refused');
  assert.deepEqual(
    asked.filter((step) => /^(?:confirm|commit)/.test(step)).map((step) => step.split(' ')[0]),
    ['confirm'],
  );
});
