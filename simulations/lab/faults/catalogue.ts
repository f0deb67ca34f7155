// The project's catalogue of injections, by id.
import * as agents from './agents.ts';
import * as bfd from './bfd.ts';
import * as bgp from './bgp.ts';
import * as churn from './churn.ts';
import * as daemons from './daemons.ts';
import * as dhcp from './dhcp.ts';
import type { Fault } from './fault.ts';
import * as filters from './filters.ts';
import * as forwarding from './forwarding.ts';
import * as hosts from './hosts.ts';
import * as isis from './isis.ts';
import * as link from './link.ts';
import { load } from './load.ts';
import * as mtu from './mtu.ts';
import * as names from './names.ts';
import * as neighbours from './neighbours.ts';
import * as ospf from './ospf.ts';
import * as resources from './resources.ts';
import * as routes from './routes.ts';
import * as services from './services.ts';
import * as sessions from './sessions.ts';
import * as srv6 from './srv6.ts';
import * as wire from './wire.ts';

const FAMILIES = [
  agents,
  link,
  wire,
  mtu,
  daemons,
  resources,
  churn,
  bgp,
  sessions,
  isis,
  ospf,
  routes,
  filters,
  forwarding,
  neighbours,
  hosts,
  srv6,
  bfd,
  services,
  dhcp,
  names,
  { load },
];

export const FAULTS: ReadonlyMap<string, Fault> = catalogue(
  FAMILIES.flatMap((family) => Object.values(family) as Fault[]),
);

export function faultIds(): string[] {
  return [...FAULTS.keys()].sort();
}

function catalogue(faults: readonly Fault[]): ReadonlyMap<string, Fault> {
  const byId = new Map(faults.map((fault) => [fault.id, fault]));
  if (byId.size !== faults.length) throw new TypeError('two injections of one id');
  return byId;
}
