// ospf_acl_block: a packet filter of a node drops IP protocol 89 over IPv4, IPv6 or both, so that adjacencies of OSPFv2, OSPFv3 or both are lost.
import { FILTERED_PROTOCOLS } from '../../packet-filter/protocol-drops.ts';
import { protocolFilter } from './protocol-filter.ts';

export const ospfAclBlock = protocolFilter('ospf_acl_block', 'ospf_acl_block', FILTERED_PROTOCOLS.ospf);
