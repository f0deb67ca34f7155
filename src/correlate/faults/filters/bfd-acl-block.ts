// bfd_acl_block: a packet filter of a node drops BFD (RFC 5881 §4, RFC 5883 §5), and what follows its sessions goes down with them.
import { FILTERED_PROTOCOLS } from '../../packet-filter/protocol-drops.ts';
import { protocolFilter } from './protocol-filter.ts';

export const bfdAclBlock = protocolFilter('bfd_acl_block', null, FILTERED_PROTOCOLS.bfd);
