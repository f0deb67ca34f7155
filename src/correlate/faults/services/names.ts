// host_incorrect_dns: a host asks for names where nobody serves any. dns_lookup_latency: a name server is slow although the way to it and its
// host are quick. The symptoms say it all.
import { rulesAboutHosts } from '../hosts/host-symptom-rule.ts';

export const nameRules = rulesAboutHosts({ kind: 'names', sign: 'how' }, [
  {
    fault: 'host_incorrect_dns',
    is: 'asks',
    form: 'node',
    summary: 'a host asks an address for names that serves none, while another name server is in use',
    remedy: 'set the name server of the host to one that is in use',
  },
  {
    fault: 'dns_lookup_latency',
    is: 'late',
    form: 'interface',
    summary: 'a name server takes long to answer its own router, and its host answers echoes at once',
    remedy: 'see what the name server waits for',
  },
]);
