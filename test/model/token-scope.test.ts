// What an access token leaves of what its holder may do: tools, resources, subtrees, the issuer's ceiling, and parties that need one [TS-29].
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccessOperation, type AccessTarget, createAccess, DEFAULT_ACCESS, touchRefusal } from '#model/access.ts';
import type { Party, Role } from '#model/identity.ts';
import { parseScopes, type TokenGrant } from '#model/rights/token-scope.ts';
import { parsePath } from '#model/router/yang-path.ts';
import { pruneTree } from '#network/yang/prune.ts';

const ADMIN: Party = { kind: 'operator', domain: 'lab', name: 'host', role: 'admin', thumbprint: 'aa' };

function holder(scope: string, more: Partial<TokenGrant> = {}, party = ADMIN): Party {
  const scopes = parseScopes(scope);
  assert.ok(scopes.ok, scope);
  const token = { issuer: 'https://idp.example', subject: 'alice', id: 'j1', key: 'k', ceiling: 'admin' } as const;
  return { ...party, token: { ...token, scopes: scopes.value, isInForce: () => true, ...more } };
}

const tool = (name: string, mutability: 'read' | 'probe' | 'write' = 'read'): AccessTarget => ({
  kind: 'tool',
  name,
  mutability,
});
const resource = (uri: string): AccessTarget => ({ kind: 'resource', uri });

function data(path: string): AccessTarget & { readonly kind: 'data' } {
  const steps = parsePath(path);
  assert.ok(steps.ok, path);
  return { kind: 'data', steps: steps.value };
}

const access = createAccess();
const may = (party: Party, operation: AccessOperation, target: AccessTarget) =>
  access.rule(party, operation, target).permit;

test('scopes of tools and classes permit these, and data through them; nothing else [TS-29]', () => {
  const named = holder('parley:tool:network.yang.get parley:tool:parley-*');
  assert.deepEqual(
    [
      may(named, 'exec', tool('network.yang.get')),
      may(named, 'exec', tool('parley-peers')),
      may(named, 'exec', tool('network.yang.set', 'write')),
      may(named, 'read', resource('network:///interfaces')),
      may(named, 'read', data('/ietf-interfaces:interfaces')),
    ],
    [true, true, false, false, true],
  );
  const reads = holder('parley:class:read');
  assert.deepEqual(
    [
      may(reads, 'exec', tool('parley-peers')),
      may(reads, 'exec', tool('ietf-ping', 'probe')),
      may(reads, 'read', resource('network:///interfaces')),
      may(reads, 'update', resource('network:///file/candidate-config')),
    ],
    [true, false, true, false],
  );
});

test('scopes of subtrees permit reading what lies in them, and on the way there; writing takes a scope of its own [TS-29]', () => {
  const party = holder("parley:read:/ietf-interfaces:interfaces/interface[name='eth1']/statistics");
  assert.equal(access.hidesData(party), true);
  const tree = {
    'ietf-interfaces:interfaces': {
      interface: [
        { name: 'eth1', description: 'to p2', statistics: { 'in-octets': '5' } },
        { name: 'eth2', statistics: { 'in-octets': '7' } },
      ],
      'interfaces-state': 'x',
    },
    'ietf-routing:routing': { 'router-id': '192.0.2.1' },
  };
  assert.deepEqual(pruneTree(access, party, tree), {
    'ietf-interfaces:interfaces': { interface: [{ name: 'eth1', statistics: { 'in-octets': '5' } }] },
  });
  assert.equal(may(party, 'update', data("/ietf-interfaces:interfaces/interface[name='eth1']/statistics")), false);
  assert.equal(may(party, 'exec', tool('network.yang.get')), true);
  assert.equal(may(party, 'exec', tool('network.yang.set', 'write')), false);
  assert.equal(may(party, 'exec', tool('ietf-ping', 'probe')), false);
  const writer = holder('parley:write:/frr-interface:lib/interface');
  assert.equal(may(writer, 'update', data("/frr-interface:lib/interface[name='eth1']/description")), true);
  assert.equal(may(writer, 'update', data('/frr-interface:lib')), false, 'no change above the subtree');
  assert.equal(may(writer, 'update', { kind: 'data', steps: undefined }), false, 'nor of what has no path');
  const line = { operations: ['update' as const], names: [data('/ietf-interfaces:interfaces').steps!], path: 'x' };
  assert.notEqual(touchRefusal(access, writer, line), undefined);
});

test('what cannot be filtered by path is withheld from a token of subtrees, unless it names that very tool [TS-29]', () => {
  const subtree = 'parley:read:/ietf-interfaces:interfaces';
  const named = (scope: string) => access.rule(holder(scope), 'exec', tool('network.cli.show')).named;
  assert.equal(named(`${subtree} parley:class:read`), false);
  assert.equal(named(`${subtree} parley:tool:network.cli.show`), true);
});

test('neither the certificate’s rules nor the ceiling of the issuer are passed by any scope [TS-29]', () => {
  const everything = 'parley:class:read parley:class:probe parley:class:write';
  const observer: Party = { ...ADMIN, role: 'observer' };
  assert.equal(may(holder(everything, {}, observer), 'exec', tool('network.commit', 'write')), false);
  for (const [ceiling, expected] of [
    ['observer', [true, false, false]],
    ['operator', [true, true, false]],
    ['admin', [true, true, true]],
  ] as readonly (readonly [Role, readonly boolean[]])[]) {
    const party = holder(everything, { ceiling });
    const got = [tool('a'), tool('b', 'probe'), tool('c', 'write')].map((target) => may(party, 'exec', target));
    assert.deepEqual(got, expected, ceiling);
  }
  const denied = createAccess({
    ...DEFAULT_ACCESS,
    lists: [
      {
        ...{ name: 'idp', groups: ['operator/token@https://idp.example'] },
        rules: [{ name: 'no-captures', action: 'deny', operations: ['exec'], tool: 'tcpdump' }],
      },
    ],
  });
  assert.equal(denied.rule(holder(everything), 'exec', tool('tcpdump')).permit, false);
  assert.equal(denied.rule(ADMIN, 'exec', tool('tcpdump')).permit, true);
});

test('a token that has ended permits nothing; a party that needs one has nothing without it [TS-29]', () => {
  const ended = access.rule(holder('parley:class:read', { isInForce: () => false }), 'exec', tool('a'));
  assert.deepEqual([ended.permit, ended.by], [false, 'the end of the access token']);
  const strict = createAccess({ ...DEFAULT_ACCESS, tokensRequired: ['operator/host'] });
  assert.equal(strict.rule(ADMIN, 'exec', tool('a')).permit, false);
  assert.equal(strict.rule(ADMIN, 'read', data('/ietf-interfaces:interfaces')).permit, false);
  assert.equal(strict.rule(holder('parley:class:read'), 'exec', tool('a')).permit, true);
  assert.equal(strict.rule({ ...ADMIN, name: 'other' }, 'exec', tool('a')).permit, true);
  assert.equal(
    strict.rule({ ...ADMIN, isBehind: true }, 'exec', tool('a')).permit,
    true,
    'the node that was asked saw it',
  );
});

test('scopes that mean nothing are refused, those of others are passed over, own words stand for ours [TS-29]', () => {
  assert.deepEqual(parseScopes('openid profile'), { ok: true, value: [] });
  for (const odd of [
    'parley:',
    'parley:tool:',
    'parley:all:x',
    'parley:class:admin',
    'parley:read:interfaces',
    'parley:tool:a"b',
  ])
    assert.equal(parseScopes(odd).ok, false, odd);
  assert.deepEqual(parseScopes('net-read net-read', { 'net-read': ['parley:class:read'] }), {
    ok: true,
    value: [{ kind: 'class', mutability: 'read' }],
  });
  assert.deepEqual(parseScopes('toString', {}), { ok: true, value: [] });
});
