// Words that say what is asked. A weak one counts only where no other does: "down" of a BGP session is about the session.
import type { Topic } from '#model/intent.ts';
import type { Meaning } from './meaning.ts';

type Row = readonly [Meaning, string];

function strong(topic: Topic, phrases: string): Row {
  return [{ kind: 'topic', topic }, phrases];
}

function weak(topic: Topic, phrases: string): Row {
  return [{ kind: 'topic', topic, weak: true }, phrases];
}

function past(topic: Topic, phrases: string): Row {
  return [{ kind: 'topic', topic, past: true }, phrases];
}

function weakPast(topic: Topic, phrases: string): Row {
  return [{ kind: 'topic', topic, weak: true, past: true }, phrases];
}

const MEASURED: readonly Row[] = [
  strong(
    'loss',
    'loss, losses, packet loss, packetloss, pkt loss, pkts lost, pkt drops, lossy, lose packets, loses packets, losing packets, lost packets, packets lost, packet lost, packets are lost, loose packets, loosing packets, packet drop, packet drops, drop, drops, dropping, drop packets, drops packets, dropping packets, drop traffic, dropping traffic, discard, discards, discarding, discarded packets, output drops, input drops, missing packets, go missing, goes missing, going missing, gone missing, black-hole, blackhole, blackholing, black-holing, blackholed, black hole, eats packets, eating packets, eat packets, eats traffic, eating traffic, vanish, vanishes, vanishing, packets vanish, disappear, disappears, disappearing, get dropped, gets dropped, are dropped, is dropped, being dropped, swallows packets, swallow',
  ),
  weak('loss', 'lose, loses, losing, loose its, loose the, looses, loosing'),
  weakPast('loss', 'lost, dropped, discarded'),
  strong(
    'delay',
    'delay, delays, delayed, lat, how quick, how quickly, slowdown, slowdowns, high ping, bad ping, high pings, ping is high, ping is bad, how long do packets take, how long does a packet take, how long does a packet need, how long do packets need, how long does it take, how long does traffic take, how many milliseconds, how many ms, lagging badly, badly lagging, latency, latencies, slow, slowly, slower, slowness, sluggish, laggy, lag, rtt, round trip time, round-trip time, round trip, round-trip, ping time, ping times, response time, response times, takes too long, takes long, take long, taking long, takes so long, how much time take, how much time takes, how much time does it take, how much time do packets take, how much time does a packet take, taking so long, takes very long, slow downloads,  high latency, slow connection',
  ),
  strong(
    'jitter',
    'jitter, jittery, delay variation, delay variations, packet delay variation, pdv, ipdv, latency variation, variation of delay, variation of latency',
  ),
  strong(
    'capacity',
    'throughput, thruput, tput, transfer rate, transfer rates, data rate, speed test, speedtest, speed tests, iperf, iperf3, how many mbit, how many megabit, how many megabits, how many mbits, how many mbps, how many gbps, how many gigabit, how many gigabits, how much can we send, how much can we push, how much can be sent, how much can i send, how fast, how full, bandwidth, goodput, capacity, bw, bw headroom, headroom, bandwidth headroom, congestion, congested, saturated, saturation, overloaded, overload, speed, downloads, uploads, transfers, file copy, file copies, file transfers, big transfers, backups, copies, copying, bottleneck',
  ),
  weak(
    'delay',
    'crawl, crawls, crawling, stall, stalls, stalling, stutter, stutters, choppy, jerky, freeze, freezes, hang, hangs, hanging, sound choppy, break up, video, video calls, voice, voice calls, voip, voip quality, calls, streaming, meetings, quality, web pages load',
  ),
  weak('capacity', 'terrible, poor, awful, bad throughput, fast'),
  strong(
    'mtu',
    'mtu, path mtu, pmtu, fragmentation, fragment, fragmented, jumbo, jumbo frames, jumbos, big packets, large packets, big frames, large frames, packet size, oversized packets, packets big, frames big, packets large, mtu problem, mtu mismatch, mtu size, mss, pmtud, path mtu discovery, largest packet, biggest packet, largest packets, biggest packets, largest frame, biggest frame, maximum packet size, max packet size, packet sizes, how big can a packet be, how large can a packet be, how big can packets be, how large can packets be, big pings, large pings, small packets, frame size',
  ),
  strong(
    'errors',
    'error, errors, errs, crc, crcs, crc error, crc errors, crc error count, error count, error counter, error counters, checksum, checksums, checksum error, checksum errors, wrong checksum, corrupt, corrupted, corrupted packets, corruption, corrupts, damaged, damaged packets, fcs, bit errors, input errors, output errors, rx errors, tx errors, interface errors, bad frames, bad packets, faulty frames, broken frames, damaged frames, corrupt frames, corrupted frames, runts, giants, runts or giants, symbol errors, frame errors, framing errors, alignment errors, collisions, late collisions, errored frames, errored, corrupting',
  ),
];

const STATES: readonly Row[] = [
  strong(
    'flap',
    'flap, flaps, flappy, flapping, flapped, link flap, link flaps, bouncing, bounces, bounced, up and down, goes up and down, going up and down, go up and down, keeps going up and down, unstable, went up and down, keeps going down, keeps bouncing',
  ),
  past(
    'flap',
    'changed state, changed state to, changed its state, changed state from, state changed, changes state, go down, last go down, went down, last went down, gone down, last down, come up last, went off, last go up, go up, go off, last flap, carrier lost, lost carrier, lost its carrier, lost the carrier, no carrier, link lost, lost link, lost its link, last flapped, last go down and up, fell over',
  ),
  strong(
    'reach',
    'reach, ping6, is there a route, is there a route to, is there a route from, has a route, has a route to, reaches, reached, reaching, reachable, reachability, unreachable, not reachable, connectivity, ping, pings, pinging, pingable, get through, gets through, getting through, go through, get out, get anywhere, gets anywhere, getting anywhere, go anywhere, get nowhere, gets nowhere, host unreachable, no route, no route to, no route for, has no route to, has no route, have no route to, route to host, no internet, no path to, no way to, time out, times out, timing out, timed out, timeout, timeouts, cut off, invisible, offline from',
  ),
  weak(
    'reach',
    'contact, lost contact, lost contact with, lost contact to, pass, passes, connection, connections, conn, conns, connect, connects, connected, communicate, communication, respond, responds, responding, response, answer, answers, answering, talk, talking, load, loads, loading, open',
  ),
  past(
    'reach',
    'lost connection, lost connection to, lost the connection, lost the connection to, lost connectivity, lost connectivity to, lost our connection to, lost its connection to',
  ),
  strong(
    'trouble',
    'wrong, strange, strangely, strange behaviour, strange behavior, odd behaviour, odd behavior, weird behaviour, weird behavior, behaves badly, what is the story, the story with, the story on, the deal with, smells funny, internet is slow, slow internet, internet slow, internet very slow, internet is down, internet is gone, internet is dead, internet is broken, internet down, internet gone, worng, broken, break, breaks, broke, problem, problems, issue, issues, trouble, troubles, prob, probs, fault, faults, faulty, outage, outages, failure, failures, incident, anomaly, anomalies, weird, odd, fishy, alarms, any alarms, alerts, misconfigured, misconfiguration, crash, crashed, crashes, crashing, died, dead, dying, going on, what is up, what is up with, act up, acts up, acting up, acting odd, acting strange, acting strangely, acting weird, acting funny, misbehaves, misbehaving, misbehave, behaves oddly, behaves strangely, behaves weirdly, sick, unwell, hung, frozen, struggling, in trouble, degraded, impaired, hijack, hijacked, hijacking, hijacking prefixes, route leak, is there a route leak, there a route leak, leak, leaks, route leaks, any route leaks, leak routes, leaks routes, leaking routes, leaked routes, rpki, rpki invalid, churn, churning, route churn, out of memory, oom, oom killed, oom killer, out of disk, out of disk space, disk full, full disk, disk is full, no space left, no space left on device, read-only file system, too many open files, polarised, polarized, polarised hashing, hashing polarised, hashing polarized, hashing is polarised, version skew, two masters, no master, unhealthy, malfunction, malfunctions, not right, not normal, abnormal, availability, failover, failovers, switchover, switchovers, dhcp, dhcp address, no dhcp address, leases, no address, dhcp leases, nothing works, not much works, hardly anything works, on fire, melting',
  ),
  weak(
    'trouble',
    'worry about, have to worry about, need to worry about, down, up, up or down, down or up, offline, online, ok, okay, fine, good, bad, well, healthy, health, health check, check, checking, checks, verify, test, testing, investigate, inspect, diagnose, diagnosis, troubleshoot, debug, examine, analyze, analyse, audit, measure, probe, look at, look into, look after, look on, watch, monitor, state, status, condition, alive, there is, stops, stops at, working, work, works, function, functions, functioning, not working, fail, fails, failed, failing, stable, stability, steady, doing, doing fine, doing well, doing ok, all right, alright, alright with, sane, clean, safe, normal, quiet, silent, unresponsive, away, misses, missing, gone, stuck, happening, up/down, down/up, updown, solved, resolved, fixed, recovered, what happens on, what happens at, admin down, admin shut, administratively down, err-disabled, errdisabled, refused, rejected, denied, is back, it is back, its back, are back, back up, back again, back online, came back, come back, comes back, came back up, is back up, is back again, is back online, what about, what of, how about, how are things, how are things with, how is, how are, make a test, make a test of, clear of, what is with',
  ),
  weakPast(
    'trouble',
    'went wrong, gone wrong, go wrong, goes wrong, disappeared, vanished, happened, happened to, happened on, happened with, what happened, what happen, rebooting, restarting, interrupted, stopped working, was up, handover, handover summary, handover report, shift handover, shift report, shift summary, incident summary, outage summary',
  ),
];

const SESSIONS: readonly Row[] = [
  strong(
    'session',
    'peer with, peers with, adjacent, adjacent to, peered, session, sessions, sess, adjacency, adjacencies, adjacence, peering, peerings, neighborship, neighbourship, adj, adjs, hold timer, hold timer expired, adjchange, adjchg',
  ),
  weak(
    'session',
    'exstart, exchange, opensent, openconfirm, two-way, 2-way, established, idle, active, init, establishing, resets, resetting, keeps resetting, establish, come up, came up, comes up',
  ),
];

const REMEMBERED: readonly Row[] = [
  past(
    'changes',
    'changed, chg, chgs, what changed, has been done, has been done on, has been done to, have been done, was done on, was done to, been done, been done on, been done to, config diff, configuration diff, diff of the config, diff of config, config history, configuration changed, config changed, the config was changed,  anything new, what is new, news, who shut down, who shut, was shut down, was shut, was disabled, who disabled, who enabled, who configured, who removed, who deleted, who added, who broke, what was done, changes, config changes, configuration changes, been changed, was changed, were changed, modified, altered, touched, touched the configuration, touched the config, touch, reconfigured, changed something, changed anything, changed the config, changed the configuration, configured, edited, commits, changed what, recent changes, configuration history, settings were changed, settings changed, setting changed, latest changes, last changes, last change, latest change, recent change, config change, configuration change, any change, change log, changelog, by whom, changed anything on, change something, change anything, anything change, anything changed, something changed, been modified, been touched, changes was made, changes were made, changes made, did what',
  ),
];

const DATA: readonly Row[] = [
  past(
    'history',
    'timeline, timeline of, event history, event log, history of events, a timeline, the timeline, the timeline of, event log, event log of',
  ),
  weak('uptime', 'how long since, how long has, how long is, how long have, how long'),
  past('trouble', 'been down, been offline, been unreachable, how long was'),
  past(
    'uptime',
    'reboot, restart, reboots, restarts, rebooted, restarted, reloaded, did restart, did reboot, did restart',
  ),
  [
    { kind: 'topic', topic: 'path' },
    'trace, traceroute, traceroute6, which interface does, which port does, which link does, which links does, which interfaces does, how do packets get, how do packets go, how does traffic go, how do packets travel, tracert, trace route, tracepath, mtr, which way, what path, which path, which route, what route, what way, hops, hop by hop, route used, path taken, path of traffic, path of packets, path of the traffic, path of the packets, where goes the traffic, where goes traffic, where does traffic go, which path does, next hop, next hops, how does traffic get',
  ],
  weak('path', 'path, route, routes, routing'),
  [
    { kind: 'topic', topic: 'traffic' },
    'how much traffic, how much traffic is on, bandwidth usage, link usage, bandwidth use, traffic rate, utilization, utilisation, util, how busy, how loaded, input rate, output rate, bit rate, bitrate, packet rate, traffic load, bits per second, packets per second, traffic on, traffic of, traffic volume, throughput on interface, load of',
  ],
  weak('traffic', 'traffic, busy'),
  strong(
    'interfaces',
    'which interfaces, which ports, what ip addresses, what addresses, ip addresses of, which ip addresses, what ip address, what ips, list of interfaces, interface list, what is the mtu, the mtu of, mtu of, mtu on, what is the mtu of, which addresses, ip address of, addresses of, address of, what is the ip of, what is the address of, interface status, port status, show interfaces, list interfaces',
  ),
  strong(
    'nodes',
    'how many routers, how many nodes, how many devices, how many switches, which nodes do you know, which routers do you know, which nodes are there, which routers are there, list nodes, list routers, list all nodes, list all routers, show nodes, show routers, known nodes, known routers, what nodes, what routers, which nodes exist, which routers exist, which nodes do we have, which routers do we have, show all routers, show all nodes, list the nodes, list the routers, show me the nodes, show me the routers, show me all routers, show me all nodes',
  ),
  [
    { kind: 'topic', topic: 'counters' },
    'counters, counter, statistics, stats, interface counters, interface statistics, packet counters',
  ],
  [
    { kind: 'topic', topic: 'uptime' },
    'uptime, up time, up since, since when up, last reboot, last restart, last boot, boot time, booted, reboot time, has rebooted, did reboot, restarted when, when rebooted, been up',
  ],
  [
    { kind: 'topic', topic: 'connected' },
    'which hosts, what hosts, which devices, what is behind, what is on, who is behind, who is connected, what is connected, who is connected to, what is connected to, who is plugged into, what is plugged into, who is attached to, what is attached to, connected devices, attached devices, what hangs off, what hangs on, connected hosts, at the other end of, the other end of, other end of, the other side of, on the other end of, on the other side of, at the far end of, the far end of, who is on, lldp, lldp neighbors, lldp neighbours, cdp',
  ],
  weak('where', 'where is, live'),
  [
    { kind: 'topic', topic: 'where' },
    'where lives, who has, who owns, which router owns, which node owns, which router has, which node has, whose is, owner of, owns, lives, located, belong to, belongs to, locate',
  ],
  [
    { kind: 'topic', topic: 'neighbours' },
    'who is neighbor, who is neighbour, who is neighbor with, who is neighbour with, neighbor table, neighbour table, neighbors of, neighbours of, neighbors from, neighbours from, list of neighbors, list of neighbours, peers of',
  ],
];

export const TOPIC_WORDS: readonly Row[] = [...MEASURED, ...STATES, ...SESSIONS, ...REMEMBERED, ...DATA];
