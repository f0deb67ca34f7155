// Who may change a node, and who must agree, over a configuration that only remembers what it was asked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import { createAccess, DEFAULT_ACCESS, type RuleList } from '#model/access.ts';
import type { Role } from '#model/identity.ts';
import { linesOfEdits } from '#network/configuration/yang-edit.ts';
import { bed, contextOf } from '../change-bed.ts';

test('a confirmed commit asks for consent, applies, holds, asks the network and waits for its confirmation [NET-15, NET-17]', async () => {
  const { asked, call } = bed();
  assert.deepEqual(await call('network.commit', { confirmed: 60 }), {
    status: 'committed',
    rollbackTimeout: 60,
    'commit-id': '00000001-0a0b0c0d',
  });
  assert.deepEqual(asked, ['consent to "+ interface eth1: isis metric 5" 60000', 'commit 60000 -', 'hold', 'verified']);
  assert.deepEqual(await call('network.commit', { confirm: true }), {
    status: 'confirmed',
    'commit-id': '00000001-0a0b0c0d',
  });
});

test('a commit without a time is confirmed by the health gate alone', async () => {
  const { asked, call } = bed();
  assert.equal((await call('network.commit', {}))['status'], 'confirmed');
  // What is agreed to is a change that nothing undoes.
  assert.deepEqual(asked, [
    'consent to "+ interface eth1: isis metric 5" 0',
    'commit 600000 -',
    'hold',
    'verified',
    'confirm operator/ann -',
  ]);
});

test('whoever agrees is told of settings that no configuration holds [TS-28]', async () => {
  const { asked, call } = bed({ more: [{ sign: '+', context: 'live interface eth1', line: 'mtu 9000' }] });
  await call('network.commit', { confirmed: 60 });
  assert.match(asked[0]!, /^consent to .* 60000 live$/s);
});

test('observers and operators may not call what changes; admins may [NET-16]', () => {
  const { definitions } = bed();
  const catalog = createCatalog({ tools: definitions, resources: [] });
  const admit = (role: Role, name: string, args: JsonObject) =>
    catalog.admit(
      { method: 'tools/call', params: { name, arguments: args } },
      { caller: { kind: 'operator', domain: 'lab', name: 'bob', role }, authorised: undefined },
    );
  const calls: readonly [string, JsonObject][] = [
    ['network.cli.configure', { commands: ['interface eth1', ' isis metric 5'] }],
    [
      'network.yang.edit',
      { edit: [{ path: "/ietf-interfaces:interfaces/interface[name='eth1']/description", value: 'x' }] },
    ],
    ['network.commit', {}],
    ['network.commit', { confirm: true }],
    ['network.rollback', {}],
    ['network.file.push', { content: 'hostname a' }],
  ];
  for (const [name, args] of calls) {
    for (const role of ['observer', 'operator'] as const) {
      const refused = admit(role, name, args);
      assert.deepEqual(refused, {
        kind: 'refused',
        refusal: {
          code: -32083,
          message: 'Network.AccessDenied',
          data: { detail: `${role} may not exec this, by the default for exec`, path: name, retryPossible: false },
        },
      });
    }
    assert.equal(admit('admin', name, args).kind, 'tool', name);
  }
  assert.deepEqual([...new Set(definitions.flatMap((definition) => definition.callers))], ['operator']);
});

const METRICS_ONLY: RuleList = {
  name: 'noc',
  groups: ['operator/bob'],
  rules: [
    { name: 'tools', action: 'permit', operations: ['exec'], tool: 'network.*' },
    {
      name: 'metrics',
      action: 'permit',
      operations: ['create', 'update'],
      path: [
        { module: 'frr-interface', name: 'lib', keys: {} },
        { module: undefined, name: 'interface', keys: {} },
        { module: 'frr-isisd', name: 'isis', keys: {} },
        { module: undefined, name: 'metric', keys: {} },
      ],
    },
  ],
};

test('a rule by path holds for command lines, for each element of an edit, and for the change that comes of it [NET-16]', async () => {
  const path = (leaf: string) => `/frr-interface:lib/interface[name='eth1']/frr-isisd:isis/${leaf}`;
  const { definitions, call, asked } = bed({ lists: [METRICS_ONLY] });
  const catalog = createCatalog({
    tools: definitions,
    resources: [],
    access: createAccess({ ...DEFAULT_ACCESS, lists: [METRICS_ONLY] }),
  });
  const admit = (name: string, args: JsonObject) => {
    const admitted = catalog.admit(
      { method: 'tools/call', params: { name, arguments: args } },
      { caller: contextOf('bob').caller, authorised: undefined },
    );
    return admitted.kind === 'refused' ? [admitted.refusal.code, admitted.refusal.data['path']] : admitted.kind;
  };
  assert.equal(admit('network.cli.configure', { commands: ['interface eth1', ' isis metric 7'] }), 'tool');
  assert.equal(admit('network.yang.edit', { edit: [{ path: path('metric'), value: 7 }] }), 'tool');
  const secret = ['interface eth1', ' isis metric 7', ' isis password md5 open-sesame'];
  assert.deepEqual(admit('network.cli.configure', { commands: secret }), [-32083, 'interface eth1: isis password']);
  assert.deepEqual(admit('network.cli.configure', { commands: ['interface eth1', ' no isis metric'] }), [
    -32083,
    'interface eth1: no isis metric',
  ]);
  const two = [
    { path: path('metric'), value: 7 },
    { path: "/openconfig-interfaces:interfaces/interface[name='eth1']/config/description", value: 'x' },
  ];
  assert.deepEqual(admit('network.yang.edit', { edit: two }), [-32083, two[1]!.path]);
  assert.deepEqual(admit('network.cli.configure', { commands: ['log file /tmp/x'] }), [-32083, 'log file']);
  // The fake's candidate changes a metric of eth1, which bob may set; a whole file that changed it would be judged alike.
  assert.equal((await call('network.commit', {}, 'bob'))['status'], 'confirmed');
  assert.ok(asked.includes('commit 600000 -'));
});

test('a whole file that changes what its sender may not change is refused, and leaves no candidate [NET-16]', async () => {
  const lists = [{ ...METRICS_ONLY, rules: METRICS_ONLY.rules.slice(0, 1) }];
  const { call, asked } = bed({ lists });
  await assert.rejects(call('network.file.push', { content: 'hostname a' }, 'bob'), {
    code: 'caller/not-permitted',
    data: {
      wireCode: -32083,
      wireMessage: 'Network.AccessDenied',
      path: 'interface eth1: isis metric',
      retryPossible: false,
    },
  });
  assert.deepEqual(asked, ['discard']);
  await assert.rejects(call('network.commit', {}, 'bob'), { code: 'caller/not-permitted' });
  assert.deepEqual(asked, ['discard']);
});

test('a consent is given back where the device refused the commit before it began, and not where it may have begun [TS-28]', async () => {
  for (const [code, isBack] of [
    ['caller/commit-open', true],
    ['caller/config-changed', true],
    ['node/config-busy', true],
    ['node/timeout', false],
    ['caller/bad-consent', false],
  ] as const) {
    const { call, asked } = bed({ commitFails: new ParleyError(code, 'expected something else') });
    await assert.rejects(call('network.commit', { confirmed: 60 }), { code });
    assert.equal(asked.includes('given back'), isBack, code);
  }
});

test('nothing is applied without consent, and nothing that the router would refuse is put to anybody', async () => {
  const denied = bed({ granted: false });
  await assert.rejects(denied.call('network.commit', { confirmed: 60 }), { code: 'caller/no-consent' });
  assert.equal(denied.asked.length, 1);
  const wrong = bed({ wrong: 'unknown command in line 3' });
  await assert.rejects(wrong.call('network.commit', { confirmed: 60 }), { code: 'caller/config-incompatible' });
  assert.deepEqual(wrong.asked, []);
});

test('a confirmation after the rollback learns so by its own code [NET-13]', async () => {
  const { call } = bed({ confirmFails: new ParleyError('caller/no-commit', 'x') });
  const data = await call('network.commit', { confirm: true }).then(
    () => assert.fail('expected a refusal'),
    (error: ParleyError) => error.data,
  );
  assert.deepEqual([data['wireCode'], data['wireMessage']], [-32086, 'Network.ConfirmedCommitTimeout']);
});

test('a rollback to an earlier commit is a commit of its own', async () => {
  const { asked, call } = bed();
  assert.equal((await call('network.rollback', { 'commit-id': '00000001-0a0b0c0d' }))['status'], 'rolled-back');
  assert.deepEqual(
    asked.filter((what) => /^(restore|commit|confirm)/.test(what)),
    ['restore 00000001-0a0b0c0d', 'commit 600000 -', 'confirm operator/ann -'],
  );
});

test('the tools are listed with schemas that refuse what they do not know [NET-2]', () => {
  const { definitions } = bed();
  const catalog = createCatalog({ tools: definitions, resources: [] });
  assert.deepEqual(
    definitions.map(({ name }) => name),
    [
      'network.cli.configure',
      'network.yang.edit',
      'network.commit',
      'network.rollback',
      'rollback-config',
      'network.file.pull',
      'network.file.push',
    ],
  );
  const admit = (args: JsonObject) =>
    catalog.admit(
      { method: 'tools/call', params: { name: 'network.commit', arguments: args } },
      { caller: { ...contextOf('ann').caller, role: 'admin' }, authorised: undefined },
    ).kind;
  assert.equal(admit({ confirmed: 60 }), 'tool');
  for (const args of [
    { confirmed: 1 },
    { confirmed: '60' },
    { confirm: false },
    { persist: 'two words' },
    { other: 1 },
  ])
    assert.equal(admit(args), 'refused', JSON.stringify(args));
});

test('YANG edits become lines of the closed set [NET-15]', () => {
  const value = {
    config: { name: 'lo', type: 'iana-if-type:softwareLoopback', description: 'core', enabled: true },
    subinterfaces: {
      subinterface: [
        {
          index: 0,
          config: { index: 0 },
          ipv4: { addresses: { address: [{ ip: '192.0.2.1', config: { ip: '192.0.2.1', 'prefix-length': 32 } }] } },
        },
      ],
    },
  };
  const edits = [
    { path: "/openconfig-interfaces:interfaces/interface[name='lo']", value },
    { path: "/ietf-interfaces:interfaces/interface[name='eth1']/description", value: 'to b' },
    { path: "/ietf-interfaces:interfaces/interface[name='eth1']/enabled", value: false },
    { path: "/frr-interface:lib/interface[name='eth1']/frr-isisd:isis/metric", value: 30 },
    { path: "/frr-interface:lib/interface[name='eth1']/frr-isisd:isis/password", operation: 'delete' },
    {
      path: "/ietf-routing:routing/control-plane-protocols/control-plane-protocol/static-routes/ipv6/route[destination-prefix='2001:db8::/32']",
      value: { 'next-hop': { 'special-next-hop': 'blackhole' } },
    },
  ];
  const lines = linesOfEdits(edits);
  assert.deepEqual(lines.ok && lines.value.filter((line) => line !== 'exit'), [
    'interface lo',
    ' description core',
    ' no shutdown',
    ' ip address 192.0.2.1/32',
    'interface eth1',
    ' description to b',
    'interface eth1',
    ' shutdown',
    'interface eth1',
    ' isis metric 30',
    'interface eth1',
    ' no isis password',
    'ipv6 route 2001:db8::/32 blackhole',
  ]);
});

test('a YANG edit that cannot be done is refused with its path [NET-13]', () => {
  const eth1 = "/ietf-interfaces:interfaces/interface[name='eth1']";
  for (const edit of [
    { path: `${eth1}/mtu`, value: 9_000 },
    { path: eth1, value: { description: 'x', 'hold-time': 5 } },
    { path: '/ietf-system:system/hostname', value: 'x' },
    { path: "/ietf-interfaces:interfaces/interface[name='--help']/description", value: 'x' },
  ]) {
    const lines = linesOfEdits([edit]);
    assert.deepEqual(lines.ok === false && [lines.path, lines.kind], [edit.path, 'path']);
  }
  for (const edit of [
    { path: `${eth1}/description`, value: { a: 1 } },
    { path: `${eth1}/enabled`, value: 'yes' },
    { path: eth1, value: 7 },
  ]) {
    const lines = linesOfEdits([edit]);
    assert.deepEqual(lines.ok === false && [lines.path, lines.kind], [edit.path, 'payload']);
  }
});

test('the draft’s rollback-config is network.rollback: undone alike, and no way around a rule about either name [TS-3] [NET-16]', async () => {
  const { definitions, call, asked } = bed();
  const undone = { status: 'rolled-back', 'commit-id': '00000001-0a0b0c0d' };
  assert.deepEqual(await call('rollback-config', {}), undone);
  assert.deepEqual(asked, ['cancel cancelled by the operator']);
  const admit = (name: string, denied: string) => {
    const rules = [{ name: 'no', action: 'deny', operations: ['exec'], tool: denied }] as const;
    const lists: readonly RuleList[] = [{ name: 'noc', groups: ['operator/ann'], rules }];
    const access = createAccess({ ...DEFAULT_ACCESS, roles: { ann: 'admin' }, lists });
    const catalog = createCatalog({ tools: definitions, resources: [], access });
    const scope = { caller: contextOf('ann').caller, authorised: undefined };
    return catalog.admit({ method: 'tools/call', params: { name, arguments: {} } }, scope).kind;
  };
  assert.equal(admit('rollback-config', 'network.rollback'), 'refused');
  assert.equal(admit('rollback-config', 'rollback-config'), 'refused');
  assert.equal(admit('network.rollback', 'rollback-config'), 'tool');
  assert.equal(admit('rollback-config', 'network.commit'), 'tool');
});
