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
/** Takes a second or more, and says how far it is. */
export const SLOW = { name: 'parley-ask', arguments: { intent: 'What is wrong?' } };
export const WATCHED = 'network:///interface/eth1';

/** Prints `{step: true}` or `{step: "reason"}` for each step; the first that fails does not stop the others. */
export async function run(steps) {
  const results = {};
  for (const [name, step] of Object.entries(steps)) {
    try {
      await within(step(), 20_000);
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
