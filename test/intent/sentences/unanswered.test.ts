// A sentence that asks twice: what is asked and is not what was read is named as not used.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readingsIn } from '../reading.ts';

const { allRead, readOf } = readingsIn({
  here: 'pe1',
  nodes: ['pe1', 'p2', 'pe3', 'p4', 'leaf1'],
  ifnames: ['eth0', 'eth1'],
  addresses: new Map(),
});

test('a second question that is not what was read is named as not used [TS-7a]', () => {
  allRead([
    ['Are there errors on p2? How many?', 'errors on p2; not used: How many?'],
    ['Are there errors on p2 (how many)?', 'errors on p2; not used: (how many)?'],
    ['Are there errors on p2?How many?', 'errors on p2; not used: How many?'],
    ['Is p2 down? What should I do?', 'what is wrong on p2; not used: What should I do?'],
    ['is p2 slow and what should I do', 'delay on p2; not used: and what should I do'],
    ['p2 is slow, is it me', 'delay on p2; not used: is it me'],
    ['there is loss on p2, is it high?', 'packet loss on p2; not used: is it high?'],
  ]);
});

test('of two questions about one place the one that is read does not hide the other [TS-7a]', () => {
  allRead([
    ['Is p2 down? Is it slow?', 'delay on p2; not used: Is p2 down?'],
    ['Is p2 down? What changed?', 'changes on p2; not used: Is p2 down?'],
    ['Did p2 flap? Is it up?', 'flaps on p2 as far back as is remembered; not used: Is it up?'],
    ['What is going on with p2? Is it slow?', 'delay on p2; not used: What is going on with p2?'],
    ['Has p2 rebooted and is it me?', 'uptime on p2 as far back as is remembered; not used: and is it me?'],
  ]);
});

test('a second question that adds its time or its node is read [TS-7a]', () => {
  allRead([
    ['Is p2 slow? Since when?', 'delay on p2 as far back as is remembered'],
    ['Is p2 down? Is p4 down?', 'what is wrong on p2 and p4'],
    ['Are there errors on p2? And on p4?', 'errors on p2 and p4'],
  ]);
});

test('a wish that it be looked at, and why, are answered by what is read [TS-7a]', () => {
  allRead([
    ['Is p2 slow? Can you have a look?', 'delay on p2'],
    ['Hi, can you help? Is p2 down?', 'what is wrong on p2'],
    ['Is p2 slow, and why?', 'delay on p2'],
    ['Please check p2. It is slow.', 'delay on p2'],
    ['Who rebooted p2? Why?', 'uptime on p2 as far back as is remembered; not used: who, Why?'],
  ]);
});

test('what is said of one node and asked of another refuses [TS-7a]', () => {
  allRead([
    ['Is p2 slow? And p4?', 'unclear'],
    ['p2 is slow, and p4?', 'unclear'],
    ['is p2 lossy and p4', 'unclear'],
  ]);
});

test('no second question is lost, beside whichever first one it stands [TS-7a]', () => {
  const firsts = 'Is p2 down, Are there errors on p2, Is there loss between p2 and p4, Why is p2 slow, Is BGP on p2 up';
  const seconds =
    'How many, What should I do, Which ones, Who is affected, Is it me, What now, Is it serious, Is there a ticket, Should I call someone, Does it matter, Am I right, Can I ignore it';
  const lost = firsts.split(', ').flatMap((first) =>
    seconds
      .split(', ')
      .flatMap((second) => [`${first}? ${second}?`, `${first} and ${second[0]!.toLowerCase()}${second.slice(1)}?`])
      .filter((question) => {
        const read = readOf(question);
        return /[ ]on |[ ]from /.test(read) && !read.includes('not used');
      }),
  );
  assert.deepEqual(lost, []);
});
