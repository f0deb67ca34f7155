// Turns one request of any dialect into one call at the gate, with what its session and its transport add to it.
import type { HandledCall, IncomingCall } from '#model/ports.ts';
import type { CallRequest } from '../protocol/call-content.ts';
import type { Gate, Transport } from './gate.ts';
import type { CallerScope } from './permission.ts';

export type CallScope = CallerScope & {
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly progress: IncomingCall['progress'];
  readonly client?: IncomingCall['client'];
  readonly probeCaller?: IncomingCall['probeCaller'];
};

export type Dispatch = (request: CallRequest, scope: CallScope) => Promise<HandledCall>;

export function createDispatch(gate: Gate): Dispatch {
  return (request, { caller, authorised, signal, sessionEnded, progress, client, probeCaller, transport }) =>
    gate(
      {
        ...request,
        caller,
        authorised,
        signal,
        progress,
        ...(sessionEnded === undefined ? {} : { sessionEnded }),
        ...(client === undefined ? {} : { client }),
        ...(probeCaller === undefined ? {} : { probeCaller }),
      },
      transport,
    );
}
