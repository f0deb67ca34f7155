// Which hosts are name servers: those that were seen to answer questions for names lately.
import type { Served } from './stations.ts';

type Remembering = { readonly history?: { readonly services?: readonly Served[] } };

export function nameServersIn(states: Iterable<Remembering>): readonly string[] {
  const rows = [...states].flatMap(({ history }) => history?.services ?? []);
  return [
    ...new Set(rows.filter(({ service, port }) => service === 'udp' && port === 53).map(({ address }) => address)),
  ];
}

export function isNameServer(states: Iterable<Remembering>, address: string): boolean {
  return nameServersIn(states).includes(address);
}
