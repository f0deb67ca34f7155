// How operators talk, where no network is known: each sentence with what it asks, and about whom; and sentences that are no question.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIntent } from '#intent/parse.ts';
import { processorMsOf } from '../processor-time.ts';

const SENTENCES: readonly (readonly [string, string])[] = [
  ['r1 lost r2', 'reachability r1 r2'],
  ['r1 has lost contact with r2', 'reachability r1 r2'],
  ["PE-1 can't see P-2 anymore", 'reachability PE-1 P-2'],
  ['r1 no longer sees r2', 'reachability r1 r2'],
  ["r1 and r2 don't see each other", 'reachability r1 r2'],
  ['can r1 see r3?', 'reachability r1 r3'],
  ['r3 is unreachable from r1', 'reachability r1 r3'],
  ['why is PE-3 not reachable from PE-1?', 'reachability PE-1 PE-3'],
  ['no route to 198.51.100.7 from r1', 'reachability r1 198.51.100.7'],
  ['r1 has no route to 198.51.100.7', 'reachability r1 198.51.100.7'],
  ['r1 -> r3 times out', 'reachability r1 r3'],
  ['high RTT from r1 to r2', 'reachability r1 r2'],
  ['throughput between r1 and r2 is bad', 'reachability r1 r2'],
  ['throughput from r1 to r3 dropped to a tenth', 'reachability r1 r3'],
  ['bandwidth between r1 and r3 is terrible', 'reachability r1 r3'],
  ['downloads from r1 to r3 crawl', 'reachability r1 r3'],
  ['file transfers hang between r1 and r3', 'reachability r1 r3'],
  ['big transfers stall between PE-1 and PE-3', 'reachability PE-1 PE-3'],
  ['voice calls between r1 and r2 sound choppy', 'reachability r1 r2'],
  ["large packets don't get through from r1 to r3", 'reachability r1 r3'],
  ['packets go missing between r1 and r3', 'path-loss r1 r3'],
  ['we lose packets between r1 and r3', 'path-loss r1 r3'],
  ['intermittent drops from r1 to r3 via r2', 'path-loss r1 r2 r3'],
  ['video calls stutter', 'fault'],
  ['web pages load slowly behind r2', 'fault r2'],
  ['users complain that everything is slow', 'fault'],
  ['users behind r1 complain', 'fault r1'],
  ['customers behind PE-1 report timeouts', 'fault PE-1'],
  ['nothing works', 'fault'],
  ['nothing works behind r2', 'fault r2'],
  ['DNS does not work behind r1', 'fault r1'],
  ['why is r2 dropping traffic?', 'fault r2'],
  ['r2 drops packets', 'fault r2'],
  ['is something up with r2?', 'fault r2'],
  ['r2 is acting up', 'fault r2'],
  ['r2 misbehaves', 'fault r2'],
  ['r2 rebooted', 'data r2'],
  ['did spine1 crash?', 'fault spine1'],
  ['please check r1', 'fault r1'],
  ['have a quick look at r1', 'fault r1'],
  ['investigate leaf2', 'fault leaf2'],
  ['debug the router PE-1', 'fault PE-1'],
  ['the link r1-r2 keeps bouncing', 'interface-fault r1 r2'],
  ['r1 eth1 keeps going up and down', 'interface-fault r1 eth1'],
  ['CRC errors on r1 eth1', 'interface-fault r1 eth1'],
  ["BGP between r1 and r2 won't come up", 'neighbour-down r1 r2 bgp'],
  ['BGP between r1 and r2 keeps resetting', 'neighbour-down r1 r2 bgp'],
  ['r1 does not peer with r2', 'neighbour-down r1 r2'],
  ['OSPF stuck in ExStart on r1', 'neighbour-down r1 ospf'],
  ['IS-IS on r1 lost its neighbor', 'neighbour-down r1 isis'],
  ['why is r1 slow talking to r2', 'reachability r1 r2'],
  ['why does r1 not see r2', 'reachability r1 r2'],
  ['is there congestion between r1 and r2?', 'reachability r1 r2'],
  ["jumbo frames don't pass from r1 to r3", 'reachability r1 r3'],
  ['what is wrong with 198.51.100.7?', 'reachability 198.51.100.7'],
  ['HTTP to 198.51.100.7 fails', 'reachability 198.51.100.7'],
  ['web server 198.51.100.7 is not answering', 'reachability 198.51.100.7'],
  ['why does http://198.51.100.7/ not load from r1', 'reachability r1 198.51.100.7'],
  ['packet loss from r1 to 198.51.100.7', 'reachability r1 198.51.100.7'],
  ['who drops traffic to 198.51.100.0/24?', 'reachability 198.51.100.0/24'],
  ['verify loss on r1 - r2 - r3', 'path-loss r1 r2 r3'],
  ['r1 is slow', 'fault r1'],
  ['r1 has been flapping', 'fault r1'],
  ['PE-1 is down', 'fault PE-1'],
  ['r2 has problems', 'fault r2'],
  ['how is r1?', 'fault r1'],
  ['is r1 alive?', 'fault r1'],
  ['"is r1 in trouble?"', 'fault r1'],
  ['packet loss on r1', 'fault r1'],
  ['checksum errors on r1', 'fault r1'],
  ['give me a health check of r1', 'fault r1'],
  ['hosts on r1 get no DHCP address', 'fault r1'],
  ['corrupted packets between r1 and r2', 'fault r1 r2'],
  ['is everything all right?', 'fault'],
  ['how is the network doing?', 'fault'],
  ['which router is misconfigured?', 'fault'],
  ['is someone hijacking my prefixes?', 'fault'],
  ['is there a route leak?', 'fault'],
  ['does r1 leak routes?', 'fault r1'],
  ['is anything RPKI invalid?', 'fault'],
  ['is r2 out of memory?', 'fault r2'],
  ['is the disk full on r2?', 'fault r2'],
  ['is there route churn?', 'fault'],
  ['are there two masters on r1?', 'fault r1'],
  ['is SRv6 working?', 'fault'],
  ['any alarms?', 'fault'],
  ['check all links', 'fault'],
  ['eth1 on r1 has errors', 'interface-fault r1 eth1'],
  ['is the link r1-r2 saturated', 'reachability r1 r2'],
  ['What is wrong?', 'fault'],
  ['is the network healthy?', 'fault'],
  ['something is broken', 'fault'],
  ['what is wrong with PE-1?', 'fault PE-1'],
  ['troubleshoot r2', 'fault r2'],
  ['any problems on spine1?', 'fault spine1'],
  ['What is wrong on the path from r1 to r3?', 'reachability r1 r3'],
  ['Why is BGP neighbor 192.0.2.1 down?', 'neighbour-down bgp 192.0.2.1'],
  ['why is BGP neighbour 192.0.2.1 down on r1', 'neighbour-down r1 bgp 192.0.2.1'],
  ['Why is IS-IS neighbour P-2 down on PE-1?', 'neighbour-down PE-1 isis P-2'],
  ['why did PE-1 lose its IS-IS adjacency with P-2?', 'neighbour-down PE-1 isis P-2'],
  ['bgp session between r1 and r2 is down', 'neighbour-down r1 r2 bgp'],
  ['What is wrong with interface eth1 on PE-1?', 'interface-fault PE-1 eth1'],
  ['check the link between PE-1 and P-2', 'interface-fault PE-1 P-2'],
  ['r1 eth1 is down', 'interface-fault r1 eth1'],
  ['Why can PE-1 not reach PE-3?', 'reachability PE-1 PE-3'],
  ['no connectivity between r1 and r3', 'reachability r1 r3'],
  ['cant ping 198.51.100.7 from r1', 'reachability r1 198.51.100.7'],
  ['{kind: fault}', 'fault'],
  ['kind: reachability\nnodes: [a, b]', 'reachability a b'],
  ['{kind: neighbour-down, protocol: bgp, neighbour: 192.0.2.1, nodes: [PE-1]}', 'neighbour-down PE-1 bgp 192.0.2.1'],
];

for (const [sentence, expected] of SENTENCES)
  test(`reads "${expected}" from ${JSON.stringify(sentence)} [TS-7a]`, () => {
    const parsed = parseIntent(sentence);
    assert.ok(parsed.ok, JSON.stringify(parsed));
    const { kind, path, protocol, neighbour, ifname, destination, text } = parsed.intent;
    const words = [kind, ...path.map((node) => node.as), protocol, neighbour, ifname, destination];
    assert.equal(words.filter((word) => word !== undefined).join(' '), expected);
    assert.equal(text, sentence);
  });

for (const sentence of ['what time is it', 'help', 'tell me a joke', 'make me a coffee', 'what is the meaning of life'])
  test(`refuses ${JSON.stringify(sentence)} [TS-7a]`, () => assert.equal(parseIntent(sentence).ok, false));

test('no sentence takes long', () => {
  const tookMs = processorMsOf(() => {
    for (const start of ['why ', 'video ', 'r1 has ', 'please check ', 'link ', 'wrogn ', '1:', 'a-', '['])
      parseIntent(start.repeat(2_000).slice(0, 1_999));
  });
  assert.ok(tookMs < 5_000);
});

test('a word beside the arrows of a path is a node, whatever else it means [TS-7a]', () => {
  const known = { here: 'br1', nodes: ['core', 'dc', 'br2'] };
  const pathIn = (question: string, names = {}) => {
    const parsed = parseIntent(question, names);
    return parsed.ok ? parsed.intent.path.map(({ key }) => key) : parsed.understood;
  };
  assert.deepEqual(pathIn('is the path br1 -> core -> br2 dropping packets?', known), ['br1', 'core', 'br2']);
  assert.deepEqual(pathIn('is the path pe1 -> core -> pe3 dropping packets?'), ['pe1', 'core', 'pe3']);
  assert.deepEqual(pathIn('loss core -> br2', known), ['core', 'br2']);
  assert.deepEqual(pathIn('loss br1 -> core', known), ['br1', 'core']);
});
