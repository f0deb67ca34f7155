// dns_port_blocked: a packet filter of a node drops questions for names, or their answers, that it should forward.
import { serviceFilter } from './service-filter.ts';

export const dnsPortBlocked = serviceFilter('dns_port_blocked', { name: 'DNS', against: 'dns' });
