// A service that hosts of a router use and that their router shows does not reach them: its own try from their port was not answered although
// the service and the way are there; or a rule that was not there before takes what a host was heard to send, or sends it where its node was
// given no answer. Tries of the server itself cannot show this, as what a router sends passes neither its forwarding chains nor its prerouting
// ones. Where a rule sends it to, and whether a server is there, is not always tried: then that is lacking (redirectProof).
import { isIpAddress } from '#base/ip.ts';
import { nodeResource } from '#model/names.ts';
import { type NewDestination, newDestinationOf } from '#model/router/filter-rewrites.ts';
import {
  demands,
  FORWARDING_HOOKS,
  mayTake,
  networkOf,
  type Packet,
  taking,
  wordsOf,
} from '#model/router/packet-match.ts';
import type { FilterRule } from '#model/router/router-port.ts';
import type { Proof } from '../engine/facts.ts';
import { defineOwnSymptom, type Symptom } from '../engine/symptom.ts';
import { type Walk, walk } from '../network/forwarding.ts';
import { attachedTo } from '../network/hosts.ts';
import { nodeRef } from '../network/node-ref.ts';
import { hasCome } from '../network/remembered.ts';
import type { ServiceProbeSeen } from '../network/service-tries.ts';
import { sourcesOf, type View, type World } from '../network/world.ts';
import { isDropping, isPolicy } from '../packet-filter/dropping-rules.ts';
import { kindOf } from '../packet-filter/filter-kinds.ts';
import { letsSome } from '../packet-filter/missed-services.ts';

export type UsedServiceDetail = {
  /** Node where it happens; for a try without an answer the router that made it. */
  readonly node: string;
  readonly how: 'dropped' | 'sent-elsewhere' | 'unanswered';
  readonly host?: string;
  readonly server: string;
  readonly port: number;
  /** Of a rule: what it is against, what it selects, and packets that it took since it is there. */
  readonly against?: string;
  readonly rule?: string;
  readonly packets?: number;
  /** Where it sends the packets instead: `to 192.0.2.1`. */
  readonly to?: string;
};

export const usedService = defineOwnSymptom<UsedServiceDetail>('used-service');

export function usedServiceSymptoms(world: World): readonly Symptom<UsedServiceDetail>[] {
  const questions = questionsIn(world);
  const all = [...questions.flatMap((question) => takenOnTheWay(world, question)), ...unansweredTries(world)];
  return [...new Map(all.map((symptom) => [symptom.id, symptom])).values()];
}

/** A host behind a router was heard to ask a name server, which served lately. */
type Question = {
  readonly view: View;
  readonly ifname: string;
  readonly host: string;
  readonly server: string;
  /** Towards the server; absent where it is on another port of the same router. */
  readonly way?: Walk;
};

const DNS_PORT = 53;

function questionsIn(world: World): readonly Question[] {
  const served = [...world.views.values()].flatMap(({ state }) => state.history?.services ?? []);
  return [...world.views.values()].flatMap((view) =>
    (view.state.history?.heard ?? []).flatMap(({ what, ifname, from: host, to: server }): readonly Question[] => {
      const isServer = served.some(
        ({ address, service, port }) => address === server && service === 'udp' && port === DNS_PORT,
      );
      const at = attachedTo(world, host);
      const near = attachedTo(world, server);
      if (what !== 'dns-query' || !isServer || at?.node !== view.node || at.ifname !== ifname || near === undefined)
        return [];
      if (near.node === view.node) return near.ifname === ifname ? [] : [{ view, ifname, host, server }];
      const way = walk(world, view.node, near.routerAddress);
      return way.endings.every(({ kind }) => kind === 'delivered') ? [{ view, ifname, host, server, way }] : [];
    }),
  );
}

/** The question and its answer. */
function packetsOf({ host, server }: Question): readonly Packet[] {
  const network = networkOf(server);
  return [
    { network, protocol: 'udp', sources: [host], destinations: [server], destinationPort: DNS_PORT },
    { network, protocol: 'udp', sources: [server], destinations: [host], sourcePort: DNS_PORT },
  ];
}

function takenOnTheWay(world: World, question: Question): readonly Symptom<UsedServiceDetail>[] {
  const nodes = [...new Set([question.view.node, ...(question.way?.nodes ?? [])])];
  return nodes.flatMap((node) => {
    const view = world.views.get(node);
    if (view === undefined) return [];
    return view.state.filters
      .filter((rule) => isNewInTheWay(world, view, rule, question))
      .flatMap((rule) => takenBy(world, view, rule, question));
  });
}

/** Only a rule of which all is known that it demands, that was not there before, and that no earlier rule of its chain softens. */
function isNewInTheWay(world: World, { node, state }: View, rule: FilterRule, question: Question): boolean {
  return (
    FORWARDING_HOOKS.has(rule.hook) &&
    rule.matchesRest !== true &&
    rule.matches !== undefined &&
    !demands(rule, 'sample') &&
    (rule.outInterfaces.length === 0 || rule.inInterfaces.length === 0) &&
    boundFits(rule, node, question) &&
    (isDropping(rule)
      ? packetsOf(question).some((packet) => taking(rule, packet) === 'yes') && !isPolicy(world, rule)
      : newDestinationOf(rule) !== undefined && mayTake(rule, packetsOf(question)[0]!)) &&
    !letsSome(state.filters, rule) &&
    hasCome(world, node, rule)
  );
}

/** Bound to ports, it is in the way where the host's own is one of them: which port of another node is crossed may change. */
function boundFits({ inInterfaces, outInterfaces }: FilterRule, node: string, { view, ifname }: Question): boolean {
  const bound = [...inInterfaces, ...outInterfaces];
  return bound.length === 0 || (view.node === node && bound.includes(ifname));
}

function takenBy(
  world: World,
  view: View,
  rule: FilterRule,
  question: Question,
): readonly Symptom<UsedServiceDetail>[] {
  const { host, server } = question;
  const { node } = view;
  const packets = rule.packets === undefined ? undefined : Number(rule.packets);
  // It counts, and took nothing yet: no harm is shown.
  if (packets === 0) return [];
  const to = isDropping(rule) ? undefined : newPlace(newDestinationOf(rule)!, question);
  const there = to === undefined ? undefined : serverAt(world, node, to);
  if (there !== undefined && !isHarm(there, rule)) return [];
  const what =
    there === undefined
      ? `drops what host ${host} sends to the name server ${server}`
      : `sends elsewhere (${placeWords(to!)}) what host ${host} sends to the name server ${server}`;
  const silence = there === undefined ? '' : `; no name server answered ${nodeRef(node)} there`;
  const against = kindOf(rule);
  return [
    usedService.raise({
      id: `used-service:${node} ${rule.family} ${rule.table} ${rule.chain} ${rule.handle}`,
      subject: nodeResource(node),
      text: `a packet filter of ${nodeRef(node)} (${wordsOf(rule)}) ${what}, and was not there before${packets === undefined ? '' : `; it took ${packets} packets`}${silence}`,
      source: [...(there?.sources ?? []), ...sourcesOf(world, node, question.view.node)],
      nodes: [...new Set([node, question.view.node])],
      clue: 'service',
      detail: {
        ...{ node, how: to === undefined ? 'dropped' : 'sent-elsewhere', host, server, port: DNS_PORT },
        rule: wordsOf(rule),
        ...(to === undefined ? {} : { to: placeWords(to) }),
        ...(against === undefined ? {} : { against }),
        ...(packets === undefined ? {} : { packets }),
      },
    }),
  ];
}

/** An address that is \`own\` or \`another\` (NewDestination) cannot be tried. */
type Place = { readonly address: string; readonly port: number };

function newPlace({ address, port = DNS_PORT }: NewDestination, { server }: Question): Place {
  return { address: address === 'same' ? server : address, port };
}

function placeWords({ address, port }: Place): string {
  const at = port === DNS_PORT ? '' : ` port ${port}`;
  if (isIpAddress(address)) return `to ${address}${at}`;
  return address === 'own' ? `to the node itself${at}` : 'to an address that the rule does not say';
}

type There = { readonly is: 'served' | 'silent' | 'refused' | 'untried'; readonly sources: readonly string[] };

/**
 * Whether a name server is there. Refused: every try of this node at that very port. Silent: none of several was answered, and no echo
 * beside them, as a host that is there may answer its own hosts alone. A try that found no route shows nothing on a node whose rules choose
 * other tables for what it forwards.
 */
function serverAt(world: World, node: string, { address, port }: Place): There {
  const isSeen = [...world.views.values()].some(({ state }) =>
    (state.history?.services ?? []).some(
      (row) => row.address === address && row.service === 'udp' && row.port === port,
    ),
  );
  const all = world.serviceProbes.filter((each) => each.destination === address && each.via === undefined);
  const tries = all.filter((each) => each.service === 'udp' && each.port === port);
  if (isSeen || tries.some(({ open }) => open)) return { is: 'served', sources: [] };
  const mine = tries.filter(({ from }) => from === node);
  const echoes = all.filter(({ from, service }) => from === node && service === 'echo');
  const sources = [...mine, ...echoes].map(({ source }) => source);
  const wasSent = [...mine, ...echoes].every(({ sent }) => sent > 0) || choosesByMainTable(world, node, address);
  const isRefused = mine.every(({ answered }) => answered);
  const isDead = mine.every(({ answered }) => !answered) && echoes.length > 0 && !echoes.some(isAnswered) && wasSent;
  if (mine.length < LEAST_TRIES) return { is: 'untried', sources };
  return { is: isDead ? 'silent' : isRefused ? 'refused' : 'untried', sources };
}

/** A server that refuses this node may serve hosts: only of a rule that counts is it known that it takes packets of theirs. */
function isHarm({ is }: There, { packets }: FilterRule): boolean {
  return is === 'silent' || (is === 'refused' && packets !== undefined);
}

function isAnswered({ answered }: ServiceProbeSeen): boolean {
  return answered;
}

function choosesByMainTable({ views }: World, node: string, address: string): boolean {
  const own = networkOf(address) === 'ip' ? 'ipv4' : 'ipv6';
  return views.get(node)?.state.forwarding?.policyRules?.every(({ family }) => family !== own) === true;
}

/** New rules that send what hosts ask a name server to where it was not tried, or cannot be, whether one answers. */
export function redirectProof(world: World): Proof {
  const lacking = questionsIn(world).flatMap((question) =>
    [...new Set([question.view.node, ...(question.way?.nodes ?? [])])].flatMap((node) => {
      const view = world.views.get(node);
      return (view?.state.filters ?? []).flatMap((rule) => {
        if (view === undefined || isDropping(rule) || rule.packets === '0') return [];
        if (!isNewInTheWay(world, view, rule, question)) return [];
        const to = newPlace(newDestinationOf(rule)!, question);
        const there = serverAt(world, node, to);
        return there.is === 'served' || isHarm(there, rule)
          ? []
          : [
              `${nodeRef(node)}: a rule that was not there before (${wordsOf(rule)}) sends elsewhere (${placeWords(to)}) what hosts send to the name server ${question.server}; whether a name server answers there is not known`,
            ];
      });
    }),
  );
  return { proven: [], lacking: [...new Set(lacking)] };
}

/** One may have been lost by chance. */
const LEAST_TRIES = 2;

/**
 * A name server that hosts of this router were heard to ask did not answer it at the address of their port, and its own router it did; echoes
 * between the same addresses came back. What a policy of an operator takes, as long as its node remembers, is left alone.
 */
function unansweredTries(world: World): readonly Symptom<UsedServiceDetail>[] {
  const groups = Map.groupBy(
    world.serviceProbes.filter(
      ({ sender, service, port }) => sender !== undefined && service === 'udp' && port === DNS_PORT,
    ),
    ({ from, sender, destination }) => JSON.stringify([from, sender, destination]),
  );
  return [...groups.values()].flatMap((tries) => {
    const { from, sender = '', destination } = tries[0]!;
    const near = attachedTo(world, destination);
    const others = world.serviceProbes.filter((each) => each.destination === destination);
    const isThere = others.some((each) => each.from === near?.node && each.port === DNS_PORT && each.open);
    const echoed = others.some(
      (each) => each.service === 'echo' && each.from === from && each.sender === sender && each.answered,
    );
    if (
      near === undefined ||
      tries.length < LEAST_TRIES ||
      tries.some(({ answered }) => answered) ||
      !isThere ||
      !echoed
    )
      return [];
    if (isTakenByPolicy(world, tries[0]!, near.routerAddress)) return [];
    return [
      usedService.raise({
        id: `used-service:${from} ${sender} ${destination}`,
        subject: nodeResource(near.node),
        text: `${nodeRef(from)} asked the name server ${destination} behind ${nodeRef(near.node)} from ${sender}, as its hosts do: nothing came back, though it answers its own router, and echoes come back`,
        source: [...tries.map(({ source }) => source), ...sourcesOf(world, from, near.node)],
        nodes: [from, near.node],
        clue: 'service',
        detail: { node: from, how: 'unanswered', server: destination, port: DNS_PORT },
      }),
    ];
  });
}

/** A rule on the way that may take it has been there for as long as its node remembers. */
export function isTakenByPolicy(
  world: World,
  { from, sender = '', destination, service, port = DNS_PORT }: ServiceProbeSeen,
  towards: string,
): boolean {
  const nodes = new Set([from, ...walk(world, from, towards).nodes]);
  const network = networkOf(destination);
  const packets: readonly Packet[] = [
    { network, protocol: service, sources: [sender], destinations: [destination], destinationPort: port },
    { network, protocol: service, sources: [destination], destinations: [sender], sourcePort: port },
  ];
  return [...nodes].some((node) =>
    (world.views.get(node)?.state.filters ?? []).some(
      (rule) => isDropping(rule) && packets.some((packet) => mayTake(rule, packet)) && !hasCome(world, node, rule),
    ),
  );
}
