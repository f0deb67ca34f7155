// What operators said is meant: the finding accuses no node and the answer says who silenced it and until when; what ended speaks again; a
// node's own file is about itself; everything else must still be proven.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '#base/json.ts';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import { fits } from '#correlate/meant/meant.ts';
import type { Evidence } from '#model/evidence.ts';
import type { ExpectationLine } from '#model/router/expectations.ts';
import { recorded } from '../../narrate/evaluation/cases.ts';

const AT = '2026-06-01T12:00:00.000Z';
const said = { reason: 'a radio', owner: 'netops' };
const allow = (fault: string, resource: string, until = '2026-12-31T23:59:59.999Z'): ExpectationLine => ({
  ...{ kind: 'allow', fault, resource, until, ...said },
});
const within = (nodes: readonly string[], links: readonly string[] = []): ExpectationLine => ({
  ...{
    kind: 'maintenance',
    from: '2026-06-01T11:00:00.000Z',
    until: '2026-06-01T13:00:00.000Z',
    nodes,
    links,
    ...said,
  },
});
const asked = (input: DiagnoseInput, lines: readonly ExpectationLine[], at = AT) =>
  diagnose({ ...input, said: { node: 'r1', at, lines } });

/** The same with lines in the file of one node, as its state tells them. */
function toldBy(node: string, lines: readonly ExpectationLine[], input: DiagnoseInput): DiagnoseInput {
  const touch = (entry: Evidence): Evidence =>
    entry.node === node && entry.kind === 'state'
      ? { ...entry, body: { ...(entry.body as object), expectations: lines } as unknown as JsonValue }
      : entry;
  return { ...input, evidence: input.evidence.map(touch) };
}

const mtu = recorded('mtu');
const [finding] = diagnose(mtu).findings;
const { fault, resource } = finding!;
const node = resource.split('/')[1]!;

test('the recording has one finding, on which the tests below stand', () => {
  const { findings, verdict } = diagnose(mtu);
  assert.deepEqual([findings.length, verdict.kind, fault], [1, 'fault', 'mtu_mismatch']);
});

test('an allowed finding is no finding: the rest is healthy, and the answer says who silenced what until when', () => {
  const { findings, verdict, silenced, sentence, hypothesis, candidates } = asked(mtu, [allow(fault, resource)]);
  assert.deepEqual([findings, verdict.kind, hypothesis], [[], 'healthy', 'none']);
  assert.equal(silenced?.length, 1);
  const { text, ...rest } = silenced![0]!;
  assert.deepEqual(rest, { fault, resource, by: 'allow', node: 'r1', until: '2026-12-31T23:59:59.999Z', ...said });
  assert.match(text, /: allowed by netops until 2026-12-31T23:59:59\.999Z: a radio \(expectations of r1\)$/);
  assert.equal(verdict.reasons.at(-1), text);
  assert.match(sentence, /^Nothing else is wrong on \d+ nodes and \d+ links; not accused, as meant: 1 finding\.$/);
  assert.ok(
    candidates.some((each) => each.fault === fault && !each.chosen && each.why.startsWith('allowed by netops')),
  );
});

test('a line covers its fault and its place, and nothing else', () => {
  const covered = (line: ExpectationLine) => asked(mtu, [line]).findings.length === 0;
  assert.ok(covered(allow('*', resource)));
  assert.ok(covered(allow(fault, `interface/${node}/*`)));
  assert.ok(covered(allow(fault, '*')));
  assert.ok(covered(within([node])));
  assert.ok(!covered(allow('link_down', resource)));
  assert.ok(!covered(allow(fault, `node/${node}`)));
  assert.ok(!covered(within(['r9'])));
});

test('a link covers the findings at its two interfaces, its ends in either order', () => {
  const link = diagnose(mtu).links.find(({ from, to }) =>
    [from, to].some((end) => `interface/${end.node}/${end.ifname}` === resource),
  )!;
  const [one, other] = [link.from, link.to].map((end) => `${end.node}:${end.ifname}`);
  for (const name of [`${one}--${other}`, `${other}--${one}`]) {
    assert.deepEqual(asked(mtu, [allow(fault, `link/${name}`)]).findings, []);
    assert.deepEqual(asked(mtu, [within([], [name])]).findings, []);
  }
});

test('patterns stand for any text, and for nothing of a regular expression', () => {
  assert.ok(fits('link/r1:*--r3:*', 'link/r1:eth1--r3:eth2'));
  assert.ok(fits('link/r3:*--r1:*', 'link/r1:eth1--r3:eth2'));
  assert.ok(!fits('link/r1:*--r3:*', 'link/r1:eth1--r33:eth2'));
  assert.ok(!fits('node/r.', 'node/r1'));
  assert.ok(fits('*', 'node/r1'));
});

test('past its end a line speaks again and the answer says so', () => {
  const { findings, verdict, silenced } = asked(mtu, [allow(fault, resource, '2026-05-31T23:59:59.999Z')]);
  assert.deepEqual([findings.length, verdict.kind, silenced], [1, 'fault', undefined]);
  assert.match(
    verdict.reasons[1]!,
    /: the line of netops that allowed it \(a radio\) in the expectations of r1 ended 2026-05-31T23:59:59\.999Z$/,
  );
});

test('to the last moment of its end a line holds, by the time that is kept with the question', () => {
  const line = allow(fault, resource, AT);
  assert.equal(asked(mtu, [line]).verdict.kind, 'healthy');
  assert.equal(asked(mtu, [line], '2026-06-01T12:00:00.001Z').verdict.kind, 'fault');
});

test('outside its window maintenance silences nothing, and does not say that it ended', () => {
  for (const at of ['2026-06-01T10:59:59.999Z', '2026-06-01T13:00:00.001Z'])
    assert.deepEqual(asked(mtu, [within([node])], at), diagnose(mtu));
});

test("another node's file counts where that node is concerned, and nowhere else", () => {
  const line = allow(fault, resource);
  const link = diagnose(mtu).links.find(({ from, to }) =>
    [from, to].some((end) => `interface/${end.node}/${end.ifname}` === resource),
  )!;
  const far = link.from.node === node ? link.to.node : link.from.node;
  const stranger = mtu.nodeNames.find((name) => ![node, far, 'r1'].includes(name))!;
  const heard = (by: string) => diagnose({ ...toldBy(by, [line], mtu), said: { node: 'zz', at: AT, lines: [] } });
  assert.equal(heard(far).silenced?.[0]?.node, far);
  assert.equal(heard(node).silenced?.[0]?.node, node);
  assert.equal(heard(stranger).findings.length, 1);
});

test('a file that does not verify is said and not applied', () => {
  const input: DiagnoseInput = {
    ...mtu,
    evidence: mtu.evidence.map((entry) =>
      entry.node === node && entry.kind === 'state'
        ? {
            ...entry,
            body: {
              ...(entry.body as object),
              expectationsRefused: 'the expectations of x are not used: y',
            } as unknown as JsonValue,
          }
        : entry,
    ),
  };
  const { findings, verdict } = asked(input, []);
  assert.equal(findings.length, 1);
  assert.equal(verdict.reasons.filter((line) => line === 'the expectations of x are not used: y').length, 1);
});

test('malformed lines of a peer are left out one by one', () => {
  const odd = [{ kind: 'allow' }, 7, { ...allow(fault, resource), until: 'later' }, allow(fault, resource)];
  const input = toldBy(node, odd as never, mtu);
  assert.equal(diagnose({ ...input, said: { node: 'zz', at: AT, lines: [] } }).silenced?.length, 1);
});

for (const name of ['healthy', 'mtu', 'blackhole', 'frr'])
  test(`"${name}" is diagnosed as before where nothing is said`, () => {
    assert.deepEqual(asked(recorded(name), []), diagnose(recorded(name)));
  });

test('a router under maintenance need not answer, and the answer says that the window is open', () => {
  const healthy = recorded('healthy');
  const input = { ...healthy, evidence: healthy.evidence.filter((entry) => entry.node !== 'r2') };
  assert.equal(asked(input, []).verdict.kind, 'inconclusive');
  const { verdict, sentence } = asked(input, [within(['r2'])]);
  assert.equal(verdict.kind, 'healthy', verdict.reasons.join('\n'));
  assert.equal(
    verdict.reasons[1],
    'r2: under maintenance by netops until 2026-06-01T13:00:00.000Z: a radio (expectations of r1)',
  );
  assert.match(sentence, /^Nothing else is wrong on 3 nodes and \d links; part of it is under maintenance\.$/);
  assert.equal(asked(input, [within(['r3'])]).verdict.kind, 'inconclusive');
  const stranger = toldBy('r3', [within(['r2'])], input);
  assert.equal(asked(stranger, []).verdict.kind, 'inconclusive');
});

test('a session with a router under maintenance is nothing of its neighbour', () => {
  const input = recorded('bgpasn');
  const [accused] = diagnose(input).findings;
  const guilty = accused!.resource.split('/')[1]!;
  const { findings, verdict, silenced } = asked(input, [within([guilty])]);
  assert.deepEqual([findings, verdict.kind, silenced?.length], [[], 'healthy', 1], verdict.reasons.join('\n'));
  assert.equal(silenced![0]!.by, 'maintenance');
});

test('a pattern of many stars is matched at once', () => {
  assert.ok(!fits(`${'*a'.repeat(100)}`, `${'a'.repeat(90)}b`));
  assert.ok(fits('interface/*/eth*', 'interface/r1/eth1'));
  assert.ok(!fits('ab*ba', 'aba'));
});

test('what a peer expects in a form that is none is left out', () => {
  const odd = [
    { kind: 'expect', what: 'link', subject: 'r1' },
    { kind: 'expect', what: 'route', subject: 'everywhere', at: node },
    { kind: 'expect', what: 'session', subject: '198.18.0.0/24', at: node },
    { kind: 'expect', what: 'service', subject: 'tcp/80', at: 'r1' },
  ];
  const input = toldBy(node, odd as never, mtu);
  const said = { node: 'zz', at: AT, lines: [] };
  assert.deepEqual(diagnose({ ...input, said }), diagnose({ ...mtu, said }));
});
