// A TCP port that a question names: one connection is opened and closed by each node that tries it. Open, refused or not answered, and to which
// node: a refusal is an answer, of the host or of a filter in its name, and silence is none. A filter that takes such a connection is named here and is
// no fault, unless its node remembers a time without it: then the try is a symptom as well (symptoms/service.ts).
import { wordsOf } from '#model/router/packet-match.ts';
import type { Fact, FilterHits, Proof } from '../engine/facts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { remembersBefore } from '../network/remembered.ts';
import type { ServiceProbeSeen } from '../network/service-tries.ts';
import type { World } from '../network/world.ts';
import { isNew } from '../packet-filter/missed-services.ts';
import { filtersAgainst } from '../symptoms/service.ts';

type Outcome = 'open to' | 'refuses' | 'no answer to';

/** `asker`: whether it can connect is asked. */
export function portProof(
  { address, port }: { readonly address: string; readonly port: number },
  asker: string | undefined,
  world: World,
  facts: readonly Fact[],
): Proof {
  const tries = world.serviceProbes.filter(
    (each) => each.destination === address && each.service === 'tcp' && each.port === port && each.via === undefined,
  );
  const what = `TCP port ${port} at ${address}`;
  if (tries.length === 0) return { proven: [], lacking: [`${what}: not tested, as no node tried it`] };
  const outcomes = new Map([...Map.groupBy(tries, ({ from }) => from)].map(([node, mine]) => [node, outcomeOf(mine)]));
  const said = [...Map.groupBy(outcomes, ([, outcome]) => outcome)].map(
    ([outcome, rows]) => `${outcome} ${rows.map(([node]) => nodeRef(node)).join(', ')}`,
  );
  const isUntried = asker !== undefined && !outcomes.has(asker);
  const line = `${what}: ${[...said, ...(isUntried ? [`not tested from ${nodeRef(asker)}`] : [])].join('; ')}`;
  const isOpen = !isUntried && [...outcomes.values()].every((outcome) => outcome === 'open to');
  return isOpen
    ? { proven: [`${line}; a connection was opened and closed, and no data sent`], lacking: [] }
    : { proven: [], lacking: [`${line}${meaningOf([...outcomes.values()])}${filtersIn(tries, world, facts)}`] };
}

/** Which filters took packets such as those that were not answered. */
function filtersIn(tries: readonly ServiceProbeSeen[], world: World, facts: readonly Fact[]): string {
  const rules = new Set(tries.flatMap((each) => filtersAgainst(world, facts, each)));
  return [...rules].map((rule) => `. ${filterWords(rule, world)}`).join('');
}

function filterWords(rule: FilterHits, world: World): string {
  const { node, packets = 0 } = rule;
  const stood = remembersBefore(world, node) && !isNew(world, rule);
  return `A filter of ${nodeRef(node)} drops such packets (${wordsOf(rule)}), and dropped ${packets} meanwhile${
    stood ? '; it was there for as long as the agents remember' : ''
  }`;
}

function outcomeOf(tries: readonly ServiceProbeSeen[]): Outcome {
  if (tries.some(({ open }) => open)) return 'open to';
  return tries.some(({ answered }) => answered) ? 'refuses' : 'no answer to';
}

function meaningOf(outcomes: readonly Outcome[]): string {
  if (outcomes.every((outcome) => outcome === 'refuses'))
    return '. Packets get there and back: nothing listens on the port, or a filter refuses it';
  if (outcomes.includes('refuses') && outcomes.includes('open to'))
    return '. Something listens there: a filter, on the way or of the host, refuses the others';
  return '';
}
