// The prompts that every node has (NET-9, TS-4), as the same template text that an operator writes into a file.

const PING_FAIL = `
name: network.troubleshoot.ping-fail
title: Ping failure
description: Step-by-step ping failure diagnosis
heading: "Ping failure: {{src}} → {{dst}}{{#vrf}} (VRF {{vrf}}){{/vrf}}"
arguments:
  - { name: src, description: Address of this device that the ping comes from, required: true, format: ip }
  - { name: dst, description: Address that does not answer, required: true, format: ip }
  - { name: vrf, description: VRF, format: interface }
steps:
  - title: Check local ARP
    tool: network.cli.exec
    arguments: { cmd: "{{#dst_v6}}show ipv6 neighbors {{dst}}{{/dst_v6}}{{^dst_v6}}show ip arp{{#vrf}} vrf {{vrf}}{{/vrf}} {{dst}}{{/dst_v6}}" }
    outcomes:
      - { match: "(?:FAILED|INCOMPLETE) +(?<ifname>\\\\S+)", say: "{{dst}} is on the link of {{ifname}} but does not answer: it is off, or the link does not carry frames.", end: true }
      - { match: "[0-9a-f]{2}(?::[0-9a-f]{2}){5} +(?<ifname>\\\\S+)", say: "{{dst}} is a neighbour on {{ifname}} and has a link-layer address." }
      - { match: "^error: .*VRF", say: "The VRF {{vrf}} does not exist on this device.", end: true }
    otherwise: "{{dst}} is not a direct neighbour."
  - title: Check the route
    tool: network.cli.exec
    arguments: { cmd: "show {{#dst_v6}}ipv6{{/dst_v6}}{{^dst_v6}}ip{{/dst_v6}} route{{#vrf}} vrf {{vrf}}{{/vrf}} {{dst}} json" }
    outcomes:
      - { match: "\\"blackhole\\":true", say: "The route to {{dst}} is a blackhole on this device.", end: true }
      - { match: "\\"interfaceName\\":\\"(?<ifname>[^\\"]+)\\"", say: "There is a route, out of {{ifname}}." }
    otherwise: "There is no route to {{dst}}."
  - title: Verify outbound interface status
    tool: network.yang.get
    only: "{{ifname}}"
    arguments: { path: "/openconfig-interfaces:interfaces/interface[name='{{ifname}}']", datastore: operational }
    outcomes:
      - { match: "\\"oper-status\\":\\"DOWN\\"|\\"operationalStatus\\":\\"down\\"", say: "{{ifname}} is down.", end: true }
      - { match: "\\"oper-status\\":\\"UP\\"|\\"operationalStatus\\":\\"up\\"", say: "{{ifname}} is up." }
    otherwise: "The state of {{ifname}} could not be read."
  - title: Run extended ping
    tool: network.cli.exec
    arguments: { cmd: "ping{{#vrf}} vrf {{vrf}}{{/vrf}} {{dst}} source {{src}} repeat 5" }
    outcomes:
      - { match: " 0% packet loss", say: "{{dst}} answers now: 5 of 5 packets came back.", end: true }
      - { match: "From (?<hop>\\\\S+) icmp_seq=\\\\d+ Time to live exceeded", say: "Packets go in a circle: {{hop}} says that their time to live ended.", end: true }
      - { match: "From (?<hop>\\\\S+) icmp_seq=\\\\d+ (?<why>Destination .*|Packet filtered)", say: "{{hop}} sends the packets back: {{why}}.", end: true }
      - { match: "(?<loss>[1-9][0-9]?(?:\\\\.\\\\d+)?)% packet loss", say: "Only some packets are lost: {{loss}} %.", end: true }
      - { match: "^error: .*Cannot assign|^error: .*invalid", say: "{{src}} is no address of this device.", end: true }
    otherwise: "No packet came back."
  - title: Find the last router that answers
    tool: traceroute
    arguments: { destination: "{{dst}}", hops: 16 }
    outcomes:
      - { match: ".*\\"address\\":\\"(?<hop>[^\\"]+)\\"", say: "The last router that answers is {{hop}}: look there, and at what comes after it." }
    otherwise: "No router on the way answers: look at the next hop."
conclusion: "Ask the network for the rest: \`parley-ask\` compares both ends of every link."
`;

const ADD_VLAN = `
name: network.config.add-vlan
title: Add a VLAN
description: Interactive VLAN creation wizard
heading: "Add VLAN {{vlan_id}} ({{name}})"
stream: false
arguments:
  - { name: vlan_id, description: IEEE 802.1Q VLAN ID, required: true, type: integer, minimum: 1, maximum: 4094, label: VLAN, path: "/openconfig-vlan:vlans/vlan/config/vlan-id" }
  - { name: name, description: VLAN name (no spaces), required: true, pattern: "^[A-Za-z0-9_-]+$" }
  - { name: ports, description: List of interface names to add to VLAN, type: array }
steps:
  - title: See which interfaces there are
    tool: network.yang.get
    arguments: { path: "/openconfig-interfaces:interfaces", datastore: operational }
    otherwise: "The interfaces of the device are known."
  - title: Put the VLAN into the candidate
    tool: network.yang.edit
    arguments:
      target: candidate
      edit:
        - path: "/openconfig-vlan:vlans/vlan[vlan-id='{{vlan_id}}']"
          value: { config: { vlan-id: "{{vlan_id}}", name: "{{name}}" } }
    confirm: "VLAN {{vlan_id}} ({{name}}){{#ports}} on {{ports}}{{/ports}} goes into the candidate."
    outcomes:
      - { match: "Network\\\\.ConfigIncompatible|-32084|unavailable|^error", say: "This device cannot take VLANs by YANG.", end: true }
    otherwise: "The candidate holds the VLAN."
  - title: Commit for 120 s
    tool: network.commit
    arguments: { confirmed: 120 }
    confirm: "The VLAN becomes active and is taken back after 120 s unless you confirm."
    outcomes:
      - { match: "-3208\\\\d|^error", say: "The commit failed and nothing was changed.", end: true }
    otherwise: "The VLAN is active for 120 s."
  - title: Confirm
    tool: network.commit
    arguments: { confirm: true }
    confirm: "The VLAN stays."
    otherwise: "The VLAN stays."
conclusion: "The wizard has ended."
`;

/** A result that shows no configuration: nothing at all, or only what the command line complains of. */
const NOTHING_READ = `{ match: "(?<![\\\\s\\\\S])\\\\s*(?:%[^\\\\n]*(?:\\\\n\\\\s*)?)?(?![\\\\s\\\\S])", say: "NOT CHECKED: the configuration could not be read." }`;
const NOT_READ = `{ match: "^(?:error|unavailable): ", say: "NOT CHECKED: the configuration could not be read." }`;

const AUDIT = `
name: network.security.audit
title: Security audit
description: Generate and run security compliance checks
heading: "Security audit ({{profile}})"
arguments:
  - { name: profile, description: How deep to look, required: true, enum: [basic, detailed] }
steps:
  - title: Look for readable passwords in the running configuration
    tool: network.cli.exec
    arguments: { cmd: show running-config }
    outcomes:
      - ${NOTHING_READ}
      - ${NOT_READ}
      - { match: "^\\\\s*(?:password|enable password) (?!8 )", say: "FAIL: a line password is stored readable; use service password-encryption." }
      - { match: "password .*<redacted>", say: "Passwords are in use; their values are not shown." }
    otherwise: "PASS: no readable line password."
  - title: Look for a community of SNMP
    tool: network.cli.exec
    arguments: { cmd: show running-config }
    outcomes:
      - ${NOTHING_READ}
      - ${NOT_READ}
      - { match: "snmp-server community|rocommunity|rwcommunity", say: "FAIL: SNMP communities are in use; use SNMPv3." }
    otherwise: "PASS: no SNMP community."
  - title: Look at IS-IS authentication
    tool: network.cli.exec
    arguments: { cmd: show running-config }
    outcomes:
      - ${NOTHING_READ}
      - ${NOT_READ}
      - { match: "isis password|area-password|domain-password", say: "PASS: IS-IS is authenticated." }
      - { match: "router isis", say: "FAIL: IS-IS runs without a password." }
    otherwise: "PASS: IS-IS does not run."
  - title: Look at interfaces that are up
    tool: network.yang.get
    only: "{{profile_detailed}}"
    arguments: { path: "/ietf-interfaces:interfaces", datastore: operational }
    otherwise: "Interfaces were listed."
conclusion: "The checks have run."
`;

const BGP_DOWN = `
name: network.troubleshoot.bgp-down
title: Diagnose BGP session down
description: Diagnose BGP session down
heading: "BGP session down: {{neighbor}}"
arguments:
  - { name: neighbor, description: Address of the BGP neighbour, required: true, format: ip }
steps:
  - title: Look at the neighbour
    tool: network.cli.exec
    arguments: { cmd: "show bgp neighbors {{neighbor}} json" }
    outcomes:
      - { match: "\\"bgpState\\":\\"Established\\"", say: "The session is established.", end: true }
      - { match: "Administratively shut down", say: "The neighbour is shut down in this configuration.", end: true }
      - { match: "\\"bgpState\\":\\"(?<state>[A-Za-z]+)\\"", say: "The session is in state {{state}}." }
      - { match: "bgpNoSuchNeighbor|No such neighbor", say: "{{neighbor}} is not configured as a neighbour.", end: true }
      - { match: "^error", say: "BGP could not be read on this device: it may not run.", end: true }
    otherwise: "The neighbour could not be read."
  - title: Check the route to it
    tool: network.cli.exec
    arguments: { cmd: "show {{#neighbor_v6}}ipv6{{/neighbor_v6}}{{^neighbor_v6}}ip{{/neighbor_v6}} route {{neighbor}} json" }
    outcomes:
      - { match: "\\"interfaceName\\":\\"(?<ifname>[^\\"]+)\\"", say: "There is a route, out of {{ifname}}." }
    otherwise: "There is no route to {{neighbor}}: the session cannot come up."
  - title: Ping it
    tool: ping
    arguments: { destination: "{{neighbor}}", count: 5 }
    outcomes:
      - { match: "\\"loss\\":0,", say: "It answers ping." }
    otherwise: "It does not answer ping, or not always."
  - title: Capture port 179
    tool: tcpdump
    only: "{{ifname}}"
    arguments: { interface: "{{ifname}}", protocol: tcp, port: 179, count: 20, seconds: 5 }
    outcomes:
      - { match: "\\"packets\\":0,", say: "Nothing on port 179 in 5 s: neither side tries, or a filter on the way takes it." }
    otherwise: "There are packets on port 179: look into the capture for SYN without SYN-ACK, and at filters whose counters move."
conclusion: "A filter for port 179, a wrong AS number and a wrong address are the usual reasons."
`;

export const BUILTIN_TEMPLATES: readonly string[] = [PING_FAIL, ADD_VLAN, AUDIT, BGP_DOWN];
