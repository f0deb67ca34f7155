// CRC-32 as in gzip (RFC 1952 §8): finds what a disk or a power cut damaged. It proves nothing about who wrote it.
import { crc32 } from 'node:zlib';

/** Eight lower-case hex digits. */
export function crc32Hex(octets: Uint8Array | string): string {
  return crc32(octets).toString(16).padStart(8, '0');
}
