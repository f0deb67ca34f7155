// What hosts of a drawn network do with each other, and what must come of it: the network's own check, which knows nothing of Parley. Pure.
import { SERVICE_CHECKS } from '../../lab/services.ts';
import { type Draft, type Flow, type Host, sample } from './model.ts';

/** Flows between hosts, pings and pages in each family that both have; denied ones only while a filter denies them. */
const MOST_FLOWS = 12;

export function flowsOf(draft: Draft): readonly Flow[] {
  const awake = draft.hosts.filter(({ isAsleep }) => !isAsleep);
  const pairs = awake.flatMap((from) => awake.filter((to) => to !== from).map((to) => ({ from, to })));
  const found = pairs
    .filter(({ from, to }) => !to.isBehindNat && !draft.apart.has(`${from.name} ${to.name}`))
    .flatMap(({ from, to }) => between(from, to));
  // Those that a filter denies are few and say most about the network.
  const [denied, working] = [found.filter(({ works }) => !works), found.filter(({ works }) => works)];
  const pages = working.filter(({ kind }) => kind === 'http');
  const chosen = [...pages.slice(0, 4), ...draft.flows, ...working.filter(({ kind }) => kind === 'ping')];
  return [...denied.slice(0, 2), ...chosen.slice(0, MOST_FLOWS)];
}

function between(from: Host, to: Host): Flow[] {
  const addresses = [
    ...(from.address4 !== undefined && to.address4 !== undefined ? [to.address4] : []),
    ...(from.address6 !== undefined && to.address6 !== undefined ? [to.address6] : []),
  ];
  const kinds = to.service === 'http' ? (['ping', 'http'] as const) : (['ping'] as const);
  return addresses.flatMap((address) =>
    kinds.map((kind) => ({ from: from.name, to: to.name, address, kind, works: !to.denied.has(kind) })),
  );
}

/** A command at `flow.from` that succeeds while the flow is as it must be. */
export function flowCheck({ address, kind, works }: Flow): string {
  const tries = kind === 'ping' ? `ping -n -q -c 1 -W 1 ${address} > /dev/null` : SERVICE_CHECKS.http(address);
  return works ? tries : `! ${tries}`;
}

export const flowText = ({ from, to, address, kind, works }: Flow): string =>
  `${kind} from ${from} to ${to} (${address})${works ? '' : ' is denied'}`;

/** Flows between hosts of different routers that work, in a random order. */
export function askable(draft: Draft, flows: readonly Flow[]): readonly Flow[] {
  const routerOf = (name: string) => draft.hosts.find((host) => host.name === name)?.router;
  const across = flows.filter(
    ({ from, to, works }) => works && routerOf(to) !== undefined && routerOf(from) !== routerOf(to),
  );
  return sample(draft.random, across, across.length);
}
