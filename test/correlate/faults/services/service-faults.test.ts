// Services of hosts by what their own router saw: which tries count, since when a host served, and what keeps it from being judged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dnsLookupLatency } from '#correlate/faults/services/dns-lookup-latency.ts';
import { dnsRecordError, recordProof } from '#correlate/faults/services/dns-record-error.ts';
import { dnsServiceDown } from '#correlate/faults/services/dns-service-down.ts';
import { triesNearby } from '#correlate/faults/services/expected-services.ts';
import { httpServiceDown } from '#correlate/faults/services/http-service-down.ts';
import { ringWorld } from '../proposing.ts';

const H = '198.19.1.10';
const LAN = { interfaces: [{ name: 'lan', kind: 'physical', operUp: true, addresses: ['198.19.1.1/24'] }], sids: [] };
const tried = (change: object = {}) => ({
  ...{ from: 'a', destination: H, service: 'udp', port: 53, sent: 1, answered: true, open: true, source: 'try' },
  ...change,
});
const answered = { node: 'a', ifname: 'lan', answers: [{ address: H, macs: ['m'] }], asks: [] };
type Given = { readonly probes?: readonly object[]; readonly more?: object; readonly state?: object };
const worldOf = ({ probes = [], more = {}, state = {} }: Given = {}) =>
  ringWorld({ serviceProbes: probes, hosts: [answered], ...more }, { a: { inventory: LAN, ...state } });

test('the router of a host tries its services, unless a route leads elsewhere', () => {
  const count = (probe: object, more: object = {}, asked: object = {}) =>
    triesNearby(worldOf({ probes: [tried(probe)], more }), { name: 'dns', port: 53, address: H, ...asked })?.tries
      .length;
  assert.equal(count({}), 1);
  for (const change of [{ destination: '198.19.1.11' }, { port: 80 }, { via: { ifname: 'x' } }, { from: 'b' }])
    assert.equal(count(change), 0, JSON.stringify(change));
  assert.equal(count({}, {}, { address: '203.0.113.1' }), undefined);
  const lookups = (ifname: string) => ({
    lookups: new Map([['a', new Map([[H, { destination: H, kind: 'unicast', ifname }]])]]),
  });
  assert.deepEqual([count({}, lookups('lan')), count({}, lookups('wan'))], [1, undefined]);
  assert.deepEqual([count({}, { hosts: [] }), count({}, { hosts: [] }, { agoMs: 9 })], [1, undefined]);
});

const REFUSED = tried({ open: false });
const servedLately = (service: string, port: number, agoMs = 20_400) => ({
  state: { history: { services: [{ ifname: 'lan', address: H, service, port, agoMs }] } },
});
const down = (fault: typeof dnsServiceDown, given: Given) =>
  fault.detect!({ world: worldOf(given), facts: [] }).map(({ subject, confidence, detail }) => [
    ...[subject, confidence, detail['servedAgoS']],
  ]);

test('names over UDP port 53 and pages over TCP are known services; a host that served one lately and refuses it is down', () => {
  const dns = (service: string, port: number) =>
    down(dnsServiceDown, { ...servedLately(service, port), probes: [tried({ open: false, service, port })] });
  const http = (service: string, port: number) =>
    down(httpServiceDown, { ...servedLately(service, port), probes: [tried({ open: false, service, port })] });
  assert.deepEqual(dns('udp', 53), [[`node/${H}`, 'likely', 20]]);
  assert.deepEqual([dns('tcp', 53), dns('udp', 5_353)], [[], []]);
  assert.deepEqual(http('tcp', 80), [[`node/${H}`, 'likely', 20]]);
  assert.deepEqual([http('udp', 80), http('tcp', 22)], [[], []]);
});

test('one that the operator asks about is certain, and is not told twice when it was seen to serve as well', () => {
  const service = { name: 'dns', port: 53, address: H };
  assert.deepEqual(down(dnsServiceDown, { probes: [REFUSED], more: { service } }), [
    [`node/${H}`, 'certain', undefined],
  ]);
  assert.deepEqual(
    down(dnsServiceDown, { ...servedLately('udp', 53), probes: [REFUSED], more: { service } }).length,
    1,
  );
  const other = { ...service, address: '198.19.1.11' };
  assert.equal(
    down(dnsServiceDown, { ...servedLately('udp', 53), probes: [REFUSED], more: { service: other } })[0]?.[1],
    'likely',
  );
});

test('a question whether its TCP port is open takes no service of that port from those that were seen', () => {
  const service = { name: 'tcp', port: 53, address: H };
  assert.deepEqual(down(dnsServiceDown, { ...servedLately('udp', 53), probes: [REFUSED], more: { service } }), [
    [`node/${H}`, 'likely', 20],
  ]);
});

test('a refusal must be seen, and nothing may have been served', () => {
  const of = (...probes: readonly object[]) => down(dnsServiceDown, { ...servedLately('udp', 53), probes }).length;
  const silent = tried({ answered: false, open: false });
  assert.deepEqual([of(REFUSED), of(REFUSED, silent), of(silent), of(REFUSED, tried()), of()], [1, 1, 0, 0, 0]);
});

const late = (change: object, state: object = {}) =>
  dnsLookupLatency.detect!({
    world: worldOf({ probes: [tried({ tookMs: [400, 390.4, 410], echoMs: [1, 2.6, 1], ...change })], state }),
    facts: [],
  }).map(({ subject, confidence, detail }) => [subject, confidence, detail['tookMs'], detail['echoMs']]);

test('a name server is late by its quickest answer against its slowest echo, timed by its own router', () => {
  assert.deepEqual(late({}), [['interface/a/lan', 'certain', 390, 3]]);
  assert.deepEqual(late({ tookMs: [400, 299, 410] }), []);
  assert.deepEqual(late({ echoMs: [1, 90, 1] }), []);
  for (const change of [
    { port: 5_353 },
    { from: 'b' },
    { destination: '203.0.113.1' },
    { tookMs: undefined },
    { echoMs: undefined },
  ])
    assert.deepEqual(late(change), [], JSON.stringify(change));
});

const NAME = { ifname: 'lan', address: H, name: 'www', okAgoMs: 90_400, lostAgoMs: 30_000 };
const denied = (change: object = {}) => tried({ record: 'www', found: false, ...change });
const remembers = (...names: readonly object[]) => ({ history: { watchedHosts: { names } } });
const lost = (given: Given) =>
  dnsRecordError.detect!({ world: worldOf(given), facts: [] }).map(({ subject, confidence, detail }) => [
    subject,
    confidence,
    detail['record'],
    detail['knewAgoS'],
  ]);

test('a name that the operator asks about must be denied by every try of it, by the host’s own router', () => {
  const service = { name: 'dns', port: 53, address: H, record: 'www' };
  const asked = (probes: readonly object[], change: object = {}) =>
    lost({ probes, more: { service: { ...service, ...change } } });
  assert.deepEqual(asked([denied()]), [[`node/${H}`, 'certain', 'www', undefined]]);
  assert.equal(asked([denied(), tried({ record: 'ftp', found: true })]).length, 1);
  assert.deepEqual(asked([denied(), denied({ found: true })]), []);
  assert.deepEqual(asked([denied({ open: false })]), []);
  assert.deepEqual(asked([denied({ found: undefined })]), []);
  assert.deepEqual(asked([]), []);
  assert.deepEqual(asked([denied()], { record: undefined }), []);
  assert.deepEqual(asked([denied()], { name: 'http' }), []);
  assert.deepEqual(asked([denied()], { address: '203.0.113.1' }), [], 'behind no router of the scope');
});

test('a name that a server gave its router and denies now is likely; what was given to others alone is not known', () => {
  const of = (name: object, probes: readonly object[] = [denied()], more: object = {}) =>
    lost({ probes, state: remembers({ ...NAME, ...name }), more });
  assert.deepEqual(of({}), [[`node/${H}`, 'likely', 'www', 90]]);
  assert.deepEqual(of({ othersOnly: true }), []);
  assert.deepEqual(of({}, []), []);
  for (const change of [{ from: 'b' }, { destination: '198.19.1.11' }, { record: 'ftp' }])
    assert.deepEqual(of({}, [denied(change)]), [], JSON.stringify(change));
  const service = { name: 'dns', port: 53, address: H, record: 'www' };
  assert.deepEqual(
    of({}, [denied()], { service }).map(([, confidence]) => confidence),
    ['certain'],
  );
  assert.equal(of({}, [denied()], { service: { ...service, record: 'ftp' } }).length, 1);
});

test('of the past it was lost when it is known again, or was asked again in vain by none', () => {
  const then = (name: object, probes: readonly object[]) => {
    const now = worldOf({ probes });
    const world = worldOf({ probes, state: remembers({ ...NAME, ...name }) });
    const past = { agoMs: 9, now, kept: { memory: 'dns-records', node: 'a' } };
    return dnsRecordError.detect!({ world, facts: [], past } as never).length;
  };
  assert.equal(then({}, [denied({ found: true })]), 1);
  assert.equal(then({}, [denied()]), 0);
  assert.equal(then({}, []), 0, 'it was known last before it was lost');
  assert.equal(then({ okAgoMs: 20_000 }, []), 1);
  assert.equal(then({ okAgoMs: 30_000 }, []), 0);
  assert.equal(then({ okAgoMs: 20_000 }, [denied()]), 0);
  assert.equal(then({ othersOnly: true, okAgoMs: 20_000 }, []), 0);
});

test('a name that others were given and its router never keeps the server from being proven', () => {
  const row = { ...NAME, othersOnly: true };
  const proof = (before: object, after: object, probes: readonly object[] = [denied()]) => {
    const world = worldOf({ probes });
    const view = { ...world.views.get('a')!, before: remembers(before), after: remembers(after) } as never;
    return recordProof({ ...world, views: new Map([['a', view]]) }).lacking.length;
  };
  assert.equal(proof(row, row), 1);
  assert.equal(proof({ ...row, othersOnly: undefined }, row), 0);
  assert.equal(proof(row, { ...row, othersOnly: undefined }), 0);
  assert.equal(proof(row, { ...row, name: 'ftp' }), 0);
  assert.equal(proof(row, { ...row, address: '198.19.1.11' }), 0);
  assert.equal(proof(row, row, []), 0);
  for (const bare of [{}, { history: {} }, { history: { watchedHosts: {} } }]) {
    const view = { ...worldOf().views.get('a')!, before: bare } as never;
    assert.deepEqual(recordProof({ ...worldOf(), views: new Map([['a', view]]) }).lacking, [], JSON.stringify(bare));
  }
});
