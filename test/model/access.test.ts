// The access rules: first match, groups, names, paths with and without keys, and the defaults that permit nothing by accident.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configSchema } from '#config/schema.ts';
import { type AccessOperation, type AccessTarget, createAccess, DEFAULT_ACCESS } from '#model/access.ts';
import type { Party, Role } from '#model/identity.ts';
import { parsePath } from '#model/router/yang-path.ts';

const person = (role?: Role, name = 'bob'): Party => ({
  kind: 'operator',
  domain: 'lab',
  name,
  ...(role === undefined ? {} : { role }),
});
const NODE: Party = { kind: 'node', domain: 'lab', name: 'p2' };
const tool = (name: string, mutability: 'read' | 'probe' | 'write' = 'read'): AccessTarget => ({
  kind: 'tool',
  name,
  mutability,
});

function data(path: string): AccessTarget {
  const steps = parsePath(path);
  assert.ok(steps.ok, path);
  return { kind: 'data', steps: steps.value };
}

/** Rules as they stand in the configuration file. */
function accessOf(access: object) {
  const parsed = configSchema.parse({ node: 'pe1', domain: 'lab', access });
  return createAccess({ ...parsed.access, lists: parsed.access.rules });
}

test('what each role may do by the built-in rules: exec is denied by default, unlike RFC 8341 [NET-16]', () => {
  const access = createAccess();
  const may = (party: Party, operation: AccessOperation, target: AccessTarget) =>
    access.rule(party, operation, target).permit;
  const table = (['observer', 'operator', 'admin'] as const).map((role) => [
    role,
    may(person(role), 'exec', tool('network.yang.get')),
    may(person(role), 'exec', tool('ietf-ping', 'probe')),
    may(person(role), 'exec', tool('network.commit', 'write')),
    may(person(role), 'read', { kind: 'resource', uri: 'network:///interfaces' }),
    may(person(role), 'update', { kind: 'resource', uri: 'network:///file/candidate-config' }),
  ]);
  assert.deepEqual(table, [
    ['observer', true, false, false, true, false],
    ['operator', true, true, false, true, false],
    ['admin', true, true, true, true, true],
  ]);
  assert.equal(may(NODE, 'exec', tool('ietf-srv6-ping', 'probe')), true);
  assert.equal(may(NODE, 'exec', tool('network.commit', 'write')), false);
  assert.deepEqual(access.rule(person('observer'), 'exec', tool('x', 'write')), {
    permit: false,
    by: 'the default for exec',
    named: false,
    isDefault: true,
  });
});

test('a certificate without a role is an operator; the configuration wins over the certificate [NET-16]', () => {
  const access = createAccess({ ...DEFAULT_ACCESS, roles: { ann: 'observer', local: 'admin' } });
  assert.equal(access.roleOf(person()), 'operator');
  assert.equal(access.roleOf(person('admin')), 'admin');
  assert.equal(access.roleOf(person('admin', 'ann')), 'observer');
  assert.equal(access.roleOf(person(undefined, 'local')), 'admin');
  assert.equal(access.roleOf(person(undefined, 'constructor')), 'operator');
  assert.equal(access.roleOf({ ...NODE, name: 'local' }), undefined);
});

test('the first rule that matches decides, the operator’s lists before the built-in ones [NET-16]', () => {
  const access = accessOf({
    rules: [
      {
        name: 'noc',
        groups: ['operator'],
        rules: [
          { name: 'no-captures', action: 'deny', operations: ['exec'], tool: 'network.tcpdump' },
          { name: 'commits', action: 'permit', operations: ['exec'], tool: 'network.*' },
        ],
      },
      {
        name: 'all',
        groups: ['*'],
        rules: [{ name: 'no-crashes', action: 'deny', operations: '*', resource: 'network:///file/*' }],
      },
    ],
  });
  const ruling = (target: AccessTarget, operation: AccessOperation = 'exec', who = person('operator')) => {
    const { permit, by } = access.rule(who, operation, target);
    return `${permit ? 'permit' : 'deny'} ${by}`;
  };
  assert.equal(ruling(tool('network.tcpdump', 'probe')), 'deny rule no-captures of list noc');
  assert.equal(ruling(tool('network.commit', 'write')), 'permit rule commits of list noc');
  assert.equal(ruling(tool('network.commit', 'write'), 'exec', person('observer')), 'deny the default for exec');
  assert.equal(
    ruling({ kind: 'resource', uri: 'network:///file/0/crashinfo' }, 'read'),
    'deny rule no-crashes of list all',
  );
  assert.equal(ruling({ kind: 'resource', uri: 'network:///files' }, 'read'), 'permit the default for read');
  // A rule for a resource says nothing about data, and the other way round.
  assert.equal(ruling(data('/a:b'), 'read'), 'permit the default for read');
});

test('a path means the node and all below it; keys by name, by position and by identity [NET-16]', () => {
  const access = accessOf({
    rules: [
      {
        name: 'noc',
        groups: ['*'],
        rules: [
          { name: 'eth1', action: 'deny', path: "/ietf-interfaces:interfaces/interface[name='eth1']" },
          { name: 'isis', action: 'deny', operations: ['read'], path: '/frr-interface:lib/interface/frr-isisd:isis' },
          { name: 'bgp', action: 'deny', operations: ['read'], module: 'openconfig-bgp' },
        ],
      },
    ],
  });
  const may = (path: string, operation: AccessOperation = 'read') =>
    access.rule(person('admin'), operation, data(path)).permit;
  assert.equal(may("/ietf-interfaces:interfaces/interface[name='eth1']/enabled"), false);
  assert.equal(may('ietf-interfaces:interfaces/interface=eth1'), false);
  assert.equal(may('ietf-interfaces:interfaces/ietf-interfaces:interface=eth1/description'), false);
  assert.equal(may('ietf-interfaces:interfaces/interface=eth10'), true);
  assert.equal(may('/ietf-interfaces:interfaces'), true);
  assert.equal(may("/frr-interface:lib/interface[name='eth0']/frr-isisd:isis/metric"), false);
  assert.equal(may("/frr-interface:lib/interface[name='eth0']/isis/metric"), true, 'another module’s isis');
  assert.equal(may('/openconfig-bgp:bgp/neighbors'), false);
  // A read of the whole list leaves the entry out; a change of the whole list would change the entry.
  assert.equal(may('/ietf-interfaces:interfaces/interface'), true);
  assert.equal(may('/ietf-interfaces:interfaces/interface', 'delete'), false);
  assert.equal(may("/ietf-interfaces:interfaces/interface[type='x']", 'update'), false);
  assert.equal(access.hidesData(person('admin')), true);
  assert.equal(createAccess().hidesData(person('observer')), false);
});

test('a rule that means nothing is refused when the configuration is read [NET-16]', () => {
  const issues = (rule: object) => {
    const access = { rules: [{ name: 'l', groups: ['*'], rules: [{ name: 'r', action: 'deny', ...rule }] }] };
    const parsed = configSchema.safeParse({ node: 'pe1', domain: 'lab', access });
    return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  };
  assert.deepEqual(issues({ tool: 'network.commit' }), []);
  assert.match(
    issues({ tool: 'a', resource: 'b' })[0]!,
    /^access\.rules\.0\.rules\.0: expected a tool, a resource or YANG data/,
  );
  assert.match(issues({ path: '/no-module' })[0]!, /rules\.0\.path: expected a module before the first step/);
  assert.match(issues({ operations: ['write'] })[0]!, /operations/);
  assert.match(issues({ tools: 'a' })[0]!, /Unrecognized key/);
});

test('a rule that denies reading and names nothing hides all data; one for a tool or a resource hides none [NET-16]', () => {
  const hidden = (rule: object) =>
    accessOf({ rules: [{ name: 'l', groups: ['operator'], rules: [{ name: 'r', ...rule }] }] }).hidesData(
      person('operator'),
    );
  assert.equal(hidden({ action: 'deny', operations: ['read'] }), true);
  assert.equal(hidden({ action: 'deny', operations: ['update'] }), false);
  assert.equal(hidden({ action: 'deny', operations: ['read'], tool: 'network.cli.exec' }), false);
  assert.equal(hidden({ action: 'deny', operations: ['read'], class: 'probe' }), false);
  assert.equal(hidden({ action: 'deny', operations: ['read'], resource: 'network:///file/*' }), false);
  assert.equal(hidden({ action: 'permit', operations: ['read'] }), false);
});

test('a rule for a URI means it however its escapes are written [NET-16]', () => {
  const named = 'urn:ietf:params:xml:ns:yang:ietf-interfaces/interfaces/interface=';
  const may = (action: 'deny' | 'permit', resource: string, uri: string) =>
    accessOf({
      defaults: { read: action === 'deny' ? 'permit' : 'deny' },
      rules: [{ name: 'l', groups: ['*'], rules: [{ name: 'r', action, operations: ['read'], resource }] }],
    }).rule(person('operator'), 'read', { kind: 'resource', uri }).permit;
  assert.equal(may('deny', `${named}eth1/statistics`, `${named}eth%31/statistics`), false);
  assert.equal(may('deny', `${named}ge-0/0/1/*`, `${named}ge-0%2F0%2f1/statistics`), false);
  assert.equal(may('deny', `${named}%65th1/*`, `URN${named.slice(3)}eth1/statistics`), false);
  assert.equal(may('deny', `${named}eth1/statistics`, `${named}eth2/statistics`), true);
  assert.equal(may('permit', `${named}eth1/*`, `${named}eth%31/statistics`), true);
  // A slash inside a name is another name than one between two.
  assert.equal(may('permit', `${named}a/b`, `${named}a%2Fb`), false);
});
