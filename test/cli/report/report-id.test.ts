// Which report a beginning of an id means: one of the node's list, or a refusal that says which there are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base/json.ts';
import { wholeIdOf } from '../../../src/cli/report/report-id.ts';

const IDS = ['3f9c00aa11bb22cc', '3f9d00aa11bb22cc', '0123456789abcdef'];

/** A node that lists its reports two at a time, newest first. */
const node = (ids: readonly string[] = IDS) => ({
  callTool: async (_tool: string, { cursor, limit = 2 }: JsonObject): Promise<JsonObject> => {
    const first = Number(cursor ?? 0);
    const next = first + Number(limit);
    return {
      reports: ids.slice(first, next).map((id) => ({ id })),
      ...(next < ids.length ? { nextCursor: String(next) } : {}),
    };
  },
});

test('a beginning of four or more characters is the one report whose id begins so, on any page of the list', async () => {
  assert.equal(await wholeIdOf(node(), '0123'), '0123456789abcdef');
  assert.equal(await wholeIdOf(node(), '3f9d'), '3f9d00aa11bb22cc');
  assert.equal(await wholeIdOf(node(), 'urn:ietf:params:xml:ns:yang:ietf-mcp/report/3f9c0'), '3f9c00aa11bb22cc');
});

test('"last" is the newest report, and a whole id or another name asks for no list', async () => {
  assert.equal(await wholeIdOf(node(), 'last'), '3f9c00aa11bb22cc');
  const silent = { callTool: () => assert.fail('asked') };
  assert.equal(await wholeIdOf(silent, 'ffffffffffffffff'), 'ffffffffffffffff');
  assert.equal(await wholeIdOf(silent, '3f9'), '3f9');
});

test('a beginning that fits no report, or several, is refused', async () => {
  await assert.rejects(wholeIdOf(node(), 'beef'), { code: 'caller/unknown-report', message: /begins with beef/ });
  await assert.rejects(wholeIdOf(node(['abcd0000aaaa0000', 'abcd1111aaaa1111']), 'abcd'), {
    code: 'caller/usage',
    data: { alike: ['abcd0000aaaa0000', 'abcd1111aaaa1111'] },
  });
  await assert.rejects(wholeIdOf(node([]), 'last'), { code: 'caller/no-report' });
});
