// What `parley doctor` asks the running agent about the node and the peers around it: routing daemons and LLDP that do not run, no peer that
// answers, peers of another version. These states leave every answer undecided, so that each is a failure with what to do. Judged here, asked in
// doctor.ts.

import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { HELPER_PART } from '#model/router/router-port.ts';

/** `warning`: an operator should know of it, and answers are as good as without. */
export type Judged = { readonly level: 'ok' | 'warning' | 'failure'; readonly detail: string };

const ok = (detail: string): Judged => ({ level: 'ok', detail });
const warning = (detail: string): Judged => ({ level: 'warning', detail });
const failure = (detail: string): Judged => ({ level: 'failure', detail });

/** Parts of a state without which links and paths cannot be told, and what to do. */
const PARTS: Readonly<Record<string, string>> = {
  neighbours: 'start lldpd ("systemctl start lldpd"), and see that the helper is in group _lldpd',
  adjacencies: 'start FRR ("systemctl start frr"), and see that the helper is in group frrvty',
  filters: 'see that nftables is installed, and that the helper has CAP_NET_ADMIN',
};

/** Of the daemons of FRR: those that were configured and are dead, zebra before all others. */
export function daemonsSaid(state: JsonObject): Judged {
  const rows = objectsIn(state['daemons']);
  const nameOf = (row: JsonObject) => String(row['name']);
  const dead = rows.filter((row) => row['alive'] === false).map(nameOf);
  const silent = rows.filter((row) => row['silent'] === true).map(nameOf);
  if (dead.length > 0)
    return failure(
      `${dead.join(', ')} of FRR ${dead.length === 1 ? 'does' : 'do'} not run: nothing that it does is seen; "systemctl restart frr", and "journalctl -u frr" says why it ended`,
    );
  if (silent.length > 0)
    return failure(`${silent.join(', ')} of FRR hangs or is too busy to answer: look at its CPU time, then restart it`);
  return rows.length === 0 ? ok('no routing daemon is asked') : ok(`${rows.map(nameOf).join(', ')} run`);
}

/** Of what cannot be read of the node at present. */
export function readingsSaid(state: JsonObject): Judged {
  const missing = objectsIn(state['missing']).map((row) => ({
    part: String(row['part']),
    reason: String(row['reason']),
  }));
  const [first] = missing;
  if (missing.some(({ part }) => part === HELPER_PART))
    return failure(
      'the privileged helper does not answer, and without it nothing of this node can be read: "systemctl start parley-helper", and "journalctl -u parley-helper" says why it ended',
    );
  if (first === undefined) return ok('every part of the node’s state can be read');
  const known = missing.find(({ part }) => Object.hasOwn(PARTS, part)) ?? first;
  const remedy = PARTS[known.part] ?? 'see the log of parley-helper';
  return failure(`${missing.map(({ part, reason }) => `${part} cannot be read (${reason})`).join('; ')}: ${remedy}`);
}

export type PeersAsked = {
  /** The answer of `parley-peers`. */
  readonly answer: JsonObject;
  /** Names of peers with which sessions were open in the last days, from the state folder. */
  readonly remembered: readonly string[];
  readonly version: string;
};

/** Nothing between two nodes can be told by one: an agent without a peer decides little. */
export function peersSaid({ answer, remembered, version }: PeersAsked): Judged {
  const peers = objectsIn(answer['peers']);
  const nameOf = (peer: JsonObject) => String(peer['node']);
  const verified = peers.filter((peer) => peer['verified'] === true);
  // Those at a loopback address are no peers that another could be told of.
  const told = Array.isArray(answer['answered']) ? answer['answered'].map(String) : [];
  const answered = new Set([...verified.map(nameOf), ...told]);
  const lost = remembered.filter((node) => !answered.has(node));
  if (answered.size === 0 && lost.length > 0)
    return failure(
      `none answers, and ${lost.join(', ')} did before: see that their agents run ("parley doctor" there), that TCP port 9514 is open between the nodes, and that both have certificates of one CA`,
    );
  if (answered.size === 0)
    return warning(
      `no other agent has been found yet${peers.length === 0 ? '' : ` (heard of ${peers.map(nameOf).join(', ')})`}: a link is judged by both of its ends; install an agent on a neighbour, or name one under discovery.static`,
    );
  const others = verified.filter(
    (peer) => typeof peer['version'] === 'string' && !isLike(String(peer['version']), version),
  );
  if (others.length > 0)
    return warning(
      `${others.map((peer) => `${nameOf(peer)} has version ${String(peer['version'])}`).join(', ')}, this node ${version}: upgrade the older ones; what only one side knows is not asked`,
    );
  const unsaid = verified.filter((peer) => typeof peer['version'] !== 'string').map(nameOf);
  const unknown = unsaid.length === 0 ? '' : `; version not given by ${unsaid.join(', ')}`;
  const gone = lost.length === 0 ? '' : `; not since this agent started: ${lost.join(', ')}`;
  const known = new Set([...answered, ...peers.map(nameOf)]);
  return ok(`${answered.size} of ${known.size} known answered${unknown}${gone}`);
}

/** Versions that differ in their last number work alike. */
function isLike(one: string, other: string): boolean {
  return one.split('.').slice(0, 2).join('.') === other.split('.').slice(0, 2).join('.');
}

/** Peers that say something of themselves that does not hold: another CA, another certificate, the name of this node. */
export function remarksSaid(answer: JsonObject): Judged {
  const lying = objectsIn(answer['remarks']).filter((row) => row['kind'] === 'lying');
  if (lying.length === 0) return ok('no peer contradicts its certificate');
  return failure(
    `${lying.map((row) => `${String(row['node'])}: ${String(row['detail'])}`).join('; ')}: compare the CA of both ("parley identity" shows it), and enrol the one that has another`,
  );
}

/** Of the port that the agent listens on, where no agent answers on its socket. */
export function portSaid(port: number, takenBy: string | undefined): Judged {
  if (takenBy === undefined) return ok(`TCP port ${port} is free`);
  return failure(
    `TCP port ${port} cannot be opened (${takenBy}): "ss -ltnp sport = :${port}" names the program that has it; end that, or set listen.port`,
  );
}

/** Of the memory of days. */
export function memorySaid({
  bytes,
  mostBytes,
  reachMs,
}: {
  readonly bytes: number;
  readonly mostBytes: number;
  readonly reachMs: number;
}): Judged {
  const size = `${(bytes / 1e6).toFixed(1)} of ${(mostBytes / 1e6).toFixed(1)} MB on disk`;
  const days = reachMs / 86_400_000;
  const reach = days >= 2 ? `${days.toFixed(1)} days` : `${(days * 24).toFixed(1)} hours`;
  return bytes === 0 ? ok('nothing yet') : ok(`${size}, reaches back ${reach}`);
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}
