// Takes the objects out of one long JSON array that arrives in pieces, without ever holding more than one piece and one object.
// Expects what `ip -j route` prints: objects that begin with `dst` or `type`. Such a beginning cannot stand inside a string, where
// quotes are escaped, nor inside a next hop, so that whole pieces can be parsed at once.
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';

export type RowSplitter = {
  /** Objects that ended within this piece, as far as the next one has begun. */
  push(piece: Uint8Array): readonly JsonObject[];
  /** The last object. */
  finish(): readonly JsonObject[];
};

const BEGINNINGS = ['},{"dst":', '},{"type":'] as const;

export function createRowSplitter(): RowSplitter {
  const decoder = new TextDecoder();
  let text = '';
  let begun = false;
  const take = (more: string): readonly JsonObject[] => {
    text += more;
    if (!begun) {
      const start = text.indexOf('[');
      if (start < 0) return [];
      text = text.slice(start + 1);
      begun = true;
    }
    const cut = Math.max(...BEGINNINGS.map((beginning) => text.lastIndexOf(beginning)));
    if (cut < 0) {
      if (text.length > LIMITS.kernelReadBytes) throw unreadable('a row that ends');
      return [];
    }
    const rows = parseRows(text.slice(0, cut + 1));
    text = text.slice(cut + 2);
    return rows;
  };
  return {
    push: (piece) => take(decoder.decode(piece, { stream: true })),
    finish() {
      const rows = take(decoder.decode());
      const rest = text.trim().replace(/\]$/, '');
      text = '';
      return rest === '' ? rows : [...rows, ...parseRows(rest)];
    },
  };
}

function parseRows(text: string): JsonObject[] {
  try {
    return JSON.parse(`[${text}]`) as JsonObject[];
  } catch (error) {
    throw unreadable('JSON', error);
  }
}

function unreadable(expected: string, cause?: unknown): ParleyError {
  return new ParleyError('node/kernel-unreadable', `expected ${expected} from ip, came something else`, { cause });
}
