// What stands between a device's XML and our ports: data by schema in both directions, filters and edits, and interfaces from either shape of
// ietf-interfaces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '#base/json.ts';
import { buildSchema } from '#codec/yang/schema.ts';
import { parseYang } from '#codec/yang/statements.ts';
import { parsePath } from '#model/router/yang-path.ts';
import { canonicalText } from '#router/drivers/netconf/candidate.ts';
import { editOf, filterOf, jsonOfData } from '#router/drivers/netconf/data.ts';
import { redactDenied, redactedXml } from '#router/drivers/netconf/denied.ts';
import { interfacesOf } from '#router/drivers/netconf/interfaces.ts';
import { parseXml, prettyXml } from '#router/drivers/netconf/xml.ts';

const MODULES = [
  `module box { namespace "urn:box"; prefix b; identity base; identity red;
    container box { leaf color { type identityref { base base; } } leaf count { type uint8; } leaf on { type boolean; }
      leaf gone { type empty; } leaf big { type uint64; } leaf state { config false; type string; }
      list row { key "name"; leaf name { type string; } leaf note { type string; } leaf-list tag { type string; } } } }`,
  'module more { namespace "urn:more"; prefix m; import box { prefix b; } augment "/b:box/b:row" { leaf depth { type int8; } } }',
];
const SCHEMA = buildSchema(
  MODULES.map((text) => {
    const parsed = parseYang(text);
    assert.ok(parsed.ok);
    return parsed.value;
  }),
);

function xml(text: string) {
  const parsed = parseXml(text);
  assert.ok(parsed.ok);
  return parsed.value;
}

function stepsOf(path: string) {
  const steps = parsePath(path);
  assert.ok(steps.ok);
  return steps.value;
}

const edit = (path: string, value: JsonValue | undefined, operation: 'merge' | 'delete' = 'merge') =>
  editOf(SCHEMA, stepsOf(path), operation, value);

test('XML becomes RFC 7951 JSON whatever its prefixes: one entry is a list, numbers are numbers, 64 bits are text', () => {
  const data = xml(
    '<data xmlns:x="urn:box" xmlns:c="urn:box"><x:box><x:color>c:red</x:color><x:count>7</x:count><x:on>true</x:on><x:gone/><x:big>18446744073709551615</x:big><x:row><x:name>a</x:name><x:tag>t</x:tag><depth xmlns="urn:more">-3</depth></x:row><other xmlns="urn:other">?</other></x:box></data>',
  );
  assert.deepEqual(jsonOfData(SCHEMA, data), {
    'box:box': {
      color: 'box:red',
      count: 7,
      on: true,
      gone: [null],
      big: '18446744073709551615',
      row: [{ name: 'a', tag: ['t'], 'more:depth': -3 }],
    },
  });
});

test('what a device’s modules deny to all is taken out, whatever its name, and what stands in it [NET-18]', () => {
  const schema = buildSchema(
    [
      `module vault { namespace "urn:vault"; prefix v; import ietf-netconf-acm { prefix acl; } import other { prefix nacm; }
        grouping inner { leaf token { acl:default-deny-all; type string; } leaf open { type string; } }
        container vault { leaf name { type string; } list user { key id; leaf id { type string; } uses inner; }
          container sealed { acl:default-deny-all; leaf size { type uint8; } list part { key id; leaf id { type string; } } leaf-list word { type string; } }
          choice kind { case one { acl:default-deny-all; leaf code { type string; } } leaf plain { type string; } }
          leaf written { acl:default-deny-write; type string; } leaf elsewhere { nacm:default-deny-all; type string; } } }`,
    ].map((text) => {
      const parsed = parseYang(text);
      assert.ok(parsed.ok);
      return parsed.value;
    }),
  );
  const data = {
    'vault:vault': {
      name: 'a',
      user: [{ id: '1', token: 's3cret', open: 'o' }],
      sealed: { size: 7, part: [{ id: 's3cret' }], word: ['s3cret'] },
      code: 's3cret',
      plain: 'p',
      written: 'w',
      elsewhere: 'e',
      'other:unknown': 'u',
    },
  };
  assert.deepEqual(redactDenied(schema, data), {
    'vault:vault': {
      name: 'a',
      user: [{ id: '1', token: '<redacted>', open: 'o' }],
      sealed: { size: '<redacted>', part: [{ id: '<redacted>' }], word: ['<redacted>'] },
      code: '<redacted>',
      plain: 'p',
      written: 'w',
      elsewhere: 'e',
      'other:unknown': 'u',
    },
  });
});

test('what stands in something denied is denied wherever it is written: in a grouping, or an augment of another module [NET-18]', () => {
  const schema = buildSchema(
    [
      `module vault { namespace "urn:vault"; prefix v; import ietf-netconf-acm { prefix acl; }
        grouping inner { leaf pin { type string; } }
        container vault { leaf name { type string; } anydata blob { acl:default-deny-all; }
          container sealed { acl:default-deny-all; uses inner; } container open { uses inner; } } }`,
      `module more { namespace "urn:more"; prefix m; import vault { prefix v; }
        augment /v:vault/v:sealed { leaf extra { type string; } } augment /v:vault/v:open { leaf extra { type string; } } }`,
    ].map((text) => {
      const parsed = parseYang(text);
      assert.ok(parsed.ok);
      return parsed.value;
    }),
  );
  const inside = '<pin>P</pin><extra xmlns="urn:more">E</extra>';
  const data = xml(
    `<data><vault xmlns="urn:vault"><name>n</name><blob><x>B</x></blob><sealed>${inside}</sealed><open>${inside}<password>W</password></open></vault></data>`,
  );
  const shown = (sealed: string, open: string, blob: string) =>
    `<vault xmlns="urn:vault"><name>n</name><blob>${blob}</blob><sealed><pin>${sealed}</pin><extra xmlns="urn:more">${sealed}</extra></sealed>` +
    `<open><pin>${open}</pin><extra xmlns="urn:more">E</extra><password>&lt;redacted&gt;</password></open></vault>`;
  const gone = '&lt;redacted&gt;';
  assert.equal(canonicalText(redactedXml(data, schema)), canonicalText(xml(`<data>${shown(gone, 'P', gone)}</data>`)));
  const unknown = redactedXml(data);
  assert.equal(canonicalText(unknown).includes('W'), false);
  assert.equal(canonicalText(unknown).includes('P'), true);
  assert.deepEqual(redactDenied(schema, { 'vault:vault': { sealed: { pin: 'P', 'more:extra': 'E' } } }), {
    'vault:vault': { sealed: { pin: '<redacted>', 'more:extra': '<redacted>' } },
  });
});

test('a path becomes a filter with its keys, and a step of another module its namespace', () => {
  assert.deepEqual(filterOf(SCHEMA, stepsOf("/box:box/row[name='a<b']/more:depth")), {
    ok: true,
    value: '<box xmlns="urn:box"><row><name>a&lt;b</name><depth xmlns="urn:more"></depth></row></box>',
  });
  assert.equal(filterOf(SCHEMA, stepsOf('/box:box/nothing')).ok, false);
  assert.equal(filterOf(SCHEMA, stepsOf("/box:box/count[name='a']")).ok, false);
});

test('an edit becomes XML: keys first, identities with their prefix, deletions marked', () => {
  assert.deepEqual(edit('/box:box/color', 'box:red'), {
    ok: true,
    value: '<box xmlns="urn:box"><color xmlns:idp="urn:box">idp:red</color></box>',
  });
  assert.deepEqual(edit('/box:box/row=a', { note: 'x & y', tag: ['1', '2'], 'more:depth': 4 }), {
    ok: true,
    value:
      '<box xmlns="urn:box"><row><name>a</name><note>x &amp; y</note><tag>1</tag><tag>2</tag><depth xmlns="urn:more">4</depth></row></box>',
  });
  assert.deepEqual(edit('/box:box', { row: [{ note: 'n', name: 'z' }] }), {
    ok: true,
    value: '<box xmlns="urn:box"><row><name>z</name><note>n</note></row></box>',
  });
  assert.deepEqual(edit("/box:box/row[name='a']", undefined, 'delete'), {
    ok: true,
    value:
      '<box xmlns="urn:box"><row xmlns:nc="urn:ietf:params:xml:ns:netconf:base:1.0" nc:operation="delete"><name>a</name></row></box>',
  });
});

for (const [path, value] of [
  ['/box:box/nothing', 1],
  ['/box:box/state', 'x'],
  ['/box:box/color', 'nowhere:red'],
  ['/box:box/row=a', { nothing: 1 }],
  ['/box:box/row=a', 'text'],
  ['/box:box/count', { a: 1 }],
  ['/box:box/row=a/note', 'a\u0000b'],
  ["/box:box/row[colour='a']", {}],
  ['/other:box', {}],
] as const) {
  test(`${path} with ${JSON.stringify(value)} never reaches the device`, () => {
    assert.equal(edit(path, value as JsonValue).ok, false);
  });
}

test('two configurations are the same in any order and under any prefix, and differ in any text or namespace', () => {
  const one = xml('<data><a xmlns="urn:a"><b>1</b><c>2</c></a></data>');
  assert.equal(
    canonicalText(one),
    canonicalText(xml('<data xmlns:p="urn:a"> <p:a> <p:c>2</p:c> <p:b>1</p:b> </p:a> </data>')),
  );
  for (const other of [
    '<data><a xmlns="urn:a"><b>1</b><c>3</c></a></data>',
    '<data><a xmlns="urn:b"><b>1</b><c>2</c></a></data>',
    '<data><a xmlns="urn:a"><b>1</b></a></data>',
  ])
    assert.notEqual(canonicalText(one), canonicalText(xml(other)));
});

test('shown to people each leaf is one line, line feeds in it included', () => {
  assert.equal(prettyXml(xml('<a><b>x\ny &lt;</b><c/></a>')), '<a>\n  <b>x&#10;y &lt;</b>\n  <c></c>\n</a>\n');
});

const COUNTS = {
  'in-octets': '1000',
  'out-octets': '2000',
  'in-unicast-pkts': '10',
  'in-multicast-pkts': '5',
  'out-unicast-pkts': '20',
  'in-errors': 1,
  'out-errors': 2,
  'in-discards': 3,
  'out-discards': 4,
};

test('interfaces come from RFC 8343, and from RFC 7223 with its state beside the configuration', () => {
  const config = { name: 'eth1', type: 'iana-if-type:ethernetCsmacd', enabled: true };
  const state = { 'oper-status': 'up', 'admin-status': 'up', 'phys-address': '02:00:5e:00:53:01', statistics: COUNTS };
  const ip = { 'ietf-ip:ipv4': { mtu: 1500, address: [{ ip: '198.18.0.1', 'prefix-length': 31 }] } };
  const expected = [
    {
      name: 'eth1',
      kind: 'physical',
      adminUp: true,
      operUp: true,
      mtu: 1500,
      mac: '02:00:5e:00:53:01',
      addresses: ['198.18.0.1/31'],
      carrierChanges: 0,
      offloads: [],
      counters: {
        rxPackets: '15',
        txPackets: '20',
        rxBytes: '1000',
        txBytes: '2000',
        rxErrors: '1',
        txErrors: '2',
        rxDropped: '3',
        txDropped: '4',
      },
    },
  ];
  assert.deepEqual(interfacesOf({ 'ietf-interfaces:interfaces': { interface: [{ ...config, ...state, ...ip }] } }), {
    interfaces: expected,
    missing: [],
  });
  const apart = {
    'ietf-interfaces:interfaces': { interface: [{ ...config, ...ip }] },
    'ietf-interfaces:interfaces-state': { interface: [{ name: 'eth1', ...state, ...ip }] },
  };
  assert.deepEqual(interfacesOf(apart).interfaces, expected);
});

test('an interface without state or with half of its counters is named as missing, never counted as zero', () => {
  const { 'in-discards': _, ...half } = COUNTS;
  const rows = [
    { name: 'eth1', type: 'iana-if-type:ethernetCsmacd' },
    { name: 'eth2', 'oper-status': 'up', statistics: half },
    { name: 'eth3', 'oper-status': 'up', statistics: COUNTS },
  ];
  const read = interfacesOf({ 'ietf-interfaces:interfaces': { interface: rows } });
  assert.deepEqual(
    read.interfaces.map(({ name }) => name),
    ['eth3'],
  );
  assert.deepEqual(read.missing, [
    { part: 'interfaces', reason: 'no state or counters of eth1, eth2' },
    { part: 'mtu', reason: 'none told of eth3' },
  ]);
});
