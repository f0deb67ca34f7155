// What every driver does with its client: one step for each column of docs/clients.md. A step that the client has no call for is absent.

/** The endpoint under test, as the matrix gives it. */
export const endpoint = () => JSON.parse(process.argv[2]);

export const CALL = { name: 'network_yang_get', arguments: { path: '/openconfig-interfaces:interfaces' } };
export const READ = 'network:///interfaces';
/** An aggregator lists it under a name that every host takes. */
export const PROMPT = {
  name: endpoint().prompt ?? 'network.troubleshoot.bgp-down',
  arguments: { neighbor: '192.0.2.1' },
};
/** Says how far it is. */
export const TELLING = { name: 'parley-ask', arguments: { intent: 'What is wrong?' } };
/** Takes these seconds, since no such packet comes, or ends when it is cancelled. */
export const WAITING = {
  name: 'tcpdump',
  arguments: { interface: 'eth1', protocol: 'udp', port: 9, seconds: 5 },
};
const CANCEL_MS = 300;
/** Of one step, also where the machine is busy. */
export const STEP_MS = 60_000;
export const WATCHED = 'network:///interface/eth1';

/**
 * The steps of a client that has these calls; each is absent where the client has none. `tools`: what it lists; `call(name, arguments, {signal,
 * onprogress})`: the result; `read(uri)`, `prompt(name, arguments)`: what came; `heard`: progress, where the client tells it apart from calls.
 */
export function stepsOf({
  connect,
  tools,
  call,
  read,
  prompt,
  subscribe,
  progress,
  isData = (result) => result.structuredContent?.data,
}) {
  const list = async () => (await tools()).map(({ name }) => name);
  return {
    connect,
    list: async () => expect((await list()).includes(CALL.name), CALL.name),
    call: async () => expect(isData(await call(CALL.name, CALL.arguments, {})), 'data'),
    read: async () => expect((await read(READ)).length > 0, 'contents'),
    ...(prompt && { prompt: async () => expect((await prompt(PROMPT.name, PROMPT.arguments)).length > 0, 'messages') }),
    ...(subscribe && { subscribe: () => subscribe(WATCHED) }),
    ...(progress && {
      progress: async () => {
        const heard = progress.heard ?? [];
        await call(TELLING.name, TELLING.arguments, { onprogress: (step) => heard.push(step) });
        expect(heard.length > 0, 'progress');
      },
    }),
    cancel: async () => {
      const signal = AbortSignal.timeout(CANCEL_MS);
      const ended = await call(WAITING.name, WAITING.arguments, { signal }).then(
        () => 'an answer',
        () => 'cancelled',
      );
      expect(ended === 'cancelled', `a cancelled call, got ${ended}`);
      expect((await list()).length > 0, 'a session that goes on');
    },
  };
}

/** A transport of either SDK of the project MCP, by its own two classes. */
export async function transportOf(at, { Stdio, Http }) {
  if (at.command) return new Stdio({ command: at.command, args: at.args });
  const fetch = await fetchOf(at);
  return new Http(new URL(at.url), { requestInit: { headers: at.headers ?? {} }, ...(fetch && { fetch }) });
}

/** Prints `{step: true}` or `{step: "reason"}` for each step; the first that fails does not stop the others. */
export async function run(steps) {
  const results = {};
  for (const [name, step] of Object.entries(steps)) {
    try {
      await within(step(), STEP_MS);
      results[name] = true;
    } catch (error) {
      results[name] = String(error?.message ?? error).slice(0, 200);
      if (name === 'connect') break;
    }
  }
  console.log(JSON.stringify(results));
  process.exit(0);
}

export function expect(condition, what) {
  if (!condition) throw new Error(`expected ${what}`);
}

function within(work, ms) {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error(`no end within ${ms} ms`)), ms).unref());
  return Promise.race([work, late]);
}

/** `fetch` over mutual TLS, for clients that take one. */
export async function fetchOf({ tls }) {
  if (tls === undefined) return undefined;
  const { readFileSync } = await import('node:fs');
  const { Agent, fetch } = await import('undici');
  const [ca, cert, key] = [tls.ca, tls.cert, tls.key].map((file) => readFileSync(file));
  const dispatcher = new Agent({ connect: { ca, cert, key, checkServerIdentity: () => undefined } });
  return (url, init) => fetch(url, { ...init, dispatcher });
}
