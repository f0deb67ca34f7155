// What hosts of a drawn network do with each other, and what must come of it: the network's own check, which knows nothing of Parley. Pure.
import { SERVICE_CHECKS } from '../../lab/services.ts';
import { type Draft, type Flow, type Host, sample } from './model.ts';

/** Flows whose share of loss is measured: each takes a second. */
const MOST_MEASURED = 14;

/** Everything that hosts do with each other: pings and pages in each family that both have, and what filters deny. */
export function flowsOf(draft: Draft): readonly Flow[] {
  const awake = draft.hosts.filter(({ isAsleep }) => !isAsleep);
  const pairs = awake.flatMap((from) => awake.filter((to) => to !== from).map((to) => ({ from, to })));
  const found = pairs
    .filter(({ from, to }) => !to.isBehindNat && !draft.apart.has(`${from.name} ${to.name}`))
    .flatMap(({ from, to }) => between(from, to));
  return [...found, ...draft.flows];
}

/** Some of those that work, with pages among them. */
export function measuredOf(draft: Draft, flows: readonly Flow[]): readonly Flow[] {
  const working = sample(
    draft.random,
    flows.filter(({ works }) => works),
    flows.length,
  );
  const pages = working.filter(({ kind }) => kind === 'http').slice(0, MOST_MEASURED / 3);
  const echoes = working.filter(({ kind }) => kind === 'ping');
  return [...pages, ...echoes.slice(0, MOST_MEASURED - pages.length)];
}

/** A command in a router that must succeed: it has a way to each host and, where loopbacks are told to all, a way back. */
export type RouterCheck = { readonly node: string; readonly sh: string };

export function routerChecksOf(draft: Draft): readonly RouterCheck[] {
  const hosts = draft.hosts.filter((host) => !host.isAsleep && !host.isBehindNat && !host.denied.has('ping'));
  const isOurs = (name: string) => draft.shape !== 'bgp-transit' || name.startsWith('core');
  return draft.routers
    .filter(({ name }) => isOurs(name))
    .flatMap(({ name, loopback4, loopback6 }) =>
      hosts.flatMap(({ address4, address6 }) =>
        [
          [loopback4, address4],
          [loopback6, address6],
        ].flatMap(([from, to]) => {
          if (from === undefined || to === undefined) return [];
          if (draft.shape === 'bgp-transit') return [{ node: name, sh: `ip route get ${to} > /dev/null` }];
          return [{ node: name, sh: `ping -n -q -c 1 -W 1 -I ${from} ${to} > /dev/null` }];
        }),
      ),
    );
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
