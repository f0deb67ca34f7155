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

test('a question about two names is one part, and is named as a whole [TS-7a]', () => {
  allRead([
    [
      'is there loss between p2 and p4? is bgp up?',
      'BGP sessions between p2 and p4; not used: is there loss between p2 and p4?',
    ],
    [
      'is there loss between p2 and p4? are there errors?',
      'errors on p2 and p4; not used: is there loss between p2 and p4?',
    ],
    ['do p2 and p4 see each other? what changed?', 'changes on p2 and p4; not used: do p2 and p4 see each other?'],
    ['is the link between p2 and p4 up? is it me', 'what is wrong on the link between p2 and p4; not used: is it me'],
    ['are p2, pe3, and p4 up? is it me', 'what is wrong on p2, pe3 and p4; not used: is it me'],
    ['is bgp up and running on p2? what changed?', 'changes on p2; not used: is bgp up and running on p2?'],
    ['is p2 up and running? is it me?', 'what is wrong on p2; not used: is it me?'],
    [
      'we see drops. is the link between p2 and p4 up?',
      'packet loss from p2 to p4; not used: is the link between p2 and p4 up?',
    ],
    ['is p2 slow and the number?', 'delay on p2; not used: and the number?'],
    ['is p2 slow also today?', 'delay on p2 today'],
  ]);
});

test('a second time does not move a question about two names [TS-7a]', () => {
  allRead([
    ['is there loss between p2 and p4? And yesterday?', 'packet loss from p2 to p4; not used: And yesterday?'],
    ['bgp up on p2 and p4? And yesterday?', 'BGP sessions between p2 and p4; not used: And yesterday?'],
    ['errors on p2 and p4? And yesterday?', 'errors on p2 and p4; not used: And yesterday?'],
    ['what changed on p2 and p4? And last week?', 'changes on p2 and p4; not used: And last week?'],
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

test('a part without which the rest is another question is used, and is not named [TS-7a]', () => {
  allRead([
    ['Is p2 slow? For 198.51.100.7?', 'delay from p2 to 198.51.100.7'],
    ['Are there errors on p2? On eth1?', 'errors on eth1 of p2'],
    ['loss? p2?', 'packet loss on p2'],
    ['p2? slow?', 'delay on p2'],
    ['p2? is it slow?', 'delay on p2'],
    ['check p2, is it slow?', 'delay on p2'],
    ['Is p2 slow? How slow?', 'delay on p2'],
    ['Is p2 slow? Tell me the delay', 'delay on p2'],
    ['Are there errors? On p2?', 'errors on p2'],
    ['p2 is weird. What is wrong there?', 'what is wrong on p2'],
    ['look at p2, does it have any problems?', 'what is wrong on p2'],
    ['is p2 up and for how long', 'uptime on p2'],
    ['They said p2 has loss, does it have any loss?', 'packet loss on p2'],
  ]);
});

test('"it" of a row of words is what was read of it [TS-7a]', () => {
  allRead([
    ['bgp on p2: is it up', 'BGP sessions on p2'],
    ['the bgp session between p2 and p4, is it up', 'BGP sessions between p2 and p4'],
    ['The session to p2 dropped. Is it up?', 'sessions with p2'],
    ['check bgp on p2, are all sessions up?', 'BGP sessions on p2'],
    ['bgp on p2: is it me', 'BGP sessions on p2; not used: is it me'],
  ]);
});

test('words are named once [TS-7a]', () => {
  allRead([
    ['is p2 down and is it serious', 'what is wrong on p2; not used: and is it serious'],
    ['Is p2 slow? IPv6?', 'delay on p2; not used: IPv6?'],
    ['Is p2 slow? How many? how many?', 'delay on p2; not used: how many?'],
  ]);
});

test('a time in a story beside a question of now refuses [TS-7a]', () => {
  allRead([
    ['p2 was down yesterday, is it up now', 'unclear'],
    ['p2 was down since monday, is it up', 'unclear'],
    ['p2 was slow last night - is it slow?', 'unclear'],
    ['p2 was down at 3am and is it up', 'unclear'],
    ['the link between p2 and p4 was down yesterday, is it up', 'unclear'],
    ['users were cut off since monday, is p2 slow', 'unclear'],
    ['users on leaf1 complain since monday, is leaf1 slow', 'delay on leaf1 since monday; not used: users'],
    ['since yesterday, is p2 slow', 'delay on p2 since yesterday'],
    ['Was p2 down yesterday? Is it up now?', 'what is wrong on p2 yesterday; not used: Is it up now?'],
  ]);
});

test('how long a state of the past lasted, beside a question of now, refuses [TS-7a]', () => {
  allRead([
    ['p2 was down for an hour. Is it up?', 'unclear'],
    ['p2 was down for an hour, is it slow?', 'unclear'],
    ['BGP on p2 was down for 10 minutes. Is it up?', 'unclear'],
    ['p2 was down, is it up', 'what is wrong on p2; not used: p2 was down,'],
  ]);
});

test('a wish that asks by no form is named behind a question [TS-7a]', () => {
  const lost = ['Is p2 slow', 'Is BGP on p2 up', 'Is there loss between p2 and p4'].flatMap((first) =>
    [
      'the number please',
      'a figure',
      'give me a number',
      'some details please',
      'with numbers please',
      'help me',
      'please help',
    ]
      .flatMap((wish) => ['. ', '? ', ', ', ' - ', ' and ', ' also '].map((sign) => `${first}${sign}${wish}`))
      .filter((question) => !readOf(question).includes('not used')),
  );
  assert.deepEqual(lost, []);
  allRead([
    ['help me, is p2 slow', 'delay on p2'],
    ['Is p2 slow? Thanks a lot', 'delay on p2'],
    ['errors on p2 and on p4 please', 'errors on p2 and p4'],
  ]);
});

test('a second question of which only the verb is of the past is named, and moves no time [TS-7a]', () => {
  allRead([
    ['is BGP on p2 up? who did it', 'BGP sessions on p2; not used: who did it'],
    ['is BGP between p2 and p4 up and who did it', 'BGP sessions between p2 and p4; not used: and who did it'],
    ['is BGP on p2 up? did it flap', 'BGP sessions on p2 as far back as is remembered'],
    ['is there loss on p2? was there', 'packet loss on p2 as far back as is remembered'],
    ['is bgp on p2 up? how was it', 'BGP sessions on p2 as far back as is remembered'],
    [
      'is there loss on p2? how did it start',
      'packet loss on p2 as far back as is remembered; not used: how did it start',
    ],
    ['is eth1 on p2 down? who shut it', 'what is wrong on eth1 of p2; not used: who shut it'],
    ['is the session between p2 and p4 up? who broke it', 'sessions between p2 and p4; not used: who broke it'],
    ['is p2 down and who broke it', 'changes on p2; not used: is p2 down'],
    ['is BGP on p2 up? when did it start', 'BGP sessions on p2 as far back as is remembered'],
    ['is p2 slow? at which time', 'delay on p2 as far back as is remembered'],
    ['is p2 slow, how often', 'delay on p2 as far back as is remembered'],
  ]);
});

test('what a state is worth is named behind a question [TS-7a]', () => {
  allRead([
    ['Is p2 slow? Is that normal?', 'delay on p2; not used: Is that normal?'],
    ['p2 was rebooted, is it ok', 'uptime on p2 as far back as is remembered; not used: is it ok'],
    ['Is p2 slow? Can you check?', 'delay on p2'],
    ['check the link from p2 to p4, is it ok', 'what is wrong on the link between p2 and p4'],
    ['what was wrong with p2? is it ok', 'what is wrong on p2 as far back as is remembered'],
    ['eth1 on p2 flapped for ten minutes. is it ok', 'flaps on eth1 of p2 in the last 10 minutes'],
    ['p2 was slow yesterday, is it ok', 'delay on p2 yesterday; not used: is it ok'],
    ['check p2 and tell me', 'what is wrong on p2'],
    ['is the link between p2 and p4 up? please check and tell me', 'what is wrong on the link between p2 and p4'],
  ]);
});

test('a second question that asks of a time is read, beside a question of now [TS-7a]', () => {
  allRead([
    ['is bgp on p2 up? how often did it flap', 'BGP sessions on p2 as far back as is remembered'],
    ['is p2 slow? how often was it slow', 'delay on p2 as far back as is remembered'],
    ['is bgp on p2 up? since when was it down', 'BGP sessions on p2 as far back as is remembered'],
    [
      'p2 was down for 5 minutes. please have a look',
      'what is wrong on p2 as far back as is remembered; not used: for 5 minutes, please have a look',
    ],
  ]);
});

test('another time behind "and" is a second question [TS-7a]', () => {
  allRead([
    ['Is p2 slow? And yesterday?', 'delay on p2; not used: And yesterday?'],
    ['Is p2 slow? And since when?', 'delay on p2 as far back as is remembered'],
  ]);
});

test('a second question asks wherever its question word stands [TS-7a]', () => {
  const firsts = 'Is p2 down, Are there errors on p2, p2 is slow';
  const seconds =
    'also how many, also what should I do, by the way is it me, might it be me, tell us how many, let me know how many, I need to know how many, count how many, find out how many, um how many, anyway is it me, on which port, to which customer';
  const lost = firsts.split(', ').flatMap((first) =>
    seconds
      .split(', ')
      .flatMap((second) => [`${first}. ${second}`, `${first}, ${second}`, `${first} and ${second}`])
      .filter((question) => / on /.test(readOf(question)) && !/not used/.test(readOf(question))),
  );
  assert.deepEqual(lost, []);
});

test('a second thing behind the place of the first refuses, or is named [TS-7a]', () => {
  allRead([
    ['are there errors on p2 and loss', 'unclear'],
    ['show errors on p2 and the drops', 'unclear'],
    ['show the neighbours of p2, then the routes', 'show neighbours on p2; not used: then the routes'],
    ['show errors on p2. also show drops', 'errors on p2; not used: also show drops'],
    ['is p2 slow and down', 'unclear'],
    ['is p2 down and its neighbours', 'unclear'],
    ['is p2 down, with its links', 'unclear'],
    ['is p2 down and everything behind it', 'unclear'],
    ['check bgp on p2 and its peers', 'BGP sessions on p2'],
    ['did p2 lose adjacency with its neighbour p4', 'sessions on p2 with p4 as far back as is remembered'],
    ['p2 has lost all sessions with its neighbours', 'sessions on p2 as far back as is remembered'],
    ['sessions between p2 and its peer p4', 'sessions between p2 and p4'],
    ['adjacencies of p2 and its neighbours', 'sessions on p2'],
    ['errors on p2 and its interfaces', 'errors on p2'],
    ['errors on p2, with its interfaces', 'errors on p2'],
    ['what changed on p2 and its links in the last hour', 'changes on p2 in the last 1 hour'],
    ['check p2 and everything on it', 'what is wrong on p2'],
    ['is p2 down and rebooted', 'unclear'],
    ['is p2 down, by whom', 'changes on p2; not used: is p2 down,'],
    ['is there loss on p2 and how much traffic', 'packet loss on p2; not used: and how much traffic'],
  ]);
});

test('more questions than are read refuse [TS-7a]', () => {
  const few = 'How many? Is it me? What now? Is it serious?';
  assert.equal(readOf(`Is p2 slow? ${few}`), `delay on p2; not used: ${few.split(/(?<=[?]) /).join(', ')}`);
  assert.equal(readOf(`Is p2 slow? ${few} Does it matter?`), 'unclear');
  assert.equal(readOf(`is p2 slow${' - how'.repeat(50)}`), 'unclear');
});

test('a question of one protocol does not answer that of all, nor one of a node that of its interface [TS-7a]', () => {
  allRead([
    ['Is BGP up on p2? Are the sessions up on p2?', 'BGP sessions on p2; not used: Are the sessions up on p2?'],
    ['Are there errors on p2 since yesterday? On eth1?', 'errors on eth1 of p2 since yesterday'],
    ['We rebooted p2. Is everything up?', 'uptime on p2; not used: Is everything up?'],
    ['p2 is slow. is everything slow?', 'delay on p2; not used: is everything slow?'],
    ['Is p2 slow? Was it slow yesterday?', 'delay on p2 yesterday; not used: Is p2 slow?'],
    ['Is there loss on p2 since yesterday? Over SRv6?', 'packet loss on p2 over SRv6 since yesterday'],
    ['Did p2 reboot? Is it up?', 'uptime on p2 as far back as is remembered; not used: Is it up?'],
  ]);
});
