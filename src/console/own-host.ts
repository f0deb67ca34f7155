// Whether the `Host` of a request is a name of this node. A page of another party can make its own name lead here (DNS rebinding): the browser
// then takes what the agent answers for that page's own, and its `Origin` equals its `Host`. An address cannot be bound to anything else.
import { isIP } from 'node:net';

/**
 * True for an IP address, `localhost`, the node's name alone or within its domain, and names of the configuration (`listen.names`); with any
 * port. `host` is as the caller wrote it.
 */
export function isOwnHost(host: string | undefined, names: readonly string[]): boolean {
  const name = (host ?? '')
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '')
    .toLowerCase();
  const address = /^\[(.*)\]$/.exec(name)?.[1] ?? name;
  return isIP(address) !== 0 || name === 'localhost' || names.includes(name);
}
