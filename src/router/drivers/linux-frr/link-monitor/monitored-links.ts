// Which links this node probes all the time: those whose other end it knows without asking, by a subnet for two. Of two ends the one
// with the lower address probes, which both can tell alone. Pure.
import { type IpPrefix, isLinkLocal, parsePrefix } from '#base/ip.ts';
import { formatIpv6 } from '#base/ipv6-text.ts';
import { LIMITS } from '#base/limits.ts';
import type { WatchTarget } from '#model/router/link-monitor.ts';
import type { InterfaceState } from '#model/router/router-port.ts';

export function watchTargets(interfaces: readonly InterfaceState[]): readonly WatchTarget[] {
  return interfaces
    .filter(({ kind, operUp }) => kind !== 'loopback' && operUp)
    .flatMap(({ name, addresses }): WatchTarget[] => {
      const pairs = addresses.flatMap((text) => farOf(text) ?? []);
      const six = pairs.find(({ own }) => own.family === 6);
      const four = pairs.find(({ own }) => own.family === 4);
      const deciding = six ?? four;
      if (deciding === undefined || deciding.own.value > deciding.farValue) return [];
      return [
        {
          ifname: name,
          ...(four === undefined ? {} : { far4: textOf(4, four.farValue) }),
          ...(six === undefined ? {} : { far6: textOf(6, six.farValue) }),
        },
      ];
    })
    .slice(0, LIMITS.monitoredLinks);
}

type Pair = { readonly own: IpPrefix; readonly farValue: bigint };

/** The other address of a /31, /127 (RFC 3021, RFC 6164), /30 or /126; in the last two, the first and the last address belong to no interface. */
function farOf(text: string): Pair | undefined {
  const own = parsePrefix(text);
  if (own === undefined || isLinkLocal(own)) return undefined;
  const hostBits = (own.family === 4 ? 32 : 128) - own.prefixBits;
  if (hostBits === 1) return { own, farValue: own.value ^ 1n };
  const place = own.value & 3n;
  return hostBits === 2 && (place === 1n || place === 2n) ? { own, farValue: own.value ^ 3n } : undefined;
}

/** As the kernel writes it: the other end's address is compared with what that end says of itself. */
function textOf(family: 4 | 6, value: bigint): string {
  const octetCount = family === 4 ? 4 : 16;
  const octets = Uint8Array.from({ length: octetCount }, (_, index) =>
    Number((value >> BigInt(8 * (octetCount - 1 - index))) & 0xffn),
  );
  return family === 4 ? octets.join('.') : formatIpv6(octets, 0);
}
