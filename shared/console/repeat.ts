/**
 * Does the work again and again: after the pause it answers with, or at once when the returned function is called.
 * Never twice at a time, so that an old answer cannot overwrite a newer one.
 */
export const repeat = (work: () => Promise<number>): (() => void) => {
  let running = false;
  let wanted = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = async (): Promise<void> => {
    clearTimeout(timer);
    wanted = running;
    if (running) return;
    running = true;
    const pauseMs = await work();
    running = false;
    timer = setTimeout(() => void run(), wanted ? 0 : pauseMs);
  };
  return () => void run();
};
