// bgp_acl_block: a packet filter of a node drops TCP port 179, so that sessions close or never open.
import { FILTERED_PROTOCOLS } from '../../packet-filter/protocol-drops.ts';
import { protocolFilter } from './protocol-filter.ts';

export const bgpAclBlock = protocolFilter('bgp_acl_block', 'bgp_acl_block', FILTERED_PROTOCOLS.bgp);
