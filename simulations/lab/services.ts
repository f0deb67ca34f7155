// Services of hosts, asked from another host as a user would: a name, a page, an address.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathInNode, runInNetwork, runInNode } from './node-processes.ts';
import type { LabRecord, NodeRecord } from './registry.ts';
import { addressesOf } from './sweep.ts';

/** Longest wait for an answer, in seconds. */
const ANSWER_SECONDS = 1;

/** A DNS question for www.lab.example, A, over UDP; prints nothing and fails without an answer of that very question. */
const dnsQuestion = (address: string): string =>
  `perl -MIO::Socket::IP -e 'my $s = IO::Socket::IP->new(PeerHost => "${address}", PeerPort => 53, Proto => "udp") or exit 1; alarm ${ANSWER_SECONDS}; $s->send("\\x12\\x34\\x01\\0\\0\\x01\\0\\0\\0\\0\\0\\0\\3www\\3lab\\7example\\0\\0\\1\\0\\1"); $s->recv(my $a, 512) // exit 1; exit(substr($a, 0, 2) eq "\\x12\\x34" && substr($a, 7, 1) ne "\\0" ? 0 : 1)'`;
const httpRequest = (address: string): string =>
  `perl -MIO::Socket::IP -e 'alarm ${ANSWER_SECONDS}; my $s = IO::Socket::IP->new(PeerHost => "${address}", PeerPort => 80) or exit 1; print $s "GET / HTTP/1.0\r\n\r\n"; exit((<$s> // "") =~ / 200 / ? 0 : 1)'`;

/** A name, as programs of a host look it up, at the server that the host has. */
export const LOOKUP = 'timeout 3 getent ahostsv4 www.lab.example > /dev/null';

/** What a real client of a host is offered, on one line; it takes the lease, which the server remembers, and sets nothing. Fails without an offer. */
export const leaseOf = (host: string): string =>
  `udhcpc -i eth1 -n -q -f -t 3 -T 1 -x hostname:${host} -s ${join(import.meta.dirname, 'dhcp-lease.sh')} 2> /dev/null`;

/** A command that succeeds when the service at `address` answers. */
export const SERVICE_CHECKS = { dns: dnsQuestion, http: httpRequest } as const;

/** Which service does not answer one of the other hosts. */
export async function missingServices(lab: LabRecord): Promise<string | undefined> {
  const hosts = lab.nodes.filter((node) => node.role === 'host');
  const found = await Promise.all(hosts.map((host) => missingOf(lab, hosts, host)));
  return found.find((entry) => entry !== undefined);
}

async function missingOf(lab: LabRecord, hosts: readonly NodeRecord[], host: NodeRecord): Promise<string | undefined> {
  const others = hosts.filter((other) => other !== host);
  const user = others[0];
  if (user === undefined || host.services.length === 0) return undefined;
  if (host.services.includes('dhcp')) {
    const got = await Promise.all(
      others.map((other) => runInNetwork(other.namespace, ['bash', '--norc', '-c', leaseOf(other.name)])),
    );
    const without = others.find((_, index) => got[index]!.exitCode !== 0);
    if (without !== undefined) return `an address from ${host.name} for ${without.name}`;
  }
  const addresses = await addressesOf(lab, host, 'eth1');
  if (host.services.includes('dns')) {
    const asking = others.filter((other) => existsSync(pathInNode(other, '/etc/resolv.conf')));
    const found = await Promise.all(asking.map((other) => runInNode(other, ['bash', '--norc', '-c', LOOKUP])));
    const without = asking.find((_, index) => found[index]!.exitCode !== 0);
    if (without !== undefined) return `names from ${host.name} for ${without.name}`;
  }
  for (const service of host.services) {
    if (service === 'dhcp') continue;
    const script = addresses.map((address) => SERVICE_CHECKS[service](address)).join(' && ');
    const ended = await runInNetwork(user.namespace, ['bash', '--norc', '-c', script]);
    if (ended.exitCode !== 0) return `${service} of ${host.name} from ${user.name}`;
  }
  return undefined;
}
