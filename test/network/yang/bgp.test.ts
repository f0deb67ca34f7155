// BGP neighbours of FRR as `openconfig-bgp`: each address family has its own identity.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openconfigBgp } from '#network/yang/bgp.ts';

type Family = { readonly 'afi-safi-name': string; readonly state: { readonly prefixes: object } };
type Tree = {
  'openconfig-bgp:bgp': { neighbors: { neighbor: readonly { 'afi-safis': { 'afi-safi': readonly Family[] } }[] } };
};

function familiesOf(names: readonly string[]): readonly Family[] {
  const addressFamilyInfo = Object.fromEntries(names.map((name) => [name, { acceptedPrefixCounter: 3 }]));
  const tree = openconfigBgp({ '192.0.2.1': { bgpState: 'Established', addressFamilyInfo } }) as unknown as Tree;
  return tree['openconfig-bgp:bgp'].neighbors.neighbor[0]!['afi-safis']['afi-safi'];
}

test('VPN, EVPN and labelled families have the identities that OpenConfig gives them, as unicast has', () => {
  const names = ['ipv4Unicast', 'ipv6Unicast', 'ipv4LabeledUnicast', 'ipv6LabeledUnicast', 'ipv4Vpn', 'ipv6Vpn'];
  assert.deepEqual(
    familiesOf([...names, 'l2VpnEvpn']).map((family) => family['afi-safi-name']),
    [
      'openconfig-bgp-types:IPV4_UNICAST',
      'openconfig-bgp-types:IPV6_UNICAST',
      'openconfig-bgp-types:IPV4_LABELED_UNICAST',
      'openconfig-bgp-types:IPV6_LABELED_UNICAST',
      'openconfig-bgp-types:L3VPN_IPV4_UNICAST',
      'openconfig-bgp-types:L3VPN_IPV6_UNICAST',
      'openconfig-bgp-types:L2VPN_EVPN',
    ],
  );
  assert.deepEqual(familiesOf(['ipv4Vpn'])[0]!.state.prefixes, { received: 3 });
});

test('a family without an identity in OpenConfig is left out, and none has the name of another', () => {
  assert.deepEqual(familiesOf(['ipv4Multicast', 'ipv6Flowspec', 'ipv4Encap', 'constructor']), []);
});
