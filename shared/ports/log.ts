import type { Json } from '#domain/canonical-json.ts';

/** One line per fact. Never a secret, a token or a row of somebody's data. */
export interface Log {
  info(event: string, facts?: { readonly [name: string]: Json | undefined }): void;
  warn(event: string, facts?: { readonly [name: string]: Json | undefined }): void;
  error(event: string, facts?: { readonly [name: string]: Json | undefined }): void;
}
