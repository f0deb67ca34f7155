// What a means to a fault is, here: it finds a place in a drawn network and says what is done there, and what a right answer names. Several
// means lead to one fault; those of the catalogue keep their commands, the others have their own. Pure.
import { FAULTS } from '../../../lab/faults/catalogue.ts';
import type { Injection } from '../../../lab/scenario.ts';
import { wayBetween } from '../graph.ts';
import type { Draft, Host, Port, Router } from '../model.ts';
import { linkText, routerNamed, sample } from '../model.ts';
import { coreLinks } from '../oddities/oddity.ts';

/** `right`: resource and fault as findings have them, any of which is a whole answer; `place`: resources where a name too few is forgiven. */
export type Truth = { readonly right: readonly string[]; readonly place: readonly string[] };

export type Drawn = { readonly inject: readonly Injection[]; readonly truth: Truth };

export type Mechanism = {
  /** What is wrong, in the words of docs/faults.md. */
  readonly fault: string;
  /** By which means. */
  readonly by: string;
  /** Nothing where this network has no place for it. */
  draw(draft: Draft): Drawn | undefined;
};

/** Commands inside a node, and what takes them back. Not all of them change what a snapshot of the node looks at. */
export const inNode = (node: string, exec: readonly string[], undo: readonly string[] = []): Injection => ({
  ...{ where: 'node', node, exec, undo, repaired: false, learned: true },
});

/** Commands in a cable, `{a}` and `{b}` its ports. */
export const inCable = (cable: string, ...exec: readonly string[]): Injection => ({
  where: 'cable',
  cable,
  exec,
  repaired: false,
});

/** The catalogue's own commands; parameters that its entry does not take are an error. */
export function fromCatalogue(id: string, parameters: Readonly<Record<string, unknown>>): Injection {
  const entry = FAULTS.get(id);
  if (entry === undefined) throw new RangeError(`expected an injection of the catalogue, got ${id}`);
  return {
    where: 'fault',
    fault: id,
    parameters: entry.parameters.parse(parameters) as Readonly<Record<string, unknown>>,
  };
}

/** Every right name of one place. */
export const named = (resource: string, faults: readonly string[], place: readonly string[] = []): Truth => ({
  right: faults.map((fault) => `${resource} ${fault}`),
  place: [resource, ...place],
});

export type LinkPlace = {
  readonly cable: string;
  /** Its two ends, `node:ifname`; the first is the one that a fault has to itself. */
  readonly ends: readonly [string, string];
  readonly router: Router;
  readonly port: Port;
  readonly mtu: number;
};

/** A link between routers that has agents at both ends, and one end of it. */
export function someLink(draft: Draft, fits: (port: Port) => boolean = () => true): LinkPlace | undefined {
  const places = coreLinks(draft).flatMap((link) =>
    [link.a, link.b].flatMap((end): LinkPlace[] => {
      const other = end === link.a ? link.b : link.a;
      const router = routerNamed(draft, end.node);
      const port = router.ports.find(({ ifname }) => ifname === end.ifname)!;
      if (!router.hasAgent || !routerNamed(draft, other.node).hasAgent || !fits(port)) return [];
      const text = ({ node, ifname }: typeof end) => `${node}:${ifname}`;
      return [
        { cable: `${text(link.a)}--${text(link.b)}`, ends: [text(end), text(other)], router, port, mtu: link.mtu },
      ];
    }),
  );
  // Most often a link that users' packets cross: a fault elsewhere does no harm.
  const used = places.filter((place) => usedLinks(draft).has(place.cable));
  return sample(draft.random, used.length > 0 && draft.random.next() < 0.85 ? used : places, 1)[0];
}

/** Links on a shortest way between the routers of two hosts. */
function usedLinks(draft: Draft): ReadonlySet<string> {
  const edges = [...new Set(draft.hosts.filter(({ isAsleep }) => !isAsleep).map(({ router }) => router))];
  const ways = edges.flatMap((from) => edges.map((to) => wayBetween(draft, from, to)));
  const steps = new Set(
    ways.flatMap((way) => way.slice(1).flatMap((to, at) => [`${way[at]} ${to}`, `${to} ${way[at]}`])),
  );
  return new Set(
    coreLinks(draft)
      .filter(({ a, b }) => steps.has(`${a.node} ${b.node}`))
      .map(linkText),
  );
}

export type HostPlace = { readonly host: Host; readonly router: Router; readonly other: Host };

/** A host behind a router with an agent, and another behind another router that exchange something. */
export function someHost(draft: Draft, fits: (host: Host) => boolean = () => true): HostPlace | undefined {
  const usual = draft.hosts.filter(
    (host) => !host.isAsleep && !host.isBehindNat && !host.hasVirtualRouter && routerNamed(draft, host.router).hasAgent,
  );
  for (const host of sample(draft.random, usual.filter(fits), usual.length)) {
    const others = usual.filter(
      (each) =>
        each.router !== host.router &&
        !draft.apart.has(`${each.name} ${host.name}`) &&
        !draft.apart.has(`${host.name} ${each.name}`),
    );
    const other = sample(draft.random, others, 1)[0];
    if (other !== undefined) return { host, router: routerNamed(draft, host.router), other };
  }
  return undefined;
}

export const interfaceOf = (end: string): string => `interface/${end.replace(':', '/')}`;
export const linkOf = (ends: readonly string[]): string => `link/${[...ends].sort().join('--')}`;
export const nodeOf = (name: string): string => `node/${name}`;
