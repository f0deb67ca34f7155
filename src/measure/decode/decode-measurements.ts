// Answers of measurement tools → typed rows. Total: a malformed row is left out, and rows beyond what may be asked for too.
import { isJsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { type DhcpAnswer, dhcpAnswer } from '#model/router/dhcp.ts';
import { type HostPort, hostPort, type ServiceProbeResult, serviceProbeResult } from '#model/router/hosts.ts';
import { type LogSign, logSign } from '#model/router/log-events.ts';
import { reachResult, routeAnswer } from '#model/router/probe-schema.ts';
import { type Remembered, remembered } from '#model/router/remembered-days.ts';
import type { ReachResult, RouteAnswer } from '#model/router/router-port.ts';
import { readerOf, rowsOf } from '#model/wire/read.ts';

type Body = JsonValue | undefined;

const lookups = rowsOf(routeAnswer, LIMITS.lookups);
const reached = rowsOf(reachResult, LIMITS.reachDestinations);
const ports = rowsOf(hostPort, LIMITS.hostPorts);
const tries = rowsOf(serviceProbeResult, LIMITS.serviceProbes);
const dhcpAnswers = rowsOf(dhcpAnswer, LIMITS.dhcpAsks);
const logSigns = rowsOf(logSign, LIMITS.logSigns);

const readRemembered = readerOf(remembered);

/** Undefined for what is no memory of days. */
export function decodeRemembered(body: Body): Remembered | undefined {
  return readRemembered(body);
}

export function decodeLookups(body: Body): readonly RouteAnswer[] {
  return lookups(memberOf(body, 'answers'));
}

export function decodeReach(body: Body): readonly ReachResult[] {
  return reached(memberOf(body, 'results'));
}

export function decodeHostScan(body: Body): readonly HostPort[] {
  return ports(memberOf(body, 'ports'));
}

export function decodeServiceProbes(body: Body): readonly ServiceProbeResult[] {
  return tries(memberOf(body, 'results')).map(({ found, ...row }) =>
    // Whether a name was found is an answer only where one was asked for.
    row.record === undefined ? row : { ...row, found: found === true },
  );
}

export function decodeDhcp(body: Body): readonly DhcpAnswer[] {
  return dhcpAnswers(memberOf(body, 'answers'));
}

/** Kinds of a closed list with counts: no text of a log. */
export function decodeLogSigns(body: Body): readonly LogSign[] {
  return logSigns(memberOf(body, 'logSigns'));
}

function memberOf(body: Body, name: string): Body {
  return isJsonObject(body) ? body[name] : undefined;
}
