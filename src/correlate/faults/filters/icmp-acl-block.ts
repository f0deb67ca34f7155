// icmp_acl_block: a packet filter of a node drops every ICMP message that it should forward. One against echoes alone is a matter of taste.
import { serviceFilter } from './service-filter.ts';

export const icmpAclBlock = serviceFilter('icmp_acl_block', { name: 'ICMP', against: 'echo' });
