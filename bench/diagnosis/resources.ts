// What the resources of findings are about. Pure.

/** Nodes that `interface/a/eth1` and `link/a:eth1--b:eth2` name. */
export function nodesOf(resource: string): string[] {
  const form = resource.slice(0, resource.indexOf('/'));
  const rest = resource.slice(resource.indexOf('/') + 1);
  if (form === 'link') return rest.split('--').map((end) => end.split(':')[0]!);
  return [rest.split('/')[0]!];
}
