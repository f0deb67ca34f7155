// What hosts without an agent have set wrong, as symptoms that two faults explain: the host's own setting, or the DHCP server that gave
// it. Each is raised by the definition of the host's own fault.
import type { Raised } from '../engine/fault-definition.ts';
import { defineOwnSymptom } from '../engine/symptom.ts';

/** A host that its first router judges. */
export type HostDetail = {
  /** Resource ids by which findings call the host and its port. */
  readonly host: string;
  readonly port: string;
  readonly router: string;
  /** The router's port that leads to it. */
  readonly ifname: string;
  readonly address: string;
  readonly mac: string;
};

export type GatewayDetail = HostDetail & {
  /** The address that the host takes for its router, and one that its router has. */
  readonly gateway: string;
  readonly own: readonly string[];
};

/** `asks`: the address off its link that the host asked for on its link. */
export type NetmaskDetail = HostDetail & { readonly asks: string };

export type NameServerDetail = Omit<HostDetail, 'port' | 'mac'> & {
  /** Addresses that the host asked last. */
  readonly asks: readonly string[];
  /** One that serves names. */
  readonly real: string;
};

export const wrongGateway = defineOwnSymptom<Raised<GatewayDetail>>('host-gateway');
export const shortMask = defineOwnSymptom<Raised<NetmaskDetail>>('host-netmask');
export const wrongNameServer = defineOwnSymptom<Raised<NameServerDetail>>('host-name-server');
