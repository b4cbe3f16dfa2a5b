import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

/** Below the 400 KB of an item, with room for its keys. */
const ROW_BYTES = 350 * 1024;

export interface PackedText {
  readonly rows: readonly Uint8Array[];
  /** Of the compressed bytes: another compressor makes other rows, and must not overwrite half of these. */
  readonly digest: string;
}

export const packText = async (text: string): Promise<PackedText> => {
  const packed = await promisify(gzip)(text);
  const rows: Uint8Array[] = [];
  for (let start = 0; start < packed.length; start += ROW_BYTES)
    rows.push(packed.subarray(start, start + ROW_BYTES));
  return { rows, digest: createHash('sha256').update(packed).digest('base64url') };
};

export const unpackText = async (rows: readonly Uint8Array[]): Promise<string> =>
  String(await promisify(gunzip)(Buffer.concat(rows)));

/** Cut on a character's boundary, with a note that says so. */
export const cutText = (text: string, most: number): string => {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = most;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end)}\n[truncated: ${end} of ${bytes.length} bytes]`;
};
