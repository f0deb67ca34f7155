// Every means to every fault that a drawn network may suffer. A new one is a value in a file of this folder, and listed by that alone.
import * as forwarding from './forwarding.ts';
import type { Mechanism } from './mechanism.ts';
import * as resources from './resources.ts';
import * as sessions from './sessions.ts';
import * as virtualRouters from './virtual-routers.ts';
import * as wires from './wires.ts';

export const MECHANISMS: readonly Mechanism[] = [wires, forwarding, sessions, resources, virtualRouters].flatMap(
  (family) => Object.values(family),
);
