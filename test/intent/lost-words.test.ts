// Words that were lost in silence: each refuses the question, is read, or is named in the answer.
import { test } from 'node:test';
import { readingsIn } from './reading.ts';

const { allRead } = readingsIn({
  here: 'p1',
  nodes: ['p1', 'p2', 'p3', 'p4', 'pe1', 'pe3', 'leaf1', 'h1'],
  ifnames: ['eth1', 'eth2'],
  addresses: new Map([['192.0.2.1', 'pe1']]),
});

test('what one node sends to another begins at the one that sends it [TS-7a]', () => {
  allRead([
    ['does p2 lose frames sent from p3', 'packet loss from p3 to p2'],
    ['does p2 lose frames sent by p3', 'packet loss from p3 to p2'],
    ['does p2 drop frames forwarded by p3', 'packet loss from p3 to p2'],
    ['are frames sent by p2 lost at p3', 'packet loss from p2 to p3'],
    ['packets sent from pe1 to pe3 are lost', 'packet loss from pe1 to pe3'],
    ['loss of packets sent by pe1', 'packet loss on pe1'],
    ['loss of frames p3 sends to p2', 'packet loss from p3 to p2'],
    ['can pe1 send to pe3', 'reachability from pe1 to pe3'],
    ['does p2 lose frames received from p3', 'packet loss from p3 to p2; not used: received'],
  ]);
});

test('"or not" says nothing at the end alone; before a name it refuses [TS-7a]', () => {
  allRead([
    ['is p2 or not p3 down', 'unclear'],
    ['is p2 up or not p3', 'unclear'],
    ['is p2 stable or not p3', 'unclear'],
    ['is p2 working or not on p3', 'unclear'],
    ['loss on p2 or not p3', 'unclear'],
    ['is p2 up or not, p3 down', 'unclear'],
    ['is p2 and not p3 down', 'unclear'],
    ['is p2 alive or dead p3', 'unclear'],
    ['is p2 up or not?', 'what is wrong on p2'],
    ['is p2 down or not', 'what is wrong on p2'],
    ['whether or not p2 is down', 'what is wrong on p2'],
  ]);
});

test('what no answer about nodes measures is named [TS-7a]', () => {
  allRead([
    ['internet is slow on p2', 'what is wrong on p2; not used: internet is slow'],
    ['slow internet on leaf1', 'what is wrong on leaf1; not used: slow internet'],
    ['no internet on p2', 'reachability on p2; not used: no internet'],
    ['p2 is out of memory', 'what is wrong on p2; not used: out of memory'],
  ]);
});

test('of a command no word is dropped that tells one table from another [TS-7a]', () => {
  allRead([
    ['sh ipv6 ospf nei p2', 'show OSPF neighbours on p2; not used: ipv6'],
    ['sh ipv6 int br leaf1', 'list interfaces on leaf1; not used: ipv6'],
    ['sh ip nei p2', 'unsupported'],
    ['sh int desc leaf1', 'list interfaces on leaf1; not used: descriptions'],
    ['show count of errors on p2', 'errors on p2'],
    ['service is bad from pe1 to pe3', 'unclear'],
    ['service on p2 is slow', 'delay on p2; not used: service'],
    ['service p2 restart', 'order'],
    ['systemctl is slow on p2', 'delay on p2; not used: systemctl'],
    ['ip address 192.0.2.1 is unreachable from p2', 'reachability from p2 to 192.0.2.1'],
    ['ip link is down on p2', 'unclear'],
    ['ip link show leaf1', 'list interfaces on leaf1'],
    ['ip a leaf1', 'list interfaces on leaf1'],
  ]);
});

test('the largest packets that are lost ask for the loss, and alone for the MTU [TS-7a]', () => {
  allRead([
    ['largest packets lost on p2', 'packet loss on p2; not used: largest'],
    ['p2 drops the largest packets', 'packet loss on p2; not used: largest'],
    ['the largest packets are slow from pe1 to pe3', 'delay from pe1 to pe3; not used: largest'],
    ['small packets lost on p2', 'packet loss on p2; not used: small'],
    ['what is the largest packet from pe1 to pe3', 'path MTU from pe1 to pe3'],
  ]);
});

test('a state that lasts from a day is since then; things of a day are of that day [TS-7a]', () => {
  allRead([
    ['why is p2 not reachable from yesterday', 'reachability from p1 to p2 since yesterday'],
    ['p2 unreachable from last night', 'reachability from p1 to p2 since last night'],
    ['p2 loses packets from yesterday', 'packet loss on p2 since yesterday'],
    ['from yesterday p2 is slow', 'delay on p2 since yesterday'],
    ['is p2 unreachable from last weekend', 'reachability from p1 to p2 since the weekend'],
    ['is there loss on p2 from yesterday', 'packet loss on p2 since yesterday'],
    ['errors on p2 from yesterday', 'errors on p2 yesterday'],
    ['show errors from last night on p2', 'errors on p2 last night'],
    ['errors on p2 from yesterday on', 'errors on p2 since yesterday'],
    ['what happened on p2 from yesterday', 'what is wrong on p2 yesterday'],
    ['is the problem with p2 from this morning solved', 'what is wrong on p2 this morning'],
  ]);
});

test('a router behind a node refuses; hosts and people at a node are named [TS-7a]', () => {
  allRead([
    ['which routers behind p2 lose packets', 'unclear'],
    ['the routers that are behind p2 are down', 'unclear'],
    ['which switches connected to p2 flap', 'unclear'],
    ['routers adjacent to p2 lose packets', 'unclear'],
    ['is the peer behind p2 down', 'unclear'],
    ['which servers behind leaf1 lose packets', 'packet loss on leaf1; not used: servers'],
    ['is the server behind leaf1 down', 'what is wrong on leaf1; not used: server'],
    ['the servers which are behind leaf1 lose packets', 'packet loss on leaf1; not used: servers'],
    ['does the customer behind pe3 lose packets', 'packet loss on pe3; not used: customer'],
    ["leaf1's servers lose packets", 'packet loss on leaf1; not used: servers'],
    ['which servers on leaf1 lose packets', 'packet loss on leaf1; not used: servers'],
    ['are servers and customers behind leaf1 slow', 'delay on leaf1; not used: servers, customers'],
    ['is something behind leaf1 down', 'what is wrong on leaf1; not used: behind'],
    ['can h1 reach the host behind leaf1', 'reachability from h1 to leaf1; not used: host'],
    ['which hosts are connected to leaf1', 'what is connected to leaf1'],
  ]);
});

test('who signs, and a clause that says no more, are named [TS-7a]', () => {
  allRead([
    ['packet loss on p2. Best regards, John Smith', 'packet loss on p2; not used: John, Smith'],
    ['is everything ok apart from p4, which we know about', 'what is wrong except p4; not used: which we know about'],
  ]);
});
