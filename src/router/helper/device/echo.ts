// ICMP echo by the system's ping, one process a run: bounded in number and time, killed with its caller, and read line by
// line so that each answer is known as it comes. The argument list is literals plus checked values.
import { spawn } from 'node:child_process';
import { messageOf, ParleyError } from '#base/error.ts';
import { childEnvironment } from '#base/process.ts';
import type { EchoReply, EchoRequest, EchoResult } from '#model/router/device-port.ts';
import { ROUTER_LIMITS } from '../../limits.ts';
import { HELPER_LIMITS } from '../limits.ts';

/** How long the last answer is waited for, seconds. */
const WAIT_SECONDS = 1;

function echoCommand(request: EchoRequest): readonly string[] {
  const from = request.vrf ?? request.source;
  return [
    '--pdeathsig',
    'KILL',
    'ping',
    '-n',
    '-O',
    '-c',
    String(request.count),
    '-i',
    String(request.intervalMs / 1_000),
    '-W',
    String(WAIT_SECONDS),
    '-s',
    String(request.payloadBytes),
    ...(request.dontFragment ? ['-M', 'do'] : []),
    ...(request.ttl === undefined ? [] : ['-t', String(request.ttl)]),
    ...(from === undefined ? [] : ['-I', from]),
    ...(request.vrf !== undefined && request.source !== undefined ? ['-I', request.source] : []),
    '--',
    request.destination,
  ];
}

/** One line that ping prints for one packet; undefined for any other line. */
function parseEchoLine(line: string): EchoReply | undefined {
  const reply = /^\d+ bytes from (\S+): icmp_seq=(\d+) .*?time=([\d.]+) ms/.exec(line);
  if (reply) return { sequence: Number(reply[2]), from: reply[1]!, outcome: 'reply', rttMs: Number(reply[3]) };
  const error = /^From (\S+?):? (?:\(\S+\) )?icmp_seq=(\d+) (.*)$/i.exec(line);
  if (!error) return undefined;
  const said = error[3]!;
  const head = { sequence: Number(error[2]), from: error[1]! };
  if (/time to live exceeded|hop limit|time exceeded/i.test(said)) return { ...head, outcome: 'ttl-exceeded' };
  const mtu = /mtu\s*[=:]?\s*(\d+)/i.exec(said);
  if (mtu) return { ...head, outcome: 'too-big', mtu: Number(mtu[1]) };
  return { ...head, outcome: 'unreachable' };
}

/** Local refusals come on standard error: `ping: local error: message too long, mtu=1400`. */
function parseLocalError(line: string): number | undefined {
  const mtu = /message too long, mtu[=:]\s*(\d+)/i.exec(line);
  return mtu ? Number(mtu[1]) : undefined;
}

export function runEcho(
  request: EchoRequest,
  each: (reply: EchoReply) => void,
  signal: AbortSignal,
): Promise<EchoResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('setpriv', echoCommand(request), {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: childEnvironment({ LC_ALL: 'C' }),
    });
    const replies: EchoReply[] = [];
    let stdout = '';
    let stderr = '';
    let rest = '';
    const stop = () => child.kill('SIGKILL');
    const timer = setTimeout(stop, request.count * request.intervalMs + ROUTER_LIMITS.helperReadMs);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const take = (line: string, error: boolean) => {
      const mtu = error || line.startsWith('ping: ') ? parseLocalError(line) : undefined;
      const found: EchoReply | undefined =
        mtu === undefined
          ? parseEchoLine(line)
          : { sequence: replies.length + 1, from: 'local', outcome: 'too-big', mtu };
      if (found === undefined || replies.length >= request.count * 2) return;
      replies.push(found);
      each(found);
    };
    child.on('error', (error) => {
      stderr = messageOf(error);
    });
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (stdout.length < HELPER_LIMITS.echoTextChars) stdout += `${line}\n`;
        take(line, false);
      }
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-2_000);
      for (const line of chunk.toString('utf8').split('\n')) take(line, true);
    });
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      if (signal.aborted) return reject(signal.reason);
      const sent = /(\d+) packets transmitted/.exec(stdout);
      if (sent) return resolve({ sent: Number(sent[1]), replies, stdout });
      const said = stderr.trim().split('\n')[0]?.slice(0, 200) ?? '';
      // No route to the destination, or none from this source: the packet never left.
      const unreachable = /unreachable|cannot assign|unknown iface|no route/i.test(said);
      reject(
        new ParleyError(
          unreachable ? 'node/unreachable' : 'node/echo-failed',
          `expected ping to run, got exit code ${exitCode}: ${said}`,
        ),
      );
    });
  });
}
