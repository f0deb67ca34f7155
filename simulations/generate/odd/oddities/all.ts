// Every legal oddity that a drawn network may have. A new one is a function in a file of this folder, and listed by that alone.
import * as bgp from './bgp.ts';
import * as filters from './filters.ts';
import * as hosts from './hosts.ts';
import * as links from './links.ts';
import type { Oddity } from './oddity.ts';
import * as routing from './routing.ts';

export const ODDITIES: readonly Oddity[] = [routing, links, filters, hosts, bgp].flatMap((family) =>
  Object.values(family),
);
