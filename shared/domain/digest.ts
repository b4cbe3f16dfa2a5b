import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from './canonical-json.ts';

/** SHA-256 over canonical JSON, as base64url: 43 characters of `[A-Za-z0-9_-]`. */
export const digest = (value: Json): string =>
  createHash('sha256').update(canonicalJson(value)).digest('base64url');
