// rpki_invalid: a checks where prefixes come from, and uses one of c that its holder did not sign for c's AS.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rpkiInvalid } from '#correlate/faults/bgp/rpki-invalid.ts';
import type { RouteOrigin } from '#model/router/router-port.ts';
import { caseOf, explained, ringWorld, symptom } from '../proposing.ts';

const TARGET = '203.0.113.10';
const PREFIX = '203.0.113.0/25';
const INVALID: RouteOrigin = { prefix: PREFIX, asPath: [65_002, 65_003], validity: 'invalid' };

type Options = {
  readonly origin?: Partial<RouteOrigin>;
  readonly networks?: readonly string[];
  readonly settings?: readonly object[];
  readonly owners?: readonly string[];
  /** What c does with packets for it. */
  readonly own?: object;
};

function scene({ origin = {}, networks = [PREFIX], settings = [], owners = [], own = {} }: Options) {
  const answer = { destination: TARGET, kind: 'unicast', protocol: 'bgp', origin: { ...INVALID, ...origin } };
  return ringWorld(
    {
      lookups: new Map([
        ['a', new Map([[TARGET, answer]])],
        ['c', new Map([[TARGET, { destination: TARGET, ...own }]])],
      ]),
      owners: new Map([[TARGET, owners.map((node) => ({ node, ifname: 'lan0' }))]]),
    },
    { c: { bgp: { asn: 65_003, sessions: [], ownPrefixes: [], networks }, history: { settings } } },
  );
}

const told = (options: Options) =>
  rpkiInvalid.detect!({ world: scene(options), facts: [] }).map(({ subject, confidence, remark }) => [
    subject,
    remark === undefined ? confidence : 'remark',
  ]);
const CAME = [{ kind: 'network', subject: PREFIX, is: 'stated', agoMs: 60_000 }];

test('a prefix that its node announces since a moment ago, and may not, is named at that node as likely', () => {
  const [found] = rpkiInvalid.detect!({ world: scene({ settings: CAME }), facts: [] });
  assert.deepEqual([found?.subject, found?.confidence, found?.remark], ['node/c', 'likely', undefined]);
  assert.equal(found?.text, '{c} announces 203.0.113.0/25 as AS 65003, which the RPKI does not let it; {a} checked it');
  const withdrawn = [{ kind: 'announced', subject: PREFIX, was: 'none', is: 'all', agoMs: 60_000 }];
  assert.deepEqual(told({ settings: withdrawn }), [['node/c', 'likely']]);
});

test('one that takes packets from the node that has its addresses is likely, however old', () => {
  const [found] = rpkiInvalid.detect!({ world: scene({ owners: ['d'] }), facts: [] });
  assert.deepEqual([found?.subject, found?.confidence], ['node/c', 'likely']);
  assert.match(
    found!.text,
    /^\{c\} announces 203\.0\.113\.0\/25 as AS 65003, .* and \{d\} has addresses of it; \{a\} checked it$/,
  );
});

test('a provider that announces the prefix of its customer and hands the packets on takes nothing away', () => {
  const byCustomer = { kind: 'unicast', protocol: 'static', nextHop: '192.0.2.1' };
  assert.deepEqual(told({ owners: ['d'], own: byCustomer }), [['node/c', 'remark']]);
  assert.deepEqual(told({ owners: ['d'], own: { kind: 'unicast', protocol: 'kernel' } }), [['node/c', 'likely']]);
  assert.deepEqual(told({ owners: ['d'], own: { kind: 'blackhole' } }), [['node/c', 'likely']]);
});

test('what was always announced so, by a statement that may be old, and what unknown networks announce, is a remark', () => {
  assert.deepEqual(told({}), [['node/c', 'remark']]);
  assert.deepEqual(told({ owners: ['c'] }), [['node/c', 'remark']], 'its own addresses');
  assert.deepEqual(
    told({ networks: [], settings: CAME, owners: ['d'] }),
    [['node/a', 'remark']],
    'another announces it',
  );
  assert.deepEqual(told({ origin: { asPath: [65_009] }, settings: CAME }), [['node/a', 'remark']]);
});

test('what was taken out for maintenance, and is back, is not new', () => {
  const row = (kind: string, was: string | undefined, is: string | undefined, agoMs: number) => ({
    ...{ kind, subject: PREFIX, agoMs },
    ...(was === undefined ? {} : { was }),
    ...(is === undefined ? {} : { is }),
  });
  const withdrawn = [row('announced', 'none', 'all', 60_000), row('announced', 'all', 'none', 600_000)];
  assert.deepEqual(told({ settings: withdrawn }), [['node/c', 'remark']]);
  const stated = [row('network', undefined, 'stated', 60_000), row('network', 'stated', undefined, 600_000)];
  assert.deepEqual(told({ settings: stated }), [['node/c', 'remark']]);
  const tried = [...stated, row('network', undefined, 'stated', 900_000)];
  assert.deepEqual(told({ settings: tried }), [['node/c', 'likely']], 'it came within memory at first');
});

test('where no one node announces it alone, that is what the remark says', () => {
  const [found] = rpkiInvalid.detect!({ world: scene({ networks: [] }), facts: [] });
  assert.match(String(found?.remark), /does not let that AS announce; which node announces it is not known$/);
});

test('what is valid, or of which the RPKI knows nothing, and what a node announces itself is nothing', () => {
  assert.deepEqual(told({ origin: { validity: 'valid' }, settings: CAME }), []);
  assert.deepEqual(told({ origin: { validity: 'not-found' }, settings: CAME }), []);
  assert.deepEqual(told({ origin: { asPath: [] }, settings: CAME }), []);
});

test('lost routes and silences of the prefix follow from it', () => {
  const world = scene({ owners: ['d'] });
  const [own] = rpkiInvalid.detect!({ world, facts: [] });
  const others = [
    symptom('reach', { detail: { destination: TARGET } }),
    symptom('reach', { id: 'elsewhere', detail: { destination: '203.0.113.200' } }),
    symptom('duplicate', { detail: { address: TARGET } }),
  ];
  assert.deepEqual(explained(rpkiInvalid, caseOf([own!, ...others], world)), [
    ['node/c', ['duplicate', 'reach', own!.id].sort()],
  ]);
  const remark = { ...own!, remark: 'it always was' };
  assert.deepEqual(explained(rpkiInvalid, caseOf([remark, ...others], world)), [['node/c', [own!.id]]]);
});
