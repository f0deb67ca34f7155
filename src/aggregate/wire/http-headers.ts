// The headers that go with each message to one server over HTTP: session, revision, and the token that is in force. Made when one of them changes.
import { ok, type Result } from '#base/result.ts';

export type HeaderRecord = Readonly<Record<string, string>>;

export type LinkHeaders = {
  /** Bad where the token for the server is not in force: nothing may be sent then. */
  reading(): Result<HeaderRecord>;
  /** For a message with a JSON body. */
  posting(): Result<HeaderRecord>;
  /** Of an answer. */
  keepSession(answered: Readonly<Record<string, string | string[] | undefined>>): void;
  agreed(version: string): void;
  readonly hasSession: boolean;
};

const SESSION = 'mcp-session-id';

export function createLinkHeaders(token: (() => Result<string>) | undefined): LinkHeaders {
  let common: HeaderRecord = { accept: 'application/json, text/event-stream' };
  let made: { readonly reading: Result<HeaderRecord>; readonly posting: Result<HeaderRecord> } | undefined;
  let shown: string | undefined;
  const make = () => {
    const reading = shown === undefined ? common : { ...common, authorization: `Bearer ${shown}` };
    return { reading: ok(reading), posting: ok({ ...reading, 'content-type': 'application/json' }) };
  };
  const current = (kind: 'reading' | 'posting'): Result<HeaderRecord> => {
    const given = token?.();
    if (given?.ok === false) return given;
    if (given?.value !== shown) made = undefined;
    shown = given?.value;
    made ??= make();
    return made[kind];
  };
  const add = (more: HeaderRecord) => {
    common = { ...common, ...more };
    made = undefined;
  };
  return {
    reading: () => current('reading'),
    posting: () => current('posting'),
    keepSession(answered) {
      const given = answered[SESSION];
      if (typeof given === 'string' && common[SESSION] === undefined) add({ [SESSION]: given });
    },
    agreed: (version) => add({ 'mcp-protocol-version': version }),
    get hasSession() {
      return common[SESSION] !== undefined;
    },
  };
}
