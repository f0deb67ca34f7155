// Addresses that hosts are given (RFC 2131), as routers see it: who was heard to ask or to answer on a port, and what a server
// offers when a router asks it the way a relay does.

/** What passed on a port that leads to hosts. A question for a name goes to `to`; a DHCP answer goes to a relay, or to everybody. */
export type Heard = {
  readonly ifname: string;
  readonly what: 'dns-query' | 'dhcp-request' | 'dhcp-reply';
  readonly from: string;
  readonly to: string;
  readonly agoMs: number;
};

/** One question for an address: for the network of `gateway`, an address of the node's own on `ifname`, to `server`. */
export type DhcpAsk = {
  readonly ifname: string;
  readonly gateway: string;
  readonly server: string;
  /** For the network of this address instead (RFC 3527): does the server offer anything to anybody? */
  readonly link?: string;
};

export type DhcpOffer = {
  /** Who offers, by its own word (option 54) or by the address it sent from. */
  readonly server: string;
  readonly address: string;
  readonly mask?: string;
  readonly routers: readonly string[];
  readonly names: readonly string[];
};

/** Questions and echoes go out together, from the same address to the same server. */
export type DhcpAnswer = DhcpAsk & {
  readonly sent: number;
  /** Echoes that came back. */
  readonly echoed: number;
  /** The server, or somebody for it, said that nobody listens. */
  readonly refused: boolean;
  readonly offers: readonly DhcpOffer[];
  /** Of the offered routers in the port's network: those that answer there for their address. */
  readonly present: readonly string[];
};
