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

/** `https://pe1.example.net:9514/`: where a browser finds this node, by a name that its certificate has if there is one. */
export function ownOrigin(
  config: Parameters<typeof hostNamesOf>[0] & { readonly listen: { readonly port: number } },
  certified: readonly string[],
): string {
  const names = hostNamesOf(config, certified);
  const own = certified.map((name) => name.toLowerCase());
  const name = names.find((each) => own.includes(each)) ?? config.listen.names[0] ?? names[1];
  return new URL(`https://${name}:${config.listen.port}/`).href;
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
