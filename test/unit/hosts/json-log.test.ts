import { expect, it } from 'vitest';
import { createJsonLog } from '#hosts/json-log.ts';

it('writes one JSON line per fact: time, level, event, and only what it was handed', () => {
  const lines: string[] = [];
  const log = createJsonLog(
    (line) => lines.push(line),
    () => Date.UTC(2026, 0, 5),
  );
  log.info('turn-ended', { session: 's', steps: 2, ask: undefined });
  log.warn('put-back');
  log.error('failed', { why: 'two\nlines' });
  expect(lines).toEqual([
    '{"time":"2026-01-05T00:00:00.000Z","level":"info","event":"turn-ended","session":"s","steps":2}\n',
    '{"time":"2026-01-05T00:00:00.000Z","level":"warn","event":"put-back"}\n',
    '{"time":"2026-01-05T00:00:00.000Z","level":"error","event":"failed","why":"two\\nlines"}\n',
  ]);
});
