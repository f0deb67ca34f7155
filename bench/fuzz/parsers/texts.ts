// Texts of people and devices: questions and their YAML, expectations, NETCONF and the models of devices.
import { parseYang } from '#codec/yang/statements.ts';
import { readExpectations } from '#config/expectations.ts';
import { parseIntent } from '#intent/parse.ts';
import { createNetconfDecoder, encodeNetconf } from '#router/drivers/netconf/framing.ts';
import { formatXml, parseXml, prettyXml } from '#router/drivers/netconf/xml.ts';
import { mutateBytes } from '../mutate-bytes.ts';
import { mutateText } from '../mutate-text.ts';
import { mustHold, type OpenParser, type Parser } from '../parser.ts';

const octets = (texts: readonly string[]) => texts.map((text) => Buffer.from(text));

function ofTexts(texts: readonly string[], signs: readonly string[], read: (text: string) => unknown): OpenParser {
  const corpus = octets(texts);
  return {
    corpus,
    mutate: (input, random) => mutateText(input, random, corpus, signs),
    read: (input) => read(Buffer.from(input).toString('utf8')),
  };
}

const YAML_SIGNS = [
  ':',
  '- ',
  '\n',
  '\n  ',
  '&a ',
  '*a',
  '<<: *a',
  '|\n',
  '>-\n',
  '!!binary ',
  '!x ',
  '{',
  '}',
  '[',
  ']',
  '? ',
  '"',
  "'",
  '#',
  '---\n',
  '\t',
  '%YAML 1.1\n',
  '0x1f',
  '1:30',
  '~',
];

const intents: Parser = {
  name: 'intents',
  inputs: 10_000_000,
  open: () =>
    ofTexts(
      [
        'Verify packet loss from PE-1 to P-2',
        'why is the path from pe1 to pe3 slow in the last ten minutes?',
        'is there loss between pe1 and p2 since 2 hours',
        'what changed on p2 in the last hour',
        'does host 198.18.0.5 get an address from DHCP on pe1 eth3',
        'kind: path-loss\npath: [pe1, p2]\n',
        'kind: path-loss\npath:\n  - pe1\n  - p2\nencapsulation: srv6\n',
        '{"kind": "path-loss", "path": ["pe1", "p2"]}',
      ],
      [
        ...YAML_SIGNS,
        ' from ',
        ' to ',
        ' between ',
        ' and ',
        ' via ',
        ' in the last ',
        ' minutes',
        'pe1',
        'eth0',
        '198.18.0.1',
        '2001:db8::1/64',
        '?',
        '.',
        ',',
      ],
      parseIntent,
    ),
};

const EXPECTATIONS = [
  'expect:\n  - adjacency: pe1/eth1\n    state: up\nallow:\n  - fault: packet_loss\n    resource: interface/pe1/eth1\n    until: 2027-01-01\nmaintenance:\n  - from: 2026-11-24T08:00:00Z\n    until: 2026-11-24T10:00:00Z\n    nodes: [pe1, p2]\n    reason: works\n',
  'maintenance:\n  - from: 2026-11-24\n    until: 2026-11-25\n    links: [pe1 -- p2]\n',
];

const expectations: Parser = {
  name: 'expectations',
  inputs: 10_000_000,
  open: () =>
    ofTexts(
      EXPECTATIONS,
      [...YAML_SIGNS, 'expect', 'allow', 'maintenance', 'nodes', 'links', 'until', '2026-13-45'],
      (text) => readExpectations(text, { faults: ['packet_loss'], nowMs: 1.8e12 }),
    ),
};

const XML = [
  '<?xml version="1.0" encoding="UTF-8"?><hello xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"><capabilities><capability>urn:ietf:params:netconf:base:1.1</capability></capabilities><session-id>4</session-id></hello>',
  '<rpc-reply xmlns="urn:ietf:params:xml:ns:netconf:base:1.0" message-id="1"><data><if:interfaces xmlns:if="urn:ietf:params:xml:ns:yang:ietf-interfaces"><if:interface><if:name>eth&amp;0</if:name><if:type xmlns:ianaift="urn:x">ianaift:ethernetCsmacd</if:type></if:interface></if:interfaces></data></rpc-reply>',
  '<rpc-reply message-id="2"><rpc-error><error-type>application</error-type><error-tag>invalid-value</error-tag><error-message xml:lang="en"><![CDATA[no <such> thing]]></error-message></rpc-error></rpc-reply>',
  '<notification><eventTime>2026-11-24T08:00:00Z</eventTime><x a=\'1\' b="2"/><!-- c --></notification>',
];

const xml: Parser = {
  name: 'netconf-xml',
  inputs: 10_000_000,
  open: () =>
    ofTexts(
      XML,
      [
        '<',
        '>',
        '/>',
        '</',
        '="',
        '"',
        "'",
        '&',
        '&amp;',
        '&#0;',
        '&#x10ffff;',
        '&#xd800;',
        '&lol;',
        '<!DOCTYPE x [',
        '<!ENTITY',
        ']]>',
        '<![CDATA[',
        '<!--',
        '-->',
        '<?',
        '?>',
        'xmlns:a="b"',
        ':',
        ' ',
        '\n',
        '__proto__="1"',
        'constructor',
      ],
      (text) => {
        const read = parseXml(text);
        if (!read.ok) return;
        prettyXml(read.value);
        const once = formatXml(read.value);
        const again = parseXml(once);
        mustHold(again.ok && formatXml(again.value) === once, 'XML is read as it is written');
      },
    ),
};

const framing: Parser = {
  name: 'netconf-frames',
  inputs: 10_000_000,
  open() {
    const [hello, reply] = [encodeNetconf(XML[0]!, '1.0'), encodeNetconf(XML[1]!, '1.1')];
    const corpus = [
      hello,
      reply,
      Buffer.concat([reply, reply]),
      Buffer.from('\n#4\nabcd\n#2\nef\n##\n'),
      Buffer.from('\n#4294967295\n'),
    ];
    return {
      corpus,
      mutate: (input, random) =>
        random() < 0.5
          ? mutateBytes(input, random, corpus)
          : mutateText(input, random, corpus, ['\n#', '\n##\n', '\n', '#', '0', '9999999999', ']]>]]>']),
      read(input, random) {
        const decoder = createNetconfDecoder(4_096);
        if (random() < 0.7) decoder.useChunks();
        for (let at = 0; at < input.length; ) {
          const end = Math.min(input.length, at + 1 + random.below(random() < 0.3 ? 3 : 1_000));
          const pushed = decoder.push(input.subarray(at, end));
          if (!pushed.ok) return;
          for (const text of pushed.value) mustHold(text.length <= 8_192, 'a message is within its bound');
          at = end;
        }
      },
    };
  },
};

const yang: Parser = {
  name: 'yang',
  inputs: 10_000_000,
  open: () =>
    ofTexts(
      [
        'module a {\n  namespace "urn:a"; prefix a;\n  container c { leaf x { type string { length "1..5"; } description "one " + \'two\'; } }\n  /* c */ // d\n  rpc r { input { leaf y { type uint8; } } }\n}\n',
      ],
      ['{', '}', ';', '"', "'", '+', '/*', '*/', '//', '\\n', '\\"', 'leaf', 'container', 'a:b', '\n', ' '],
      parseYang,
    ),
};

export const TEXTS = [intents, expectations, xml, framing, yang];
