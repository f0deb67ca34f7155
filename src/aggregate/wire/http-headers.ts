// The headers that go with each message to one server over HTTP: session, revision, and the token that is in force. Made when one of them changes.
import { bad, ok, type Result } from '#base/result.ts';

export type HeaderRecord = Readonly<Record<string, string>>;

/** The tokens for one server, and for no other. */
export type TokenSource = {
  /** As it is now; without one that is in force nothing is sent. */
  current(): Result<string>;
  /** Another one in place of the one that the server has refused, or that has ended. Bad where there is none; never rejects. */
  another(refused: string | undefined): Promise<Result<string>>;
};

/** `posting`: with a JSON body. */
export type HeaderKind = 'reading' | 'posting';

export type LinkHeaders = {
  /** As they are now. */
  reading(): Result<HeaderRecord>;
  /**
   * Calls back at once where a token is in force and `refused` is none, else when another was asked for in place of the one in `refused`. Bad:
   * there is no token by which anything may be sent.
   */
  take(kind: HeaderKind, refused: HeaderRecord | undefined, taken: (own: Result<HeaderRecord>) => void): void;
  /** Of an answer. */
  keepSession(answered: Readonly<Record<string, string | string[] | undefined>>): void;
  agreed(version: string): void;
  readonly hasSession: boolean;
};

const SESSION = 'mcp-session-id';
const BEARER = 'Bearer ';

export function createLinkHeaders(token: TokenSource | undefined): LinkHeaders {
  let common: HeaderRecord = { accept: 'application/json, text/event-stream' };
  let made: { readonly reading: Result<HeaderRecord>; readonly posting: Result<HeaderRecord> } | undefined;
  let shown: string | undefined;
  const make = () => {
    const reading = shown === undefined ? common : { ...common, authorization: BEARER + shown };
    return { reading: ok(reading), posting: ok({ ...reading, 'content-type': 'application/json' }) };
  };
  const current = (kind: HeaderKind): Result<HeaderRecord> => {
    const given = token?.current();
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
    take(kind, refused, taken) {
      const own = refused === undefined ? current(kind) : bad('the server demands a token, and there is none for it');
      if (own.ok || token === undefined) return taken(own);
      void token
        .another(refused?.['authorization']?.slice(BEARER.length))
        .then((given) => taken(given.ok ? current(kind) : given));
    },
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
