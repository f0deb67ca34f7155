// How the kernel would forward packets of neighbours: lookups with the source and the interface by which they come in (`ip route get … from …
// iif …`), which pass the policy rules that a router's own packets do not. Asked only on a node that has such rules, for neighbours that the
// rules can take; asks nothing of the network. The answers go with those for the node's own packets.
import { covers } from '#base/ip.ts';
import type { JsonObject } from '#base/json.ts';
import type { PolicyRule } from '#model/router/forwarding.ts';
import type { InputRoute, RouteAnswer } from '#model/router/router-port.ts';
import { loadLibc } from '../../../native/libc.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { readIp, rowsOf, runIp, textOf } from '../kernel/ip-command.ts';
import { readPolicyRules } from '../kernel/policy-rules.ts';
import { failedLines } from './route.ts';

type Source = { readonly address: string; readonly ifname: string };

/** Sources of one rule: several, since one may have gone. */
const EACH = 2;

/** The answers with `inputs`, where there are any. */
export async function withInputRoutes(
  answers: readonly RouteAnswer[],
  signal?: AbortSignal,
): Promise<readonly RouteAnswer[]> {
  const rules = readPolicyRules(await loadLibc()) ?? [];
  if (rules.length === 0) return answers;
  const sources = sourcesFor(rules, await readIp(['-j', 'neigh', 'show'], signal));
  const found = new Map<string, InputRoute[]>();
  for (const family of ['-4', '-6'] as const) {
    const isMine = (address: string) => address.includes(':') === (family === '-6');
    const asked = answers
      .filter(({ kind, destination }) => kind === 'unicast' && isMine(destination))
      .flatMap(({ destination }) =>
        sources.filter(({ address }) => isMine(address)).map((source) => ({ destination, source })),
      )
      .slice(0, DRIVER_LIMITS.inputLookups);
    if (asked.length === 0) continue;
    const batch = asked.map(
      ({ destination, source }) => `route get ${destination} from ${source.address} iif ${source.ifname}\n`,
    );
    const { stdout, stderr } = await runIp(['-j', family, '-force', '-batch', '-'], signal, batch.join(''));
    for (const [index, route] of parseInputRoutes(
      asked.map(({ source }) => source),
      stdout,
      stderr,
    ).entries()) {
      const { destination } = asked[index]!;
      if (route !== undefined) found.set(destination, [...(found.get(destination) ?? []), route]);
    }
  }
  return answers.map((answer) => {
    const inputs = found.get(answer.destination);
    return inputs === undefined ? answer : { ...answer, inputs };
  });
}

/** Neighbours whose packets the rules can take, a few a rule; those that a rule takes for a mark alone cannot be told. */
export function sourcesFor(rules: readonly PolicyRule[], neighbours: readonly JsonObject[]): readonly Source[] {
  const known = neighbours.flatMap((row): readonly Source[] => {
    const [address, ifname] = [textOf(row['dst']), textOf(row['dev'])];
    if (address === undefined || ifname === undefined || row['lladdr'] === undefined) return [];
    return /^(?:fe[89ab]|ff)/i.test(address) ? [] : [{ address, ifname }];
  });
  const taken = rules
    .filter(({ negated, rest }) => negated !== true && rest !== true)
    .flatMap(({ family, from, iif }) =>
      known
        .filter(({ address }) => address.includes(':') === (family === 'ipv6'))
        .filter(({ address }) => from === undefined || covers(from, address))
        .filter(({ ifname }) => iif === undefined || iif === ifname)
        .slice(0, EACH),
    );
  const each = new Map(taken.map((source) => [`${source.address} ${source.ifname}`, source]));
  return [...each.values()].slice(0, DRIVER_LIMITS.inputSources);
}

/** One a source; undefined for an answer that cannot be told. */
export function parseInputRoutes(
  sources: readonly Source[],
  stdout: string,
  stderr: string,
): readonly (InputRoute | undefined)[] {
  const failed = failedLines(stderr);
  const lines = stdout.split('\n').filter((line) => line.startsWith('['));
  return sources.map(({ address: source, ifname }, index) => {
    const reason = failed.get(index);
    if (reason !== undefined) {
      const kind = REFUSALS.find(([words]) => reason.includes(words))?.[1];
      return kind === undefined ? undefined : { ifname, source, kind };
    }
    const row = rowsOf(lines.shift() ?? '')[0];
    const out = textOf(row?.['dev']);
    if (row === undefined || out === undefined) return undefined;
    const nextHop = textOf(row['gateway']);
    const kind = textOf(row['type']) === 'local' ? ('local' as const) : ('unicast' as const);
    return { ifname, source, kind, out, ...(nextHop === undefined ? {} : { nextHop }) };
  });
}

/** The kernel's errors for each kind of route and rule; a rule `unreachable` answers as no route does. */
const REFUSALS: readonly (readonly [string, InputRoute['kind']])[] = [
  ['Invalid argument', 'blackhole'],
  ['No route to host', 'unreachable'],
  ['Permission denied', 'prohibit'],
  ['Network is unreachable', 'none'],
];
