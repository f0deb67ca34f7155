// rib_fib_mismatch on the ring: r1's zebra installed the route to r2's hosts by another way than r1's kernel forwards.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { RouteAnswer } from '#model/router/router-port.ts';
import { changed, recorded } from '../../recording.ts';
import { named } from '../../ring.ts';

/** r1's lookups, each changed. */
function lookups(change: (answer: RouteAnswer) => RouteAnswer) {
  const input = changed(recorded('healthy'), {});
  const evidence = input.evidence.map((entry) => {
    if (entry.kind !== 'lookups' || entry.node !== 'r1') return entry;
    const { answers } = entry.body as unknown as { readonly answers: readonly RouteAnswer[] };
    return { ...entry, body: { answers: answers.map(change) } as never };
  });
  return { ...input, evidence };
}

const isUnicast = ({ kind, nextHop }: RouteAnswer) => kind === 'unicast' && nextHop !== undefined;
const [TARGET] = (() => {
  const targets: RouteAnswer[] = [];
  lookups((answer) => {
    if (isUnicast(answer) && !answer.destination.includes(':')) targets.push(answer);
    return answer;
  });
  return targets;
})();
const prefix = `${TARGET!.destination}/32`;
const rib = (of: string = prefix): NonNullable<RouteAnswer['rib']> => ({
  ...{ prefix: of, protocol: 'isis' },
  nextHops: [{ address: TARGET!.nextHop!, ifname: TARGET!.ifname! }],
});
const atTarget = (change: (answer: RouteAnswer) => RouteAnswer) =>
  lookups((answer) => (answer.destination === TARGET!.destination ? change(answer) : answer));
const sentence = (input: ReturnType<typeof lookups>) => diagnose(input).findings.map(({ details }) => details['what']);

test('a kernel that discards what zebra installed is the one finding, and what dies of it is its consequence', () => {
  const input = atTarget(({ destination }) => ({ destination, kind: 'blackhole', rib: rib() }));
  assert.deepEqual(named(input), ['rib_fib_mismatch node/r1']);
  const via = `via ${TARGET!.nextHop} on ${TARGET!.ifname}`;
  assert.deepEqual(sentence(input), [`r1 has ${prefix} of isis installed ${via}, and its kernel discards it`]);
  assert.equal(diagnose(input).findings[0]?.confidence, 'certain');
});

test('a kernel that forwards another way, and one without the route, are said as they are', () => {
  const elsewhere = atTarget((answer) => ({ ...answer, ifname: 'eth9', nextHop: '198.18.9.9', rib: rib() }));
  assert.match(String(sentence(elsewhere)), /and its kernel forwards it via 198\.18\.9\.9 on eth9$/);
  const missing = atTarget(({ destination }) => ({ destination, kind: 'none', rib: rib() }));
  assert.match(String(sentence(missing)), /and its kernel has no route$/);
  const refused = atTarget(({ destination }) => ({ destination, kind: 'unreachable', rib: rib() }));
  assert.match(String(sentence(refused)), /and its kernel discards it$/);
});

test('several prefixes of one node are one finding that counts them', () => {
  const input = lookups((answer) =>
    isUnicast(answer) && !answer.destination.includes(':')
      ? { destination: answer.destination, kind: 'blackhole', rib: rib(`${answer.destination}/32`) }
      : answer,
  );
  assert.deepEqual(named(input), ['rib_fib_mismatch node/r1']);
  assert.match(String(sentence(input)), /\(and \d+ more prefixes\)$/);
});

test('the remedy is for a person to decide: nothing of the configuration is wrong', () => {
  const [found] = diagnose(atTarget(({ destination }) => ({ destination, kind: 'blackhole', rib: rib() }))).findings;
  assert.equal(found?.remedy?.command, `ip route del blackhole ${prefix} table main`);
  assert.equal(found?.remedy?.change, undefined);
  assert.match(found?.remedy?.decide ?? '', /which program wrote it/);
  const remedyOf = (change: (answer: RouteAnswer) => RouteAnswer) => diagnose(atTarget(change)).findings[0]?.remedy;
  const hop = { nextHop: '198.18.9.9', ifname: 'eth9', protocol: 'boot', matched: prefix };
  assert.equal(
    remedyOf((answer) => ({ ...answer, ...hop, rib: rib() }))?.command,
    `ip route del ${prefix} via 198.18.9.9 dev eth9 proto boot table main`,
    'zebra’s own route stays',
  );
  assert.equal(remedyOf(({ destination }) => ({ destination, kind: 'none', rib: rib() }))?.command, undefined);
});

test('lookups without a contradiction accuse no node', () => {
  assert.deepEqual(named(lookups((answer) => answer)), []);
});
