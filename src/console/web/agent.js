// The agent that served this page, as the page sees it: paths of the same origin, nothing else.

/** Rejects with an Error whose `detail` is the agent's own error, where it gave one. */
export async function getJson(path) {
  return (await getTimed(path)).body;
}

/** `serverMs`: the agent's clock, in whole seconds, as its reply has it; undefined where it has none. */
export async function getTimed(path) {
  const response = await reach(path);
  const serverMs = Date.parse(response.headers.get('date') ?? '');
  return { body: await read(response), serverMs: Number.isNaN(serverMs) ? undefined : serverMs };
}

/** One of the calls that prepare, apply, keep or undo a change, or hand in a decision. */
export async function call(tool, args) {
  return read(await reach(`/console/call/${tool}`, post(args)));
}

async function read(response) {
  const body = await response.json();
  if (!response.ok) throw told(body.error);
  return body;
}

function post(body) {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** The sealed file, byte for byte. */
export async function getReportBytes(id) {
  const response = await reach(reportPath(id));
  if (!response.ok) throw told((await response.json()).error);
  return new Uint8Array(await response.arrayBuffer());
}

export function reportPath(id) {
  return `/console/reports/${encodeURIComponent(id)}`;
}

/** `question`: `{ intent, remedy? }`. Resolves with the answer; `onProgress` gets each line before it. Aborting the signal cancels the question on the agent. */
export async function ask(question, { onProgress, signal }) {
  const response = await reach('/console/ask', { ...post(question), signal });
  if (!response.ok) throw told((await response.json()).error);
  for await (const line of linesOf(response.body)) {
    const message = JSON.parse(line);
    if (message.type === 'answer') return message.answer;
    if (message.type === 'error') throw told(message.error);
    onProgress(message);
  }
  throw broken(new Error('the answer ended early'));
}

async function reach(path, init) {
  try {
    return await fetch(path, init);
  } catch (error) {
    throw error.name === 'AbortError' ? error : broken(error);
  }
}

/** Lines of a body in UTF-8, however it was cut into chunks. */
async function* linesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read().catch((error) => {
      throw error.name === 'AbortError' ? error : broken(error);
    });
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop();
    yield* lines.filter((line) => line !== '');
  }
}

function told(detail) {
  return Object.assign(new Error(detail?.reason ?? 'the agent refused'), { detail });
}

function broken(cause) {
  return Object.assign(new Error('The connection to the agent broke.', { cause }), { broken: true });
}
