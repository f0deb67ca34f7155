// What the helper's operation `dhcp` takes: networks of this node's own ports, and servers to ask for them. A gateway that is not an
// address of the port is refused: nobody is asked in another's name.
import { networkInterfaces } from 'node:os';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { DhcpAsk } from '#model/router/dhcp.ts';
import { interfaceName, ipv4Address, onlyMembers, refuse } from './arguments.ts';

export function dhcpArguments(args: JsonObject): { readonly asks: readonly DhcpAsk[]; readonly patient: boolean } {
  onlyMembers(args, ['asks', 'patient']);
  const { asks, patient } = args;
  if (!Array.isArray(asks) || asks.length > LIMITS.dhcpAsks) return refuse(`at most ${LIMITS.dhcpAsks} asks`, asks);
  if (typeof patient !== 'boolean') return refuse('whether the answer may take long', patient);
  return { asks: asks.map(askOf), patient };
}

function askOf(entry: JsonValue): DhcpAsk {
  if (!isJsonObject(entry)) return refuse('a network and a server', entry);
  onlyMembers(entry, ['ifname', 'gateway', 'server', 'link']);
  const ifname = interfaceName(entry['ifname']);
  const gateway = ipv4Address(entry['gateway'] ?? null);
  const own = networkInterfaces()[ifname] ?? [];
  if (!own.some((each) => each.family === 'IPv4' && each.address === gateway))
    return refuse(`an address of ${ifname}`, gateway);
  const link = entry['link'];
  return {
    ...{ ifname, gateway, server: ipv4Address(entry['server'] ?? null) },
    ...(link === undefined ? {} : { link: ipv4Address(link) }),
  };
}
