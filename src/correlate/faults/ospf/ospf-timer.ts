// ospf_timer_mismatch: the two ends of a link send or expect hellos at different intervals, and refuse each other's (RFC 2328 §10.5, RFC 5340 §4.2.2.1).
import { defineOspfMismatch } from './ospf-ends.ts';

export const ospfTimer = defineOspfMismatch({
  id: 'ospf_timer_mismatch',
  resource: 'interface',
  labels: { nika: null, netOpsBench: null },
  summary: 'the two ends of a link expect hellos of OSPFv2 or OSPFv3 at different intervals',
  exact: '`hello-interval` and `dead-interval` of the other end, below `ip ospf` or `ipv6 ospf6`',
  property: ({ helloMs = 0, deadMs = 0 }) => `${helloMs}/${deadMs} ms`,
  lines: ({ helloMs, deadMs }, words) => [
    ...seconds(`${words} hello-interval`, helloMs),
    ...seconds(`${words} dead-interval`, deadMs),
  ],
});

/** FRR configures whole seconds; intervals below one are another statement. */
function seconds(words: string, ms: number | undefined): readonly string[] {
  return ms === undefined || ms < 1_000 || ms % 1_000 > 0 ? [] : [`${words} ${ms / 1_000}`];
}
