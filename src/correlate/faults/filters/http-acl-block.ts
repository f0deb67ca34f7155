// http_acl_block: a packet filter of a node drops connections to web servers that it should forward.
import { serviceFilter } from './service-filter.ts';

export const httpAclBlock = serviceFilter('http_acl_block', { name: 'HTTP', against: 'http' });
