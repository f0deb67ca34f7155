// Whether the `Host` of a request is a name of this node. A page of another party can make its own name lead here (DNS rebinding): the browser
// then takes what the agent answers for that page's own, and its `Origin` equals its `Host`. An address cannot be bound to anything else.
import { isIpAddress } from '#base/ip.ts';

/** Names of a node as `isOwnHost` takes them; `certified`: DNS names of its own certificate, since the CA says that they are this node's. */
export function hostNamesOf(
  config: { readonly node: string; readonly domain: string; readonly listen: { readonly names: readonly string[] } },
  certified: readonly string[],
): readonly string[] {
  const { node, domain, listen } = config;
  // A wildcard is no name of one node: every name below it would be taken, also one that another party can answer for.
  const own = certified.filter((name) => !name.includes('*'));
  return [node, `${node}.${domain}`, ...listen.names, ...own].map((name) => name.toLowerCase());
}

/** True for an IP address, `localhost`, and one of `names`, in lower case (`hostNamesOf`); with any port. `host` is as the caller wrote it. */
export function isOwnHost(host: string | undefined, names: readonly string[]): boolean {
  const name = (host ?? '')
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '')
    .toLowerCase();
  const address = /^\[(.*)\]$/.exec(name)?.[1] ?? name;
  return isIpAddress(address) || name === 'localhost' || names.includes(name);
}
