// What bgpd says of where a prefix comes from, and which destinations it is asked about.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { parseOrigin, withOrigins } from '#router/drivers/linux-frr/routing-table/origins.ts';

const path = (state: string, list: readonly number[], overall = true) => ({
  aspath: { string: list.join(' '), segments: [{ type: 'as-sequence', list }], length: list.length },
  ...(overall ? { bestpath: { overall: true } } : {}),
  rpkiValidationState: state,
});
const text = (...paths: readonly object[]) => JSON.stringify({ prefix: '203.0.113.0/24', version: 5, paths });

test('the best path says prefix, path and validity', () => {
  assert.deepEqual(parseOrigin(text(path('valid', [65_009], false), path('invalid', [65_002, 65_003]))), {
    ...{ prefix: '203.0.113.0/24', asPath: [65_002, 65_003], validity: 'invalid' },
  });
  assert.equal(parseOrigin(text(path('not found', [65_002])))?.validity, 'not-found');
  assert.deepEqual(parseOrigin(text(path('valid', [])))?.asPath, []);
});

test('a path that is not checked, or not the best, and what is no JSON say nothing', () => {
  for (const none of [text(path('not used', [65_002])), text(path('invalid', [65_002], false)), text(), '{}', '', '%'])
    assert.equal(parseOrigin(none), undefined, none);
  const set = { ...path('invalid', []), aspath: { segments: [{ type: 'as-set', list: [1, 2] }] } };
  assert.deepEqual(parseOrigin(text(set))?.asPath, []);
});

test('bgpd is asked for what BGP brought, and its silence leaves the answers as they were', async () => {
  const answers: readonly RouteAnswer[] = [
    { destination: '203.0.113.1', kind: 'unicast', protocol: 'bgp' },
    { destination: '198.18.1.1', kind: 'unicast', protocol: 'isis' },
    { destination: '198.51.100.1', kind: 'none' },
  ];
  const asked: unknown[] = [];
  const helper = (reply: () => Promise<readonly string[]>) => ({
    call: async (name: string, request: unknown) => {
      asked.push([name, request]);
      return reply();
    },
  });
  const call = (reply: () => Promise<readonly string[]>) => withOrigins(answers, helper(reply) as never);
  const told = await call(async () => [text(path('valid', [65_003]))]);
  assert.deepEqual(asked, [['bgp-origins', { destinations: ['203.0.113.1'] }]]);
  assert.deepEqual(
    told.map(({ origin }) => origin?.validity),
    ['valid', undefined, undefined],
  );
  assert.deepEqual(await call(() => Promise.reject(new Error('no helper'))), answers);
  assert.deepEqual(await call(async () => []), answers);
});

test('of a node that checks, routes that bgpd was not asked of or did not tell say so', async () => {
  const answers: readonly RouteAnswer[] = Array.from({ length: 40 }, (_, index) => ({
    ...{ destination: `203.0.113.${index + 1}`, kind: 'unicast', protocol: 'bgp' },
  }));
  const helper = {
    call: async (_: string, { destinations }: { destinations: readonly string[] }) =>
      destinations.map((_destination, index) =>
        index === 1 ? '' : index === 2 ? '{"paths":[]}' : text(path('valid', [65_003])),
      ),
  };
  const told = await withOrigins(answers, helper as never);
  const unread = told.filter(({ originUnread }) => originUnread === true).map(({ destination }) => destination);
  assert.deepEqual(
    unread,
    [1, ...Array.from({ length: 8 }, (_, index) => 32 + index)].map((n) => `203.0.113.${n + 1}`),
  );
  assert.equal(told[0]?.origin?.validity, 'valid');
  assert.equal(told[2]?.origin, undefined, 'asked, and bgpd has none');
});
