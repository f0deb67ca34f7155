// A thing of the network is in the sentence, and something else about it is asked: what will be, what it is worth, what was said, how it is found out.
import { test } from 'node:test';
import { readingsIn } from '../reading.ts';

const { allRead } = readingsIn({
  here: 'pe1',
  nodes: ['pe1', 'p2', 'pe3', 'p4', 'leaf1'],
  ifnames: ['eth0', 'eth1'],
  addresses: new Map(),
});

test('what is going to be, whichever verb carries it, is not what is or was [TS-7a]', () => {
  allRead([
    ['is p2 going to get jitter towards p4 today', 'unsupported'],
    ['is a flap going to happen on eth1 of p2', 'unsupported'],
    ['is the OSPF session between p2 and p4 to fail this afternoon', 'unsupported'],
    ['are packets to be dropped on p2 this evening', 'unsupported'],
    ['is p2 facing a restart this evening', 'unsupported'],
    ['are we in for loss on p2 today', 'unsupported'],
    ['is there a change coming up on p2', 'unsupported'],
    ['is p2 likely to lose packets this evening', 'unsupported'],
    ['are packets going to p4 lost today', 'packet loss from pe1 to p4 today'],
    ['is something going on between p2 and p4', 'what is wrong on p2 and p4'],
    ['is bgp coming up on p2', 'BGP sessions on p2'],
  ]);
});

test('what something is worth is no measure of it [TS-7a]', () => {
  allRead([
    ['is this delay between p2 and p4 acceptable', 'unclear'],
    ['are drops on eth1 of p2 a concern', 'unclear'],
    ['is a flap on eth1 of p2 bad', 'unclear'],
    ['is a session down on p2 an issue for us', 'unclear'],
    ['is it ok that p2 has errors on eth1', 'unclear'],
    ['are errors on eth1 of p2 a risk', 'unclear'],
    ['should we be concerned about the loss on p2', 'unclear'],
    ['does it matter that p2 has errors', 'unclear'],
    ['is the delay between p2 and p4 high', 'delay from p2 to p4'],
    ['is it true that p2 drops packets', 'packet loss on p2'],
    ['are the neighbours of p2 okay', 'sessions on p2'],
    ['is the loss on p2 still there', 'packet loss on p2'],
  ]);
});

test('what was said is not what was said of [TS-7a]', () => {
  allRead([
    ['have you told us that p2 is slow', 'unclear'],
    ['did you tell me that p2 drops packets', 'unclear'],
    ['did I hear you say there were changes on p2', 'unclear'],
    ['do you still say that p2 cannot reach p4', 'unclear'],
    ['have you already reported that p2 is unreachable', 'unclear'],
    ['can you tell me whether ospf on p2 is up', 'OSPF sessions on p2'],
    ['could you say how much loss there is between p2 and p4', 'packet loss from p2 to p4'],
  ]);
});

test('how something is found out is not what is found [TS-7a]', () => {
  allRead([
    ['how would you find drops on p2', 'unclear'],
    ['where would I look for flaps on eth1 of p2', 'unclear'],
    ['with what would I measure the delay from p2 to p4', 'unclear'],
    ['in which menu do I see errors on p2', 'unclear'],
    ['which dashboard shows the loss on p2', 'unclear'],
    ['what should I use to see the delay from p2 to p4', 'unclear'],
    ['how much loss do you see between p2 and p4', 'packet loss from p2 to p4'],
    ['where do you see loss between p2 and p4', 'packet loss from p2 to p4'],
    ['could I see the changes on p2', 'changes on p2'],
  ]);
});

test('what people make or hold about a thing is not that thing [TS-7a]', () => {
  allRead([
    ['is there news about changes on p2', 'unclear'],
    ['is there a memo about flaps on eth1 of p2', 'unclear'],
    ['was there a complaint about drops on p2', 'unclear'],
    ['is there a session about loss on p2', 'unclear'],
    ['was there a meeting regarding the outage on p2', 'unclear'],
    ['what about errors on eth1 of p2', 'errors on eth1 of p2'],
    ['is there anything about p2 that is wrong', 'what is wrong on p2'],
  ]);
});

test('whether one thing comes of another is not whether each is so [TS-7a]', () => {
  allRead([
    ['there is loss on p2. is this what makes for loss on p4', 'unsupported'],
    ['p2 drops packets, does that explain the loss on p4', 'unsupported'],
    ['bgp is down on p2; is this the reason for bgp being down on p4', 'unsupported'],
    ['p2 drops packets, is that connected with drops on p4', 'unsupported'],
    ['p2 is slow, is that so', 'delay on p2'],
    ['why is bgp down on p2 and p4', 'BGP sessions between p2 and p4'],
  ]);
});
