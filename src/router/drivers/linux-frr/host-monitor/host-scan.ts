// One look after another at the hosts on a node's ports. Takes turns where there are many, asks those that stay away only now and then,
// and looks a second time, with a census, where a host is missing or is asked for; a doubt that stays the same is not looked into every time.
import { LIMITS } from '#base/limits.ts';
import { likelyPlaces } from '#model/hosts/host-places.ts';
import type { LookedPort } from '#model/router/host-history.ts';
import type { Host, HostPort, HostScanRequest } from '#model/router/hosts.ts';
import { DRIVER_LIMITS } from '../../limits.ts';
import { askedByArp, doubtsOf, type WatchedPort } from './host-anomalies.ts';

export type HostScan = (ports: readonly WatchedPort[], knownHosts: readonly Host[]) => Promise<readonly LookedPort[]>;

type Doubt = { readonly port: WatchedPort; readonly gone: readonly string[]; readonly sought: readonly string[] };

/** Looks in a row that search for a host that has gone. */
const SEARCHES = 2;
const NO_DOUBT = { mark: '', times: 0, census: [] as readonly LookedPort[] };

export function createHostScan(ask: (request: HostScanRequest) => Promise<readonly HostPort[]>): HostScan {
  /** Address → looks in a row that it did not answer. */
  const silence = new Map<string, number>();
  /** Where hosts were found that had not answered for their own address. */
  const elsewhere = new Map<string, string>();
  let turn = 0;
  let doubted = NO_DOUBT;

  const look = async (ports: HostScanRequest['ports'], census: boolean): Promise<readonly LookedPort[]> => {
    const found = ports.length === 0 ? [] : await ask({ ports, census });
    return found.map((port) => ({
      ...port,
      asked: ports.find(({ ifname }) => ifname === port.ifname)?.addresses ?? [],
    }));
  };
  /** The addresses around that of a host which has just lost its address. They are many, so no other host is searched for this way. */
  const around = (doubts: readonly Doubt[], census: readonly LookedPort[], knownHosts: readonly Host[]) =>
    doubts.flatMap(({ port: { ifname, networks }, gone }) => {
      const seen = census.find((each) => each.ifname === ifname);
      const alive = (address: string) =>
        knownHosts.some((each) => each.address === address && seen?.alive?.includes(each.mac) === true);
      const lost = gone.filter(
        (address) => alive(address) && (silence.get(`${ifname} ${address}`) ?? 0) < SEARCHES && !answers(seen, address),
      );
      const addresses = [...new Set([...lost, ...likelyPlaces(networks, lost)])];
      return lost.length === 0 ? [] : [{ ifname, addresses: addresses.slice(0, LIMITS.hostAddresses) }];
    });
  const second = async (
    doubts: readonly Doubt[],
    addressesOn: (ifname: string) => readonly string[],
    knownHosts: readonly Host[],
  ) => {
    const mark = JSON.stringify(doubts.map(({ port, gone, sought }) => [port.ifname, gone, sought]));
    doubted = mark === doubted.mark ? { ...doubted, times: doubted.times + 1 } : { mark, times: 1, census: [] };
    if (doubted.times > DRIVER_LIMITS.scanBackoffRounds && doubted.times % DRIVER_LIMITS.scanBackoffRounds !== 0)
      return doubted.census;
    const requests = doubts.map(({ port: { ifname }, gone, sought }) => {
      const places = gone.flatMap((address) => elsewhere.get(`${ifname} ${address}`) ?? []);
      return { ifname, addresses: [...new Set([...addressesOn(ifname), ...sought, ...places])] };
    });
    const census = await look(requests, true);
    doubted = { ...doubted, census: [...census, ...(await look(around(doubts, census, knownHosts), false))] };
    return doubted.census;
  };

  return async (watched, knownHosts) => {
    const ports = askedByArp(watched);
    const chosen = chooseHosts(knownHosts, silence, turn++);
    if (chosen.length === 0) return [];
    const addressesOn = (ifname: string) =>
      chosen.filter((each) => each.ifname === ifname).map(({ address }) => address);
    const requests = ports.map(({ ifname, networks }) => ({
      ifname,
      addresses: [...new Set([...addressesOn(ifname), ...networks.map(({ address }) => address)])],
    }));
    const first = await look(requests, false);
    const doubts = ports.flatMap((port): Doubt[] => {
      const seen = first.find(({ ifname }) => ifname === port.ifname);
      if (seen === undefined) return [];
      const doubt = { port, ...doubtsOf(port, addressesOn(port.ifname), seen) };
      return doubt.gone.length + doubt.sought.length === 0 ? [] : [doubt];
    });
    if (doubts.length === 0) doubted = NO_DOUBT;
    const census = doubts.length === 0 ? [] : await second(doubts, addressesOn, knownHosts);
    const all = [...first, ...census];
    for (const { ifname, address, mac } of chosen) {
      const there = all.some((port) => port.ifname === ifname && port.answers.some((each) => each.address === address));
      silence.set(`${ifname} ${address}`, there ? 0 : (silence.get(`${ifname} ${address}`) ?? 0) + 1);
      const other = census
        .filter((port) => port.ifname === ifname)
        .flatMap(({ answers }) => answers)
        .find((answer) => answer.macs.includes(mac) && !knownHosts.some((each) => each.address === answer.address));
      if (there) elsewhere.delete(`${ifname} ${address}`);
      else if (other !== undefined) elsewhere.set(`${ifname} ${address}`, other.address);
    }
    return all;
  };
}

function answers(seen: LookedPort | undefined, address: string): boolean {
  return seen?.answers.some((each) => each.address === address) === true;
}

/** So many of them, in turn; those that did not answer for long now and then. */
function chooseHosts(knownHosts: readonly Host[], silence: ReadonlyMap<string, number>, turn: number): readonly Host[] {
  const due = knownHosts.filter(({ ifname, address }, index) => {
    const silent = silence.get(`${ifname} ${address}`) ?? 0;
    return silent < DRIVER_LIMITS.scanBackoffRounds || (turn + index) % DRIVER_LIMITS.scanBackoffRounds === 0;
  });
  const start = due.length <= DRIVER_LIMITS.scannedHosts ? 0 : (turn * DRIVER_LIMITS.scannedHosts) % due.length;
  return [...due.slice(start), ...due.slice(0, start)].slice(0, DRIVER_LIMITS.scannedHosts);
}
