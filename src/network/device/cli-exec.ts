// The tool `network.cli.exec` (NET-2): show-type commands of the device's own command set, nothing else. What is not exactly one
// of its forms is refused with −32084 and the list of forms; there is no way from here into a configuration mode.
import { LIMITS } from '#base/limits.ts';
import type { ToolDefinition } from '#model/definition.ts';
import { costOfEchoes, type ProbeCost } from '#model/links/probe-cost.ts';
import { redactText } from '#model/redaction.ts';
import type { DevicePort } from '#model/router/device-port.ts';
import { NETWORK_LIMITS } from '../limits.ts';

/** As the device's `ping` sends them. */
const ECHO = { payloadBytes: 56, intervalMs: 100 };
const DEFAULT_ECHOES = 5;

export function cliExecTool(device: DevicePort): ToolDefinition {
  const { show } = device;
  return {
    name: 'network.cli.exec',
    title: 'Show command',
    description:
      'Runs one show command of the device, such as "show isis neighbor json" or "ping 198.18.255.3 repeat 5".',
    capability: 'network.cli.exec',
    mutability: 'probe',
    idempotent: true,
    inputSchema: {
      type: 'object',
      properties: {
        cmd: { type: 'string', minLength: 1, maxLength: 256, description: 'One show command, without a pipe' },
      },
      required: ['cmd'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { stdout: { type: 'string' }, truncated: { type: 'boolean' } },
      required: ['stdout'],
    },
    callers: ['node', 'operator', 'controller'],
    probes: ({ cmd }) => costOfCommand(String(cmd)),
    available: () => show !== undefined,
    call: async (args, { signal }) => {
      const text = redactText(await show!(String(args['cmd']), signal));
      if (text.length <= NETWORK_LIMITS.cliTextChars) return { stdout: text };
      return { stdout: text.slice(0, NETWORK_LIMITS.cliTextChars), truncated: true };
    },
  };
}

/** Of the commands, `ping` alone sends anything. */
function costOfCommand(command: string): ProbeCost | undefined {
  if (!/^ *ping\b/.test(command)) return undefined;
  const repeat = Number(/ repeat +(\d+)/.exec(command)?.[1] ?? DEFAULT_ECHOES);
  return costOfEchoes({ ...ECHO, count: Math.min(repeat, LIMITS.echoCount) });
}
