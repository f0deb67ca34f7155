// isis_acl_block: a packet filter of a node drops IS-IS frames, so that adjacencies are lost.
import { FILTERED_PROTOCOLS } from '../../packet-filter/protocol-drops.ts';
import { protocolFilter } from './protocol-filter.ts';

export const isisAclBlock = protocolFilter('isis_acl_block', null, FILTERED_PROTOCOLS.isis);
