// What a router of a drawn network runs out of, each by two means.
import { type Draft, type Router, sample } from '../model.ts';
import { fromCatalogue, type Mechanism, named, nodeOf } from './mechanism.ts';

const ofRouter = (
  fault: string,
  by: string,
  inject: (router: Router, daemon: string) => ReturnType<typeof fromCatalogue>,
): Mechanism => ({
  ...{ fault, by },
  draw: (draft: Draft) => {
    const places = draft.routers.flatMap((router) => {
      const daemon = DAEMONS.find((name) => router.daemons.has(name));
      return router.hasAgent && daemon !== undefined ? [{ router, daemon }] : [];
    });
    const place = sample(draft.random, places, 1)[0];
    if (place === undefined) return undefined;
    const { router, daemon } = place;
    return { inject: [inject(router, daemon)], truth: named(nodeOf(router.name), [fault]) };
  },
});

const DAEMONS = ['bgpd', 'ospfd', 'isisd'] as const;

export const diskFilled = ofRouter('disk_unwritable', 'a file that has grown', ({ name: node }) =>
  fromCatalogue('disk_unwritable', { node, way: 'full' }),
);
export const diskReadOnly = ofRouter('disk_unwritable', 'made read-only', ({ name: node }) =>
  fromCatalogue('disk_unwritable', { node, way: 'read-only' }),
);
export const descriptorsLimited = ofRouter(
  'descriptors_exhausted',
  'a lower limit and connections that stay open',
  ({ name: node }, daemon) => fromCatalogue('descriptors_exhausted', { node, daemon }),
);
