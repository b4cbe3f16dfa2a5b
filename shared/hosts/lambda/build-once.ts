/** Clients and settings are built by the first invocation and kept; a build that failed is tried again by the next. */
export const buildOnce = <T>(build: () => Promise<T>): (() => Promise<T>) => {
  let built: Promise<T> | undefined;
  return () => {
    built ??= build().catch((error: unknown) => {
      built = undefined;
      throw error;
    });
    return built;
  };
};
