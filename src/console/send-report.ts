// `GET /console/reports/<id>`: the sealed file as stored, byte for byte, in pieces (CARD-6). The file that the browser saves verifies
// with `parley report verify`.
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { CallGate } from '#model/ports.ts';
import type { WebReply, WebRequest } from '#model/web.ts';
import { callTool, type Refusal } from './call-tool.ts';
import { secured } from './headers.ts';

/** The tool's schema bounds the id: one that it answered to is safe in a header. */
export async function sendReport(
  gate: CallGate,
  request: WebRequest,
  id: string,
  refused: (refusal: Refusal) => WebReply,
): Promise<WebReply> {
  const first = await callTool(gate, request, 'parley-report-fetch', { id });
  if (!first.ok) return refused(first.refusal);
  return {
    status: 200,
    headers: secured('application/json', {
      'content-disposition': `attachment; filename="parley-report-${id}.json"`,
    }),
    body: async (write) => {
      let piece: JsonObject = first.body;
      let chars = 0;
      for (;;) {
        const text = String(piece['text']);
        chars += text.length;
        await write(text);
        const offset = piece['nextOffset'];
        if (offset === undefined) return;
        if (offset !== chars || chars > LIMITS.reportBytes)
          throw new ParleyError(
            'us/report-damaged',
            `expected the report from character ${chars} on, got ${String(offset)}`,
          );
        const next = await callTool(gate, request, 'parley-report-fetch', { id, offset });
        if (!next.ok) throw new ParleyError('us/report-damaged', 'expected the rest of the report, got a refusal');
        piece = next.body;
      }
    },
  };
}
