// Rows of OSPF out of the JSON of ospfd and ospf6d; what ospf6d says was recorded from FRR 8.4.4 (lists of LSAs are cut).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Asking, readControlPlane } from '#router/drivers/linux-frr/frr/control-plane.ts';
import { parseOspf, parseOspf6 } from '#router/drivers/linux-frr/frr/ospf-json.ts';

test('how packets of OSPF are authenticated, and under which router id', () => {
  const row = { ospfEnabled: true, area: '0.0.0.0', routerId: '198.18.255.1' };
  const text = JSON.stringify({
    interfaces: { eth1: { ...row, authentication: 'authenticationMessageDigest' }, eth2: row },
  });
  assert.deepEqual(
    parseOspf(text, '{}').map(({ ifname, routerId, authentication }) => [ifname, routerId, authentication]),
    [
      ['eth1', '198.18.255.1', 'md5'],
      ['eth2', '198.18.255.1', 'none'],
    ],
  );
});

const port = (change: object = {}) => ({
  status: 'up',
  type: 'BROADCAST',
  interfaceId: 2,
  operatingAsType: 'POINTOPOINT',
  internetAddress: [
    { type: 'inet6', address: 'fe80::8837:ceff:fee7:9bdc/64' },
    { type: 'inet6', address: 'fd00:1::1/64' },
  ],
  attachedToArea: true,
  instanceId: 0,
  interfaceMtu: 9_000,
  autoDetect: 9_000,
  mtuMismatchDetection: 'enabled',
  areaId: '0.0.0.0',
  cost: 10,
  ospf6InterfaceState: 'PointToPoint',
  transmitDelaySec: 1,
  priority: 1,
  timerIntervalsConfigHello: 1,
  timerIntervalsConfigDead: 4,
  timerIntervalsConfigRetransmit: 5,
  authInfo: { authType: 'NULL' },
  ...change,
});

const NEIGHBOUR = {
  area: '0',
  interface: 'eth1',
  interfaceIndex: 2,
  neighborInterfaceIndex: 2,
  linkLocalAddress: 'fe80::583a:36ff:feda:2c52',
  neighborState: 'Full',
  neighborStateDuration: '00:00:43',
  neighborDRouter: '0.0.0.0',
  neighborBdRouter: '0.0.0.0',
  dbDescStatus: 'Slave',
  summaryListCount: 0,
  summaryListLsa: [],
};

const CONFIGURATION = `Building configuration...

Current configuration:
!
frr version 8.4.4
hostname r1
!
interface eth1
 ipv6 ospf6 area 0
 ipv6 ospf6 dead-interval 4
 ipv6 ospf6 hello-interval 1
 ipv6 ospf6 network point-to-point
exit
!
interface lo
 ipv6 ospf6 area 0
 ipv6 ospf6 passive
exit
!
router ospf6
 ospf6 router-id 198.18.255.1
exit
!
end
`;

const parsed = (interfaces: object, neighbours: object = {}, configuration = CONFIGURATION) =>
  parseOspf6({
    instance: JSON.stringify({ routerId: '198.18.255.1', running: '00:00:47', areas: {} }),
    interfaces: JSON.stringify(interfaces),
    neighbours: JSON.stringify(neighbours),
    configuration,
  });

const ROW = {
  ...{ version: 3, ifname: 'eth1', area: '0.0.0.0', network: 'POINTOPOINT', passive: false, cost: 10 },
  ...{ helloMs: 1_000, deadMs: 4_000, mtu: 9_000, instanceId: 0, routerId: '198.18.255.1', authentication: 'none' },
};

test('an interface of OSPFv3 with its neighbour, by link-local address and router id', () => {
  assert.deepEqual(parsed({ eth1: port() }, { '198.18.255.2%eth1': NEIGHBOUR }), [
    {
      ...ROW,
      neighbours: [{ routerId: '198.18.255.2', address: 'fe80::583a:36ff:feda:2c52', state: 'Full' }],
    },
  ]);
});

test('states are spelled as those of OSPFv2', () => {
  const states = ['Twoway', 'ExStart', 'ExChange', 'Loading'].map((neighborState) => {
    const [row] = parsed({ eth1: port() }, { '198.18.255.2%eth1': { ...NEIGHBOUR, neighborState } });
    return row!.neighbours[0]!.state;
  });
  assert.deepEqual(states, ['2-Way', 'ExStart', 'Exchange', 'Loading']);
});

test('an interface that is in no area does not run it, and of one that is down the network type is not told', () => {
  const { attachedToArea: _attached, areaId: _area, ...rest } = port();
  assert.deepEqual(parsed({ eth1: { ...rest, attachedToArea: false }, eth2: { status: 'up', type: 'BROADCAST' } }), []);
  const { operatingAsType: _type, ...down } = port({ status: 'down', ospf6InterfaceState: 'Down' });
  assert.deepEqual(parsed({ eth1: down }), [{ ...ROW, network: '', neighbours: [] }]);
});

test('a passive interface is told by the configuration, or by later versions with the interface', () => {
  const passive = CONFIGURATION.replace(
    ' ipv6 ospf6 hello-interval 1',
    ' ipv6 ospf6 hello-interval 1\n ipv6 ospf6 passive',
  );
  assert.equal(parsed({ eth1: port() }, {}, passive)[0]!.passive, true);
  assert.equal(parsed({ eth1: port({ timerPassiveIface: true }) })[0]!.passive, true);
  assert.equal(parsed({ lo: port({ type: 'LOOPBACK' }) })[0]!.passive, true);
});

test('authentication, an instance id and a comparison of MTUs that is off are told', () => {
  const [row] = parsed({
    eth1: port({ authInfo: { authType: 'manualkey' }, instanceId: 5, mtuMismatchDetection: 'disabled' }),
  });
  assert.deepEqual([row!.authentication, row!.instanceId, row!.mtuIgnored], ['trailer', 5, true]);
  const { authInfo: _auth, ...earlier } = port();
  assert.equal(parsed({ eth1: earlier })[0]!.authentication, undefined);
});

test('a daemon without an instance runs it nowhere', () => {
  const words = '% OSPFv3 instance not found\n';
  const texts = {
    instance: words,
    interfaces: words,
    neighbours: words,
    configuration: 'Current configuration:\n!\nend\n',
  };
  assert.deepEqual(parseOspf6(texts), []);
  const silent = { ...texts, instance: '', interfaces: '{}\n', neighbours: '% OSPFv3 is not running' };
  assert.deepEqual(parseOspf6(silent), []);
});

test('an answer that is cut, or an error, is no list of nothing', () => {
  const whole = { instance: '{}', interfaces: JSON.stringify({ eth1: port() }), neighbours: '{}', configuration: '' };
  assert.equal(parseOspf6(whole).length, 1);
  for (const part of ['instance', 'interfaces', 'neighbours'] as const)
    for (const text of ['{"eth1":{"status":"up","attachedTo', '% Unknown command: show ipv6 ospf6', '[]'])
      assert.throws(() => parseOspf6({ ...whole, [part]: text }), { code: 'node/unreadable' }, `${part} ${text}`);
});

const STATES = {
  neighbors: [
    {
      ...{ neighborId: '198.18.255.2', priority: 1, deadTime: '00:00:03', state: 'Twoway', ifState: 'BDR' },
      ...{ duration: '00:00:42', interfaceName: 'eth1', interfaceState: 'DR' },
    },
  ],
};

test('neighbours without their details have a router id and a state', () => {
  assert.deepEqual(parsed({ eth1: port() }, STATES)[0]!.neighbours, [
    { routerId: '198.18.255.2', address: '', state: '2-Way' },
  ]);
  assert.deepEqual(parsed({ eth1: port() }, { neighbors: [] })[0]!.neighbours, []);
});

test('where details of neighbours are too much to read, their states are', async () => {
  const answers: Readonly<Record<string, string>> = {
    ...{ 'ospf6-instance': '{}', 'ospf6-interfaces': JSON.stringify({ eth1: port() }) },
    ...{ 'ospf6-neighbour-states': JSON.stringify(STATES), 'ospf6-config': '' },
  };
  const call = async (name: string, { query }: { readonly query?: string }) => {
    if (name === 'daemons') return [{ name: 'ospf6d', alive: true }];
    const text = answers[query!];
    if (text === undefined) throw new Error('more than 1000000 bytes');
    return text;
  };
  const asking = {
    helper: { call },
    part: <T>(_name: string, _absent: T, read: () => Promise<T>) => read(),
    noteCut: () => undefined,
  };
  const { ospf6 } = await readControlPlane(asking as unknown as Asking, []);
  assert.deepEqual(
    ospf6?.map(({ neighbours }) => neighbours.map(({ state }) => state)),
    [['2-Way']],
  );
});
