// How the kernel would forward packets of neighbours: lookups with the source and the interface by which they come in (`ip route get … from …
// iif …`), which pass the policy rules that a router's own packets do not. Asked only on a node that has such rules, for neighbours that the
// rules can take; asks nothing of the network. The answers go with those for the node's own packets, which hold without them too.
import { covers } from '#base/ip.ts';
import type { JsonObject } from '#base/json.ts';
import type { Finished } from '#base/process.ts';
import type { PolicyRule } from '#model/router/forwarding.ts';
import type { InputRoute, RouteAnswer } from '#model/router/router-port.ts';
import { loadLibc } from '../../../native/libc.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { failedLines, rowsOf, runIp, textOf } from '../kernel/ip-command.ts';
import { listsOfBatch } from '../kernel/kernel-read.ts';
import { readPolicyRules } from '../kernel/policy-rules.ts';

type Source = { readonly address: string; readonly ifname: string };
type RunBatch = (args: readonly string[], input: string) => Promise<Pick<Finished, 'stdout' | 'stderr'>>;

/** Sources of one rule: several, since one may have gone. */
const EACH = 2;

/** The answers with `inputs`, where there are any and the kernel tells. */
export async function withInputRoutes(
  answers: readonly RouteAnswer[],
  signal?: AbortSignal,
): Promise<readonly RouteAnswer[]> {
  return withInputsBy(
    readPolicyRules(await loadLibc()) ?? [],
    answers,
    (args, input) => runIp(args, signal, input),
    signal,
  );
}

/** `run` runs `ip` with these arguments and a batch; what it rejects with is passed over, unless `signal` is aborted. */
export async function withInputsBy(
  rules: readonly PolicyRule[],
  answers: readonly RouteAnswer[],
  run: RunBatch,
  signal?: AbortSignal,
): Promise<readonly RouteAnswer[]> {
  const batch = neighbourBatch(rules);
  if (batch.length === 0) return answers;
  try {
    const neighbours = neighboursOf(batch, await run(['-j', '-force', '-batch', '-'], batch.join('')));
    return await withInputsOf(sourcesFor(rules, neighbours), answers, run);
  } catch {
    signal?.throwIfAborted();
    return answers;
  }
}

/** Each rule's neighbours alone: the whole table of a large router is more than one read takes. */
export function neighbourBatch(rules: readonly PolicyRule[]): readonly string[] {
  const lines = rules.filter(isAsked).map(({ from, iif = '' }) => (from === undefined ? `dev ${iif}` : `to ${from}`));
  return [...new Set(lines)].map((line) => `neigh show ${line}\n`);
}

/** Rows of the batch. Of one interface's neighbours iproute2 leaves its name out; a command that failed printed no row. */
function neighboursOf(batch: readonly string[], { stdout, stderr }: Pick<Finished, 'stdout' | 'stderr'>) {
  const failed = failedLines(stderr);
  const lists = [...listsOfBatch(stdout)];
  return batch.flatMap((line, index): readonly JsonObject[] => {
    const rows = failed.has(index) ? [] : (lists.shift() ?? []);
    const dev = / dev (\S+)/.exec(line)?.[1];
    return dev === undefined ? rows : rows.map((row) => ({ ...row, dev }));
  });
}

async function withInputsOf(
  sources: readonly Source[],
  answers: readonly RouteAnswer[],
  run: RunBatch,
): Promise<readonly RouteAnswer[]> {
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
    const { stdout, stderr } = await run(['-j', family, '-force', '-batch', '-'], batch.join(''));
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
  const taken = rules.filter(isAsked).flatMap(({ family, from, iif }) =>
    known
      .filter(({ address }) => address.includes(':') === (family === 'ipv6'))
      .filter(({ address }) => from === undefined || covers(from, address))
      .filter(({ ifname }) => iif === undefined || iif === ifname)
      .slice(0, EACH),
  );
  const each = new Map(taken.map((source) => [`${source.address} ${source.ifname}`, source]));
  return [...each.values()].slice(0, DRIVER_LIMITS.inputSources);
}

/** For a mark alone, all packets, or all but some, no neighbour can be named. */
function isAsked({ from, iif, negated, rest }: PolicyRule): boolean {
  return negated !== true && rest !== true && (from !== undefined || iif !== undefined);
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
