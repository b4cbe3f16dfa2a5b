import type { Json } from '#domain/canonical-json.ts';

export interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly event: string;
  readonly facts: { readonly [name: string]: Json | undefined };
}

const LONGEST_ID = 32;
const LONGEST_TEXT = 200;

/** Functions log to the standard output. As CloudWatch does on AWS, this takes their lines from there; all else passes. */
export const captureLogLines = (
  output: NodeJS.WriteStream,
  take: (line: LogLine) => void,
): (() => void) => {
  const { write } = output;
  const filtered = (...given: Parameters<typeof write>): boolean => {
    const line = typeof given[0] === 'string' ? readLogLine(given[0]) : undefined;
    if (!line) return write.apply(output, given);
    take(line);
    return true;
  };
  output.write = filtered as typeof write;
  return () => {
    output.write = write;
  };
};

export const readLogLine = (text: string): LogLine | undefined => {
  if (!text.startsWith('{"time":')) return undefined;
  try {
    const { time, level, event, ...facts } = JSON.parse(text);
    return { time, level, event, facts };
  } catch {
    return undefined;
  }
};

/** For a person at a terminal. */
export const shortLine = ({ time, level, event, facts }: LogLine): string => {
  const clock = new Date(time).toTimeString().slice(0, 8);
  const said = Object.entries(facts).map(([name, fact]) => `${name}=${shortFact(fact)}`);
  return [clock, ...(level === 'info' ? [] : [level]), event, ...said].join(' ');
};

/** Ids keep both ends: they begin alike, and often end alike too. */
const shortFact = (fact: Json | undefined): string => {
  const text = typeof fact === 'string' ? fact : JSON.stringify(fact);
  if (/\s/.test(text)) return JSON.stringify(text.slice(0, LONGEST_TEXT));
  return text.length > LONGEST_ID ? `${text.slice(0, 12)}…${text.slice(-12)}` : text;
};
