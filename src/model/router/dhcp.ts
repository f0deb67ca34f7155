// Addresses that hosts are given (RFC 2131), as routers see it: which hosts asked and which servers answered on a port, and what a server
// offers when a router asks it the way a relay does.
import * as z from 'zod';
import { LIMITS } from '#base/limits.ts';
import { count, flag, interfaceName, ipv4Address, listOf, rows, text, type Wire } from '../wire/fields.ts';

/** What passed on a port that leads to hosts. A question for a name goes to `to`; a DHCP answer goes to a relay, or to all hosts. */
export type Heard = Wire<typeof heard>;
export const heard = z.object({
  ifname: text,
  what: z.enum(['dns-query', 'dhcp-request', 'dhcp-reply']),
  from: text,
  to: text,
  agoMs: count,
});

/** One question for an address: for the network of `gateway`, an address of the node's own on `ifname`, to `server`. */
export type DhcpAsk = Wire<typeof dhcpAsk>;
export const dhcpAsk = z.strictObject(
  {
    ifname: interfaceName,
    gateway: ipv4Address,
    server: ipv4Address,
    /** For the network of this address instead (RFC 3527): does the server offer anything to any network? */
    link: ipv4Address.exactOptional(),
  },
  { error: 'a network and a server' },
);

export const dhcpRequest = z.strictObject({
  asks: listOf(dhcpAsk, LIMITS.dhcpAsks, 'asks'),
  patient: z.boolean({ error: 'whether the answer may take long' }),
});

export type DhcpOffer = Wire<typeof dhcpOffer>;
export const dhcpOffer = z.object({
  /** The server by its own statement (option 54), or else the address it sent from. */
  server: text,
  address: text,
  mask: text.exactOptional(),
  routers: rows(text),
  names: rows(text),
});

/** Questions and echoes go out together, from the same address to the same server. */
export type DhcpAnswer = Wire<typeof dhcpAnswer>;
export const dhcpAnswer = z.object({
  ifname: text,
  gateway: text,
  server: text,
  link: text.exactOptional(),
  sent: count,
  /** Echoes that came back. */
  echoed: count,
  /** The server, or a router before it, answered that nothing listens there. */
  refused: flag,
  offers: rows(dhcpOffer, LIMITS.dhcpOffers),
  /** Of the offered routers in the port's network: those that answer there for their address. */
  present: rows(text),
});
