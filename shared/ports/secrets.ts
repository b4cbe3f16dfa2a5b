export type SecretValues = Readonly<Record<string, string>>;

/** One secret, whose values have the names of the environment. */
export interface Secrets {
  /** As read within the last minutes. The same object as long as nothing was changed. */
  current(): Promise<SecretValues>;
  /** Read anew, because something did not fit: it may just have been rotated. */
  again(): Promise<SecretValues>;
}
