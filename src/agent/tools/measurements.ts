// The tools that the agents of other nodes measure this node with.
import type { ToolDefinition } from '#model/definition.ts';
import type { ToldExpectations } from '#model/expectations.ts';
import type { PeerTable } from '#model/peer.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { captureTool } from '#network/measurement/capture.ts';
import { dhcpTool } from '#network/measurement/dhcp.ts';
import { historyTool } from '#network/measurement/history.ts';
import { hostScanTool, serviceProbeTool } from '#network/measurement/hosts.ts';
import { interfaceCountersTool, nodeStateTool } from '#network/measurement/node-state.ts';
import { lookupsTool, reachTool } from '#network/measurement/routes.ts';
import { srv6PingTool } from '#network/measurement/srv6-ping.ts';

/** `told`: what operators of this node said is meant. */
export function measurementTools(
  router: RouterPort,
  told: () => Promise<ToldExpectations>,
  {
    wayOf,
    peers,
  }: { readonly wayOf?: Parameters<typeof srv6PingTool>[1]; readonly peers?: Pick<PeerTable, 'list'> } = {},
): readonly ToolDefinition[] {
  return [
    srv6PingTool(router, wayOf),
    nodeStateTool(router, told),
    interfaceCountersTool(router),
    historyTool(router),
    captureTool(router),
    lookupsTool(router),
    reachTool(router),
    hostScanTool(router),
    serviceProbeTool(router, (ifname) => hasAgentOn(peers, ifname)),
    dhcpTool(router),
  ];
}

/** LLDP hears an agent behind the port with which this node has had a session. */
function hasAgentOn(peers: Pick<PeerTable, 'list'> | undefined, ifname: string): boolean {
  return (peers?.list() ?? []).some(
    ({ hints, verified }) =>
      verified !== undefined && hints.some(({ source, heardOn }) => source === 'lldp' && heardOn === ifname),
  );
}
