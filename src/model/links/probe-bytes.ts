// What a probe weighs on its way beside its payload.

/** IPv6 and UDP (RFC 8200 §3, RFC 768): what counts against the MTU. */
export const HEADER_BYTES = 48;
/** Ethernet's addresses and EtherType: what a link carries besides. */
export const FRAME_BYTES = 14;
/** A list of SIDs: IPv6 around the probe (40 octets), the routing header (8) and its SIDs (RFC 8754 §2). */
export const OUTER_BYTES = 48;
export const SID_BYTES = 16;
