// host_incorrect_gateway, host_incorrect_ip, host_missing_ip, host_incorrect_netmask: what is wrong with a host, seen by its first
// router. The symptom says it all; nothing else explains it, and it explains nothing else.
import { type HostFamily, rulesAboutHosts } from './host-symptom-rule.ts';

const HOST: HostFamily = {
  kind: 'host',
  sign: 'what',
  // A host may give up IPv4 on purpose where all can do without (RFC 8925).
  confidence: ({ detail }) => (detail['what'] === 'missing' ? 'likely' : 'certain'),
};

export const hostRules = rulesAboutHosts(HOST, [
  {
    fault: 'host_incorrect_gateway',
    is: 'gateway',
    form: 'node',
    summary: 'a host sends what is not for its link to an address that is not its router’s',
    remedy: 'set the gateway of the host to its router',
  },
  {
    fault: 'host_incorrect_ip',
    is: 'address',
    form: 'interface',
    summary: 'a host no longer has its address but another',
    remedy: 'give the host its address back',
  },
  {
    fault: 'host_missing_ip',
    is: 'missing',
    form: 'interface',
    summary: 'a host lives and no longer has its address',
    remedy: 'give the host its address back',
  },
  {
    fault: 'host_incorrect_netmask',
    is: 'netmask',
    form: 'interface',
    summary: 'a host takes what is far away for its own link',
    remedy: 'set the mask of the host to that of its router',
  },
]);
