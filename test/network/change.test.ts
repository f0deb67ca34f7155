// Who may change a node, who must agree, and what the health gate decides, over a configuration that only remembers what it was asked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { createCatalog } from '#mcp/catalog.ts';
import { type AccessSettings, createAccess, DEFAULT_ACCESS, type RuleList } from '#model/access.ts';
import type { CommitView, ConfigurationPort, HealthBaseline } from '#model/configuration.ts';
import type { Party, Role } from '#model/identity.ts';
import type { OfferContext } from '#model/offer.ts';
import { createChanges } from '#network/change.ts';
import { configureOffers } from '#network/configure.ts';
import { fileOffers } from '#network/files.ts';
import { linesOfEdits } from '#network/yang-edit.ts';

const COMMIT: CommitView = {
  id: '00000001-0a0b0c0d',
  state: 'APPLIED',
  by: 'operator/ann',
  startedMs: 0,
  deadlineMs: 60_000,
  timeoutMs: 60_000,
  persist: false,
};

type Bed = {
  granted?: boolean;
  missing?: readonly string[];
  unproven?: readonly string[];
  /** The step of the port that fails. */
  fails?: 'verified';
  cancelFails?: ParleyError;
  probeCaller?: () => Promise<void>;
  /** What is open when a change is to be undone. */
  open?: CommitView | undefined;
  wrong?: string;
  confirmFails?: ParleyError;
  baseline?: HealthBaseline;
  /** Called as the health gate begins. */
  onGate?: () => void;
  roles?: AccessSettings['roles'];
  lists?: readonly RuleList[];
};

function bed(init: Bed = {}) {
  const asked: string[] = [];
  const note = (what: string) => void asked.push(what);
  const noted = <T>(what: string, value: T): T => {
    note(what);
    return value;
  };
  const candidate = {
    changes: [{ sign: '+', context: 'interface eth1', line: 'isis metric 5' }],
    ...(init.wrong ? { wrong: init.wrong } : {}),
  } as const;
  const configuration: ConfigurationPort = {
    facts: async () => ({ sources: ['running', 'startup', 'candidate'], confirmedCommit: true }),
    read: async (source) => `! ${source}`,
    edit: async (_, lines) => noted(`edit ${lines.join('|')}`, candidate),
    push: async () => candidate,
    restore: async (_, id) => noted(`restore ${id}`, candidate),
    validate: async () => candidate,
    discard: async () => note('discard'),
    commit: async (_, { timeoutMs, persist }) => noted(`commit ${timeoutMs} ${persist ?? '-'}`, COMMIT),
    verified: async () => {
      if (init.fails === 'verified') throw new ParleyError('node/timeout', 'the helper says nothing');
      return noted('verified', { ...COMMIT, state: 'VERIFIED' });
    },
    confirm: async (holder, persistId) => {
      note(`confirm ${holder} ${persistId ?? '-'}`);
      if (init.confirmFails) throw init.confirmFails;
      return { ...COMMIT, state: 'CONFIRMED' };
    },
    cancel: async (_, reason) => {
      note(`cancel ${reason}`);
      if (init.cancelFails) throw init.cancelFails;
      return { ...COMMIT, state: 'ROLLED_BACK' };
    },
    hold: async () => note('hold'),
    open: async () => ('open' in init ? init.open : COMMIT),
    history: async () => [{ ...COMMIT, state: 'ROLLED_BACK', reason: 'not confirmed in time' }],
  };
  const changes = createChanges({
    configuration,
    gate: {
      baseline: async () => init.baseline ?? { holds: ['a sees b on eth1'] },
      compare: async () => {
        init.onGate?.();
        return { missing: init.missing ?? [], unproven: init.unproven ?? [] };
      },
    },
    consent: {
      ask: async ({ summary, rollbackMs }) => {
        note(`consent to "${summary}" ${rollbackMs}`);
        return (init.granted ?? true)
          ? { granted: true, by: 'the test' }
          : { granted: false, reason: 'the test says no' };
      },
    },
    access: createAccess({ ...DEFAULT_ACCESS, roles: { ann: 'admin', ...init.roles }, lists: init.lists ?? [] }),
    log: silentLog,
  });
  const offers = [...configureOffers(configuration, changes), ...fileOffers(configuration, changes)];
  const call = (name: string, args: JsonObject, who = 'ann', signal = new AbortController().signal) =>
    offers
      .find((offer) => offer.name === name)!
      .call(args, {
        ...contextOf(who),
        signal,
        ...(init.probeCaller === undefined ? {} : { probeCaller: init.probeCaller }),
      });
  return { asked, offers, call };
}

function contextOf(name: string): OfferContext {
  const caller: Party = { kind: 'operator', domain: 'lab', name };
  return { caller, signal: new AbortController().signal, progress: () => {} };
}

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

test('what the gate misses is undone before the answer', async () => {
  const { asked, call } = bed({ missing: ['not proven: a sees b on eth1'] });
  await assert.rejects(call('network.commit', { confirmed: 60 }), { code: 'node/health-gate' });
  assert.equal(asked.at(-1), 'cancel the health gate did not pass');
  assert.equal(asked.includes('verified'), false);
});

test('nothing confirms itself by a gate that sees nothing, and nobody is asked for it [NET-15]', async () => {
  for (const baseline of [{ holds: [] }, { holds: ['session with b'], unseen: 'isisd does not answer' }]) {
    const { asked, call } = bed({ baseline });
    await assert.rejects(call('network.commit', {}), {
      code: 'caller/needs-confirmed',
      message: /"confirmed": seconds/,
    });
    assert.deepEqual(asked, []);
    assert.equal((await call('network.commit', { confirmed: 60 }))['status'], 'committed');
  }
});

test('a change whose caller leaves while the gate looks is undone; what persists waits for its confirmation [NET-15]', async () => {
  const leave = async (args: JsonObject) => {
    const caller = new AbortController();
    const { asked, call } = bed({ onGate: () => caller.abort() });
    const code = await call('network.commit', args, 'ann', caller.signal).then(
      () => 'none',
      (error: ParleyError) => error.code,
    );
    return [code, asked.at(-1)];
  };
  const undone = ['caller/session-lost', 'cancel the caller was gone, or had cancelled the call'];
  assert.deepEqual(await leave({}), undone);
  assert.deepEqual(await leave({ persist: 'token' }), undone);
  assert.deepEqual(await leave({ confirmed: 60 }), undone);
  assert.deepEqual(await leave({ confirmed: 60, persist: 'token' }), ['none', 'verified']);
});

test('nothing is confirmed for a caller who no longer answers: the change may have cut its path [NET-15]', async () => {
  const probeCaller = async () => Promise.reject(new Error('nothing in time'));
  const { asked, call } = bed({ probeCaller });
  await assert.rejects(call('network.commit', {}), { code: 'caller/session-lost', message: /nothing in time/ });
  assert.deepEqual(asked.slice(-2), ['verified', 'cancel the caller was gone, or had cancelled the call']);
  // Who is to confirm answers with the confirmation.
  assert.equal((await call('network.commit', { confirmed: 60 }))['status'], 'committed');
  const answers = bed({ probeCaller: async () => {} });
  assert.equal((await answers.call('network.commit', {}))['status'], 'confirmed');
});

test('whatever fails once a change runs, it is undone, and only this change [NET-15]', async () => {
  const failing = bed({ fails: 'verified' });
  await assert.rejects(failing.call('network.commit', { confirmed: 60, persist: 'token' }), { code: 'node/timeout' });
  assert.equal(failing.asked.at(-1), 'cancel the commit could not be completed');
  const confirming = bed({ confirmFails: new ParleyError('caller/config-changed', 'x') });
  await assert.rejects(confirming.call('network.commit', {}), { code: 'caller/config-changed' });
  assert.equal(confirming.asked.at(-1), 'cancel the commit could not be completed');
  for (const open of [undefined, { ...COMMIT, id: '00000002-0a0b0c0d' }]) {
    const other = bed({ fails: 'verified', open });
    await assert.rejects(other.call('network.commit', {}), { code: 'node/timeout' });
    assert.equal(other.asked.at(-1), 'hold');
  }
});

test('an undoing that fails is what the caller is told [NET-13]', async () => {
  const missing = ['not proven: a sees b on eth1'];
  const stuck = bed({ missing, cancelFails: new ParleyError('node/rollback-failed', 'another configuration runs') });
  await assert.rejects(stuck.call('network.commit', {}), { code: 'node/rollback-failed' });
  const settled = bed({ missing, cancelFails: new ParleyError('caller/no-commit', 'none is open') });
  await assert.rejects(settled.call('network.commit', {}), { code: 'node/health-gate' });
});

test('what was not seen is said with the answer, and confirms nothing by itself [NET-15]', async () => {
  const unproven = ['still up, nothing heard yet: BGP with 192.0.2.1'];
  const slow = bed({ unproven });
  await assert.rejects(slow.call('network.commit', {}), { code: 'node/health-gate' });
  assert.equal(slow.asked.at(-1), 'cancel the health gate did not pass');
  const warnings: unknown[] = [];
  for (const init of [{ unproven }, { baseline: { holds: [] } }, { baseline: { holds: ['x'], unseen: 'bgp: silent' } }])
    warnings.push((await bed(init).call('network.commit', { confirmed: 60 }))['warning']);
  assert.deepEqual(warnings, [
    'not proven since the change: still up, nothing heard yet: BGP with 192.0.2.1',
    'nothing was compared with before: this node tells no neighbour that is up',
    'not everything could be compared with before: bgp: silent',
  ]);
});

test('a change whose caller has left before it runs is not applied', async () => {
  const { asked, call } = bed();
  await assert.rejects(call('network.commit', {}, 'ann', AbortSignal.abort()), { code: 'caller/session-lost' });
  assert.equal(
    asked.some((what) => what.startsWith('commit')),
    false,
  );
});

test('observers and operators may not call what changes; admins may [NET-16]', () => {
  const { offers } = bed();
  const catalog = createCatalog({ tools: offers, resources: [] });
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
  assert.deepEqual([...new Set(offers.flatMap((offer) => offer.callers))], ['operator']);
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
  const { offers, call, asked } = bed({ lists: [METRICS_ONLY] });
  const catalog = createCatalog({
    tools: offers,
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

test('the six tools are listed with schemas that refuse what they do not know [NET-2]', () => {
  const { offers } = bed();
  const catalog = createCatalog({ tools: offers, resources: [] });
  assert.deepEqual(
    offers.map(({ name }) => name),
    [
      'network.cli.configure',
      'network.yang.edit',
      'network.commit',
      'network.rollback',
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
    assert.equal(lines.ok === false && lines.path, edit.path);
  }
});
