// Words that say nothing of their own, in places where they say something; and the same words where they say nothing.
import { test } from 'node:test';
import { readingsIn } from '../reading.ts';

const { allRead } = readingsIn({
  here: 'pe1',
  nodes: ['pe1', 'p2', 'pe3', 'p4', 'leaf1'],
  ifnames: ['eth0', 'eth1'],
  addresses: new Map(),
});

test('a word that says nothing is refused beside words that it says something of [TS-7a]', () => {
  allRead([
    ['ticket loss on p2', 'unclear'],
    ['rate loss on p2', 'unclear'],
    ['loss team on p2', 'unclear'],
    ['loss severity on p2', 'unclear'],
    ['trouble ticket for p2', 'unclear'],
    ['loss rate on p2', 'packet loss on p2'],
    ['heavy loss on p2', 'packet loss on p2'],
    ['customers report loss on p2', 'packet loss on p2'],
    ['p2 suffers from loss', 'packet loss on p2'],
    ['why does p2 keep dropping packets', 'packet loss on p2'],
  ]);
});

test('a part of what is named is not all of it [TS-7a]', () => {
  allRead([
    ['one of p2 and p4', 'unclear'],
    ['is one of p2 and p4 down', 'unclear'],
    ['some of p2, pe3 and p4 are slow', 'unclear'],
    ['the rate of p2 is slow', 'unclear'],
    ['any of p2 and p4 down', 'what is wrong on p2 and p4'],
    ['are all of p2 and p4 up', 'what is wrong on p2 and p4'],
  ]);
});

test('what people say, know, want or may do is not what is so [TS-7a]', () => {
  allRead([
    ['why do you say p2 is down', 'unclear'],
    ['why do you think p2 is slow', 'unclear'],
    ['what do you believe is wrong with p2', 'what is wrong on p2'],
    ['which router do you believe drops packets', 'packet loss'],
    ['how do you know p2 is down', 'unclear'],
    ['was the loss on p2 reported', 'unclear'],
    ['how can I measure loss on p2', 'unclear'],
    ['p2 needs more bandwidth', 'unclear'],
    ['p2 should cause loss', 'unclear'],
    ['does p2 measure loss', 'unclear'],
    ['do you need the errors on p2', 'unclear'],
    ['do you know why p2 is slow', 'delay on p2'],
    ['how does p2 reach p4', 'which path from p2 to p4'],
  ]);
});

test('a state that is good, or over, asks for no fault [TS-7a]', () => {
  allRead([
    ['why is p2 up', 'unclear'],
    ['how come p2 works', 'unclear'],
    ['slow - fixed', 'unclear'],
    ['p2 is slow, works now', 'unclear'],
    ['p2 was slow. fixed.', 'unclear'],
    ['the errors on p2 are gone', 'unclear'],
    ['are the errors on p2 gone', 'errors on p2'],
    ['why is p2 not up', 'what is wrong on p2'],
    ['did the backups run on p2', 'unclear'],
    ['the backups are slow from p2 to p4', 'delay from p2 to p4'],
  ]);
});

test('two things in a row are another thing than either [TS-7a]', () => {
  allRead([
    ['human error on p2', 'unclear'],
    ['typing errors on p2', 'unclear'],
    ['error handling on p2', 'unclear'],
    ['fault domain p2', 'unclear'],
    ['delay line on p2', 'unclear'],
    ['session timeout on p2', 'unclear'],
    ['framing errors on p2', 'errors on p2'],
    ['weird loss on p2', 'packet loss on p2'],
    ['loss link p2 p4', 'packet loss from p2 to p4'],
  ]);
});

test('what is said of two nodes apart makes no way of them [TS-7a]', () => {
  allRead([
    ['p2 was slow. is p4 slow?', 'unclear'],
    ['p2 has loss and p4 does not', 'unclear'],
    ['p2 drops p4', 'unclear'],
    ['p2 of p4', 'unclear'],
    ['loss p2 p4', 'packet loss from p2 to p4'],
    ['p2 loses packets to p4', 'packet loss from p2 to p4'],
    ['pe1 is up and p2 is not', 'what is wrong on pe1 and p2'],
  ]);
});

test('a verb that is not known is what is asked [TS-7a]', () => {
  allRead([
    ['what loss do we guarantee between p2 and p4', 'unclear'],
    ['who approved the changes on p2', 'unclear'],
    ['does p2 censor traffic', 'unclear'],
    ['to whom does 198.51.100.7 belong', 'where is 198.51.100.7'],
  ]);
});

test('what leads to nothing, and a reason that no node knows, are refused [TS-7a]', () => {
  allRead([
    ['is p2 broken into', 'unclear'],
    ['is p2 unreachable from last weekend', 'reachability from pe1 to p2 since the weekend'],
    ['what is p2 connected to', 'what is connected to p2'],
    ['why was p2 changed', 'unclear'],
    ['why did p2 reboot', 'unclear'],
    ['is the loss on p2 due to congestion', 'unsupported'],
    ['is the outage on p2 known', 'unclear'],
    ['is there a known outage on p2', 'what is wrong on p2'],
    ['how do i get to p2', 'unclear'],
    ['is p2 good for voice', 'unclear'],
  ]);
});

test('what ended a fault, what it does to others, and how fast it went are refused [TS-7a]', () => {
  allRead([
    ['what fixed the loss on p2', 'unclear'],
    ['what keeps p2 up', 'unclear'],
    ['which customers are affected by loss on p2', 'unclear'],
    ['how fast did p2 come back', 'unclear'],
    ['how long is the list of changes on p2', 'unclear'],
    ['what broke p2', 'what is wrong on p2'],
    ['how fast is p2', 'throughput on p2'],
  ]);
});

test('"numbers" is no word that says nothing, but of a wish [TS-7a]', () => {
  allRead([
    ['are the numbers on p2 ok', 'unclear'],
    ['show the numbers of neighbours on p2', 'unclear'],
    ['wrong numbers on p2', 'what is wrong on p2; not used: numbers'],
    ['large numbers of errors on p2', 'errors on p2; not used: large, numbers'],
    ['is p2 slow, with numbers', 'delay on p2; not used: with numbers'],
    ['is p2 slow? the numbers please', 'delay on p2; not used: the numbers please'],
    ['tenants: is it down?', 'unclear'],
    ['note that p2 is down', 'what is wrong on p2'],
  ]);
});
