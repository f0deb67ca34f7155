// dns_record_error: a name server answers and does not know a name that the operator asks about, or that it gave its router before. Without
// a second answer nothing is accused: what is remembered is what was. Or it gives its router other addresses for a name than it steadily gave
// before, and nothing is at them: a record that was moved to a host that is there, or may be, is a remark. A name that others were given and
// the router never cannot be judged: it keeps the verdict from being healthy (recordProof).

import type { AnsweredService, LostName } from '#model/router/host-history.ts';
import { ageWords } from '#model/settings/change-words.ts';
import type { Proof } from '../../engine/facts.ts';
import { type Detection, defineFault, type Past, type Slice } from '../../engine/fault-definition.ts';
import { attachedTo, isAbsentOnLink, isOnLink } from '../../network/hosts.ts';
import { nodeRef } from '../../network/node-ref.ts';
import type { ServiceProbeSeen } from '../../network/service-tries.ts';
import type { View, World } from '../../network/world.ts';
import { answeredAnyway, type ServiceHostDetail, serviceDetection, triesNearby } from './expected-services.ts';

/** `knewAgoS`: it gave its router an address so long ago; absent where the operator asks. */
type Detail = ServiceHostDetail & {
  readonly record: string;
  readonly knewAgoS?: number;
  /** The addresses that it gives, and those that it gave `knewAgoS` ago. */
  readonly gives?: readonly string[];
  readonly gave?: readonly string[];
};

export const dnsRecordError = defineFault<Detail>({
  id: 'dns_record_error',
  resource: 'node',
  accuses: true,
  labels: { nika: 'dns_record_error', netOpsBench: null },
  summary:
    'a name server answers and does not know a name that it is to know, as the question says or as it gave its router lately; or it gives other addresses for it than before, at which nothing is',
  clue: 'service',
  memories: ['dns-records'],
  detect: ({ world, past }: Slice) =>
    past === undefined ? [...askedName(world), ...lostNames(world), ...changedNames(world)] : lostThen(world, past),
  describe: ({ address, port, near, record, knewAgoS, gives, gave }) =>
    gives !== undefined && gave !== undefined && knewAgoS !== undefined
      ? `DNS at ${address} behind ${nodeRef(near)}: gives ${gives.join(', ')} for ${record}, and gave ${gave.join(', ')} until ${ageWords(knewAgoS * 1_000)} ago`
      : knewAgoS === undefined
        ? `DNS at ${address} port ${port} behind ${nodeRef(near)}: answers, and does not know ${record}`
        : `DNS at ${address} behind ${nodeRef(near)}: answers, and does not know ${record}, which it knew ${ageWords(knewAgoS * 1_000)} ago`,
  remedy: ({ near, label, record, gave }) => ({
    node: near,
    summary:
      gave === undefined
        ? `${label} behind ${nodeRef(near)}: add ${record} to its records`
        : `${label} behind ${nodeRef(near)}: see whether ${record} is meant to have another address than ${gave.join(', ')}`,
  }),
  contrary: answeredAnyway,
});

/** Other questions to the same server, for its time or for another name, say nothing of this name. */
function askedName(world: World): readonly Detection<Detail>[] {
  const { service } = world;
  if (service?.name !== 'dns' || service.record === undefined) return [];
  const { record, address, port } = service;
  const { host, tries } = triesNearby(world, service) ?? { tries: [] };
  if (host === undefined || !isDenied(tries.filter((each) => each.record === record))) return [];
  return serviceDetection(world, { ...host, address, port }, tries, { record }).map(
    (found): Detection<Detail> => ({ ...found, confidence: 'certain' }),
  );
}

function lostNames(world: World): readonly Detection<Detail>[] {
  return [...world.views.values()].flatMap((view) =>
    ((view.before ?? view.state).history?.watchedHosts?.names ?? [])
      .filter(({ address, name }) => world.service?.address !== address || world.service.record !== name)
      .filter(({ othersOnly }) => othersOnly !== true)
      .flatMap((row) => {
        const tries = triesOf(world, view, row);
        return isDenied(tries) ? lostName(world, view, row, tries) : [];
      }),
  );
}

/** Its router was steadily given other addresses before. What ever alternated, or shares an address with what was given before, is left alone. */
function changedNames(world: World): readonly Detection<Detail>[] {
  return [...world.views.values()].flatMap((view) =>
    (view.state.history?.watchedHosts?.answered ?? []).flatMap((row) => {
      const { ifname, address, record } = row;
      const change = record === undefined ? undefined : changeOf(row, world.serviceProbes, view.node);
      if (record === undefined || change === undefined || attachedTo(world, address)?.present !== true) return [];
      const { tries, gives, gave } = change;
      const detail = { record, knewAgoS: Math.round(gave.lastAgoMs / 1_000), gives, gave: gave.addresses };
      const grounds = groundsOf(world, view.node, { record, ...change });
      return serviceDetection(world, { node: view.node, ifname, address, port: 53 }, tries, detail).map(
        (found): Detection<Detail> => ({ ...found, key: `${found.key} ${record}`, confidence: 'likely', ...grounds }),
      );
    }),
  );
}

/** Times that the answer of before was given: what was given once may have been one of many. */
const STEADY = 2;

type Change = {
  readonly tries: readonly ServiceProbeSeen[];
  readonly gives: readonly string[];
  readonly gave: NonNullable<AnsweredService['given']>[number];
};

function changeOf(
  { address, record, given = [] }: AnsweredService,
  serviceProbes: readonly ServiceProbeSeen[],
  node: string,
): Change | undefined {
  const tries = serviceProbes.filter(
    (each) =>
      each.from === node && each.destination === address && each.record === record && (each.addresses ?? []).length > 0,
  );
  const said = [...new Set(tries.map(({ addresses }) => JSON.stringify(addresses)))];
  const gives = tries[0]?.addresses;
  if (gives === undefined || said.length !== 1) return undefined;
  const isNow = (each: { readonly addresses: readonly string[] }) => JSON.stringify(each.addresses) === said[0];
  const [now, before] = [given.find(isNow), given.filter((each) => !isNow(each))];
  const [gave] = before;
  if (gave === undefined || before.length > 1 || gave.times < STEADY) return undefined;
  if (gave.addresses.some((each) => gives.includes(each))) return undefined;
  // Given again after the other had been given: they take turns.
  if (now !== undefined && gave.lastAgoMs < now.firstAgoMs) return undefined;
  return tries.length + (now?.times ?? 0) >= STEADY ? { tries, gives, gave } : undefined;
}

/**
 * A change of a record by itself is an operator's business: it is a fault where nothing is at the new addresses. A host may be there that
 * answers no echoes: only address resolution in a network of a router, or a router without any route, shows that none is.
 */
function groundsOf(
  world: World,
  node: string,
  { record, gives, gave }: Change & { readonly record: string },
): Pick<Detection<Detail>, 'remark' | 'withheld'> {
  const echoes = world.serviceProbes.filter(
    ({ from, destination, service }) => from === node && service === 'echo' && gives.includes(destination),
  );
  const changed = `${record} has another address than before (${gives.join(', ')}, before ${gave.addresses.join(', ')})`;
  const isThere = gives.some((address) => world.owners.has(address) || isOnLink(world, address));
  if (isThere || echoes.some(({ answered }) => answered)) return { remark: `${changed}, and it is in use` };
  if (echoes.length === 0) return { withheld: `whether anything is at ${gives.join(', ')} was not tried` };
  const isNowhere = (address: string) => {
    if (attachedTo(world, address) !== undefined) return isAbsentOnLink(world, address);
    const mine = echoes.filter(({ destination }) => destination === address);
    return mine.length > 0 && mine.every(({ sent }) => sent === 0);
  };
  return gives.every(isNowhere) ? {} : { remark: `${changed}; whether anything is there is not known` };
}

/** It knew the name, lost it, and knows it again. */
function lostThen(world: World, { kept }: Past): readonly Detection<Detail>[] {
  const view = world.views.get(kept?.node ?? '');
  if (view === undefined) return [];
  return (view.state.history?.watchedHosts?.names ?? [])
    .filter((row) => row.othersOnly !== true && isKnownAgain(triesOf(world, view, row), row))
    .flatMap((row) => lostName(world, view, row, []));
}

function isKnownAgain(tries: readonly ServiceProbeSeen[], { okAgoMs, lostAgoMs }: LostName): boolean {
  return (
    tries.some(({ found }) => found === true) || (okAgoMs < lostAgoMs && tries.every(({ found }) => found !== false))
  );
}

function lostName(
  world: World,
  { node }: View,
  { ifname, address, name: record, okAgoMs }: LostName,
  tries: readonly ServiceProbeSeen[],
): readonly Detection<Detail>[] {
  const knewAgoS = Math.round(okAgoMs / 1_000);
  return serviceDetection(world, { node, ifname, address, port: 53 }, tries, { record, knewAgoS }).map(
    (found): Detection<Detail> => ({ ...found, key: `${found.key} ${record}`, confidence: 'likely' }),
  );
}

function triesOf(world: World, { node }: View, { address, name }: LostName): readonly ServiceProbeSeen[] {
  return world.serviceProbes.filter(
    ({ from, destination, record }) => from === node && destination === address && record === name,
  );
}

function isDenied(tries: readonly ServiceProbeSeen[]): boolean {
  return tries.length > 0 && tries.every(({ open, found }) => open && found === false);
}

/** A server that gave others a name, and not its router, which asked more than once; no other was given it since, as far as was heard. */
export function recordProof(world: World): Proof {
  const lacking = [...world.views.values()].flatMap((view) =>
    (view.before?.history?.watchedHosts?.names ?? []).flatMap((row) => {
      const still = (view.after ?? view.state).history?.watchedHosts?.names.some(
        (each) => each.othersOnly === true && each.address === row.address && each.name === row.name,
      );
      return row.othersOnly === true && still === true && isDenied(triesOf(world, view, row))
        ? [
            `DNS at ${row.address} behind ${nodeRef(view.node)}: gave others ${row.name} ${ageWords(row.okAgoMs)} ago and does not give it to its router; whether it still gives it to others was not seen`,
          ]
        : [];
    }),
  );
  return { proven: [], lacking };
}
