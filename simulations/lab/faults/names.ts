// A host that asks the wrong address for names, and a name server whose answers come late.
import { z } from 'zod';
import { resolverCommand } from '../../generate/resolver.ts';
import { LOOKUP, SERVICE_CHECKS } from '../services.ts';
import { address, defineFault, nodeName, truthAtInterface, truthAtNode } from './fault.ts';

export const wrongResolver = defineFault({
  id: 'host_incorrect_dns',
  description: 'a host asks for names at an address of another network where no server answers',
  parameters: z.strictObject({ host: nodeName, address, was: address }),
  steps: ({ host, address: wrong, was }) => [
    { where: 'node', node: host, exec: [resolverCommand(wrong)], undo: [resolverCommand(was)] },
  ],
  truth: ({ host }) => truthAtNode('host_incorrect_dns', host),
  // As programs do, it asks again and again.
  symptoms: ({ host }) => [
    { where: 'node', node: host, script: `for try in 1 2 3; do ${LOOKUP} && exit 1; sleep 1; done; true` },
  ],
  place: (network, random) => {
    const server = network.hosts.find((host) => host.service === 'dns');
    const others = network.hosts.filter((host) => host !== server);
    if (server === undefined || others.length === 0) return undefined;
    const { host } = random.pick(others);
    const elsewhere = network.hosts.filter((other) => other.host !== host);
    const wrong = elsewhere.flatMap((other) => [
      other.hostAddress4.replace(/\d+$/, '53'),
      ...(other === server ? [] : [other.hostAddress4]),
    ]);
    return { host, address: random.pick(wrong), was: server.hostAddress4 };
  },
});

/** Hands questions to the server behind it, and each answer on when it is old enough. */
const HOLD_BACK = (seconds: number) => `
  use IO::Socket::IP; use IO::Select; use Time::HiRes "time";
  open(my $pid, ">", "/run/ahead.pid"); print $pid $$; close($pid);
  my $front = IO::Socket::IP->new(LocalHost => "::", LocalPort => 53, Proto => "udp", V6Only => 0, ReuseAddr => 1) or die $!;
  my (%back, @held);
  while (1) {
    my $wait = @held ? $held[0][0] - time : 5;
    for my $ready (IO::Select->new($front, map { $_->[0] } values %back)->can_read($wait > 0 ? $wait : 0)) {
      my $from = $ready->recv(my $message, 4096);
      if ($ready == $front) {
        my $server = IO::Socket::IP->new(PeerHost => "127.0.0.1", PeerPort => 5300, Proto => "udp") or next;
        $server->send($message); $back{$server} = [$server, $from];
      } else { push @held, [time + ${seconds}, $message, (delete $back{$ready})->[1]]; }
    }
    while (@held && $held[0][0] <= time) { my $due = shift @held; $front->send($due->[1], 0, $due->[2]); }
  }`;

const START = 'setsid bash /run/start-dns < /dev/null > /dev/null 2>&1 &';
const RESTART = ['kill -9 $(cat /run/dns.pid)', 'sleep 0.1', START];
const MOVE = (from: string, to: string) => `sed -i 's|${from}|${to}|' /run/start-dns`;

export const slowNames = defineFault({
  id: 'dns_lookup_latency',
  description: 'a DNS server answers every question late; its host answers pings at once',
  parameters: z.strictObject({
    host: nodeName,
    address,
    user: nodeName,
    seconds: z.number().positive().max(2).default(1),
  }),
  steps: ({ host, seconds }) => [
    {
      where: 'node',
      node: host,
      exec: [
        MOVE('-C /dev/null ', '-C /dev/null -p 5300 '),
        ...RESTART,
        `printf '%s' '${HOLD_BACK(seconds)}' > /run/start-ahead`,
        'setsid perl /run/start-ahead < /dev/null > /dev/null 2>&1 &',
      ],
      undo: [
        'kill -9 $(cat /run/ahead.pid)',
        'rm -f /run/start-ahead',
        MOVE('-C /dev/null -p 5300 ', '-C /dev/null '),
        ...RESTART,
      ],
    },
  ],
  truth: ({ host }) => truthAtInterface('dns_lookup_latency', `${host}:eth1`),
  symptoms: ({ user, address: server }) => [
    { where: 'network', node: user, script: `! ${SERVICE_CHECKS.dns(server)}` },
    { where: 'node', node: user, script: LOOKUP.replace('getent', 'env RES_OPTIONS=timeout:3 getent') },
  ],
  place: (network, random) => {
    const server = network.hosts.find((host) => host.service === 'dns');
    const others = network.hosts.filter((host) => host !== server);
    if (server === undefined || others.length === 0) return undefined;
    return { host: server.host, address: server.hostAddress4, user: random.pick(others).host };
  },
});
