// What the build of a sentence asks, where no single word says it; and sentences of the same words that ask something else.
import { test } from 'node:test';
import { readingsIn } from '../reading.ts';

const { allRead } = readingsIn({
  nodes: ['pe1', 'p2', 'pe3', 'p4', 'leaf1', 'leaf2'],
  ifnames: ['eth1', 'eth2'],
  here: 'pe1',
  addresses: new Map([['198.18.255.2', 'p2']]),
});

test('how a node gets to another, and which nodes lie on the way, ask for the path [TS-7a]', () => {
  allRead([
    ['how does pe1 reach pe3', 'which path from pe1 to pe3'],
    ['how is traffic routed from pe1 to pe3', 'which path from pe1 to pe3'],
    ['which nodes do packets pass on the way from pe1 to pe3', 'which path from pe1 to pe3'],
    ['via which nodes does pe1 reach pe3', 'which path from pe1 to pe3'],
    ['what is the path from pe1 to pe3', 'which path from pe1 to pe3'],
    ['what lies between pe1 and pe3', 'which path from pe1 to pe3'],
    ['where does traffic from pe1 to pe3 go', 'which path from pe1 to pe3'],
    ['how often does pe1 reach pe3', 'reachability from pe1 to pe3 as far back as is remembered'],
    ['is the path from pe1 to pe3 ok', 'reachability from pe1 to pe3'],
    ['which nodes does traffic from pe1 to pe3 not pass', 'unclear'],
  ]);
});

test('who has an address asks where it is, and who reaches it does not [TS-7a]', () => {
  allRead([
    ['which device has the ip 198.18.255.2', 'where is 198.18.255.2'],
    ['what is 198.18.255.2', 'where is 198.18.255.2'],
    ['in which router is the address 198.18.255.2', 'where is 198.18.255.2'],
    ['to whom does 198.18.255.2 belong', 'where is 198.18.255.2'],
    ['where does the ip 198.51.100.200 sit', 'where is 198.51.100.200'],
    ['who can reach 198.18.255.2', 'unsupported'],
    ['is 198.18.255.2 up', 'reachability to 198.18.255.2'],
  ]);
});

test('questions for things are answered with the table of them [TS-7a]', () => {
  allRead([
    ['which servers are connected to leaf1', 'what is connected to leaf1'],
    ['what is leaf1 connected to', 'what is connected to leaf1'],
    ['what sits behind leaf1', 'what is connected to leaf1'],
    ['state of all interfaces on leaf1', 'list interfaces on leaf1'],
    ['what ports does leaf1 have', 'list interfaces on leaf1'],
    ['problems with the interfaces of leaf1', 'what is wrong on leaf1'],
    ['which routers do we have', 'list nodes'],
    ['show all switches', 'list nodes'],
    ['which routers are broken', 'what is wrong'],
    ['which isis adjacencies does p2 have', 'show IS-IS neighbours on p2'],
    ['which isis adjacencies of p2 are down', 'IS-IS sessions on p2'],
    ['how full is eth2 on p2', 'how much traffic on eth2 of p2'],
    ['how many bytes has pe1 eth1 sent', 'counters on eth1 of pe1'],
    ['list events on p2', 'timeline on p2 as far back as is remembered'],
  ]);
});

test('a delay that varies is jitter, and one that has grown is a delay [TS-7a]', () => {
  allRead([
    ['does the latency between leaf1 and leaf2 vary', 'jitter from leaf1 to leaf2'],
    ['how stable is the delay between leaf1 and leaf2', 'jitter from leaf1 to leaf2'],
    ['the delay between leaf1 and leaf2 is not constant', 'jitter from leaf1 to leaf2'],
    ['the delay between leaf1 and leaf2 is not normal', 'delay from leaf1 to leaf2'],
  ]);
});

test('what people did to a node asks for its changes [TS-7a]', () => {
  allRead([
    ['has anyone been working on p2 today', 'changes on p2 today'],
    ['what did they do on p2 today', 'changes on p2 today'],
    ['did someone disable bgp on p2 today', 'changes on p2 today; not used: bgp'],
    ['was the config of p2 changed today', 'changes on p2 today'],
    ['show the config of p2', 'unsupported'],
    ['disable bgp on p2', 'order'],
    ['is p2 working', 'what is wrong on p2'],
  ]);
});

test('a clause that says no more than the exception before it changes nothing [TS-7a]', () => {
  allRead([
    ['is anything wrong apart from p4, which we know about?', 'what is wrong except p4; not used: which we know about'],
    ['leaving pe3 aside, is anything wrong', 'what is wrong except pe3'],
    ['pe3 aside, what is broken', 'what is wrong except pe3'],
    ['p2 is down, we know about pe3', 'unclear'],
    ['p2 is offline. Best regards, John', 'what is wrong on p2; not used: John'],
    ['the link that connects p2 and p4 is down', 'what is wrong on the link between p2 and p4'],
  ]);
});

test('a link that drops is a flap, and one that drops packets loses them [TS-7a]', () => {
  allRead([
    ['did the link between pe1 and p2 drop', 'flaps on the link between pe1 and p2 as far back as is remembered'],
    ['does the link between pe1 and p2 drop packets', 'packet loss from pe1 to p2'],
    ['how long is p2 down', 'what is wrong on p2 as far back as is remembered'],
    ['how long is p2 up', 'uptime on p2'],
  ]);
});

test('another node, a cause, and what one node does to another refuse [TS-7a]', () => {
  allRead([
    ['the router behind p2 is down', 'unclear'],
    ["the neighbour of p2's neighbour is down", 'unclear'],
    ['is p2 down because pe3 is down', 'unclear'],
    ['does p2 use pe3', 'unclear'],
    ['is p2 affected by pe3', 'unclear'],
    ['how long until p2 is back', 'unsupported'],
    ['all routers that run isis are down', 'unclear'],
    ['prefixes flapping on p2', 'unclear'],
    ['which router rebooted', 'unsupported'],
    ['packets on p2', 'unclear'],
    ['customers behind leaf1 are down', 'what is wrong on leaf1; not used: customers'],
  ]);
});

test('a passive turns the way round [TS-7a]', () => {
  allRead([
    ['is pe3 reached by p2', 'reachability from p2 to pe3'],
    ['is pe3 reachable from p2', 'reachability from p2 to pe3'],
    ['does pe3 reach p2', 'reachability from pe3 to p2'],
  ]);
});

test('a way that begins at the second name is read from there [TS-7a]', () => {
  allRead([
    ['I cannot get to p4 from p2', 'reachability from p2 to p4'],
    ['can I see the router p4 from p2', 'reachability from p2 to p4'],
    ['I cannot get to p4 on p2', 'reachability from p2 to p4'],
    ['nothing gets to p4 from p2', 'reachability from p2 to p4'],
    ['how to get to p4 from p2', 'which path from p2 to p4'],
    ['I cannot get to p4 from here', 'reachability from pe1 to p4'],
    ['p2 is down as seen by p4', 'reachability from p4 to p2'],
    ['I cannot get to p4 via p2', 'unclear'],
    ['nothing arrives from p4 at p2', 'reachability from p4 to p2'],
    ['why does nothing get to p4 from p2', 'reachability from p2 to p4'],
    ['via which node do I get to p4 from p2', 'which path from p2 to p4'],
    ['is p2 down from p4', 'reachability from p4 to p2'],
    ['loss from p2 to p4 as seen by p4', 'packet loss from p2 to p4'],
    ['users on leaf1 see loss', 'packet loss on leaf1; not used: users'],
  ]);
});

test('who, what and how much gets from one node to another is no question whether it is reached [TS-7a]', () => {
  allRead([
    ['who connects to p4 on p2', 'unclear'],
    ['which customers get to p4 from p2', 'unclear'],
    ['what is sent to p4 from p2', 'unclear'],
    ['over which interface do I get to p4 from p2', 'unclear'],
    ['how many packets get to p4 from p2', 'unclear'],
    ['how much arrives to p4 from p2', 'unclear'],
    ['some packets do not get to p4 from p2', 'unclear'],
  ]);
});

test('what one node does to another, or how it sees it, refuses [TS-7a]', () => {
  allRead([
    ['is p2 seen as down by p4', 'unclear'],
    ['does p4 see p2 as down', 'unclear'],
    ['is p2 down by p4', 'unclear'],
    ['p2 dropped by p4', 'unclear'],
    ['are errors on p2 seen by p4', 'unclear'],
    ['p2 appears down to p4', 'unclear'],
    ['p4 says p2 is down', 'unclear'],
    ['p4 says p2 is slow', 'delay from p4 to p2'],
    ['p2 looks slow to p4', 'delay from p2 to p4'],
    ['are packets from p2 dropped by p4', 'packet loss from p2 to p4'],
    ['loss to p4 seen by p2', 'packet loss from p2 to p4'],
    ['sessions on p2 dropped by p4', 'sessions between p2 and p4 as far back as is remembered'],
    ['was bgp on p2 reset by p4', 'BGP sessions between p2 and p4 as far back as is remembered'],
    ['does p4 see p2', 'reachability from p4 to p2'],
    ['is p2 reachable by p4', 'reachability from p4 to p2'],
    ['is traffic dropped by p4', 'packet loss on p4'],
  ]);
});

test('a verb behind "to" is no name [TS-7a]', () => {
  allRead([
    ['am I to blame for the loss on p2', 'unclear'],
    ['is p2 slow, am I to blame', 'unclear'],
    ['is p2 slow, is someone to blame', 'unclear'],
    ['is BGP on p2 up? who is accountable', 'BGP sessions on p2; not used: who is accountable'],
    ['who is to connect to p2', 'unclear'],
    ['is the way to paris slow', 'delay from pe1 to paris'],
  ]);
});

test('a question of reboots, of shut interfaces or of how many is not answered about something else [TS-7a]', () => {
  allRead([
    ['was anything rebooted last night', 'unsupported'],
    ['is eth1 on p2 shut down', 'what is wrong on eth1 of p2'],
    ['shut down eth1 on p2', 'order'],
    ['is p2 back', 'what is wrong on p2'],
    ['number of interfaces on p2', 'unsupported'],
    ['is bgp configured on leaf1', 'BGP sessions on leaf1'],
    ['show route 198.51.100.7 on pe1', 'unsupported'],
    ['loss in the direction of pe3', 'packet loss from pe1 to pe3'],
    ['did a neighbour of leaf1 change', 'unclear'],
  ]);
});
