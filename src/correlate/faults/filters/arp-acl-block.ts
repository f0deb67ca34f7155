// arp_acl_block: a packet filter of a node drops ARP, so that neighbours stay unresolved and what needs them fails.
import { FILTERED_PROTOCOLS } from '../../packet-filter/protocol-drops.ts';
import { protocolFilter } from './protocol-filter.ts';

export const arpAclBlock = protocolFilter('arp_acl_block', 'arp_acl_block', FILTERED_PROTOCOLS.arp);
