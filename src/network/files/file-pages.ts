// Files that a call left to be fetched, under /files/ on the agent's own port (TS-26): whole or from an octet on (RFC 9110 §14), only by
// the party that had them made, and only while it may still have them made. Gone a moment after they were fetched, at once by DELETE.
import { LIMITS } from '#base/limits.ts';
import type { Spool, SpooledFile } from '#base/spool.ts';
import type { Party } from '#model/identity.ts';
import type { WebPages, WebReply, WebRequest } from '#model/web.ts';

export const FILES = '/files/';

export type FilePagesInit = {
  readonly spool: Spool;
  readonly ownerOf: (party: Party) => string;
  /** The one place that decides whether a party may have such files at all. */
  readonly mayFetch: (party: Party) => boolean;
};

export function createFilePages(init: FilePagesInit): WebPages {
  const { spool } = init;
  return {
    serves: (path) => path.startsWith(FILES),
    async handle(request) {
      // No page of a browser uses an operator's certificate here.
      if (request.header('origin') !== undefined || request.header('sec-fetch-site') !== undefined)
        return denied('expected no browser, got one');
      if (!init.mayFetch(request.party)) return denied('expected a party that may have this file made, got another');
      const file = spool.find(request.path.slice(FILES.length));
      // To this caller, the file of another caller does not exist.
      if (file === undefined || file.owner !== init.ownerOf(request.party)) return plain(404, 'no such file');
      if (request.method === 'DELETE') {
        await spool.remove(file.id);
        return plain(204, '');
      }
      return request.method === 'GET'
        ? send(spool, file, request)
        : plain(405, 'GET or DELETE', { allow: 'GET, DELETE' });
    },
  };
}

function send(spool: Spool, file: SpooledFile, request: WebRequest): WebReply {
  const asked = request.header('range');
  const etag = `"${file.sha256}"`;
  const ranged = asked !== undefined && (request.header('if-range') ?? etag) === etag;
  const start = ranged ? startOf(asked, file.bytes) : 0;
  if (start === undefined) return plain(416, 'no such range', { 'content-range': `bytes */${file.bytes}` });
  const part = ranged ? { 'content-range': `bytes ${start}-${file.bytes - 1}/${file.bytes}` } : {};
  return {
    status: ranged ? 206 : 200,
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(file.bytes - start),
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      etag,
      ...part,
    },
    async body(write) {
      for await (const piece of spool.read(file, start, file.bytes)) await write(piece);
      // A caller that lost the last octets on the way may fetch them once more.
      await spool.remove(file.id, LIMITS.httpRequestMs);
    },
  };
}

/** Of `bytes=N-`, the one form that a fetch goes on with. */
function startOf(range: string, bytes: number): number | undefined {
  const start = /^bytes=(\d{1,15})-$/.exec(range)?.[1];
  return start === undefined || Number(start) >= bytes ? undefined : Number(start);
}

function plain(status: number, text: string, headers: Readonly<Record<string, string>> = {}): WebReply {
  return { status, headers: { 'content-type': 'text/plain', 'cache-control': 'no-store', ...headers }, body: text };
}

function denied(reason: string): WebReply {
  return { ...plain(403, 'denied'), refused: reason };
}

/** Several pages as one: the first that serves a path has it. */
export function joinPages(all: readonly WebPages[]): WebPages {
  return {
    serves: (path) => all.some((pages) => pages.serves(path)),
    handle: (request) => all.find((pages) => pages.serves(request.path))!.handle(request),
  };
}
