import { CutOffError } from './read-stream.ts';

/**
 * `fetch` that gives up a server which fell silent. Bytes count, not answers: providers keep a long thought alive with
 * comments and pings that say nothing.
 */
export const fetchWithin =
  (silenceMs: number): typeof fetch =>
  async (input, init) => {
    const silence = new AbortController();
    const giveUp = () => silence.abort(new CutOffError('the server fell silent'));
    const timer = setTimeout(giveUp, silenceMs).unref();
    const signals = init?.signal ? [init.signal, silence.signal] : [silence.signal];
    const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
    const heard = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        timer.refresh();
        controller.enqueue(bytes);
      },
      flush: () => clearTimeout(timer),
    });
    const { status, statusText, headers } = response;
    return new Response(response.body?.pipeThrough(heard), { status, statusText, headers });
  };
