import * as z from 'zod';
import { defineTool } from '#ports/tool.ts';
import { isQuick } from './questions/quick-pattern.ts';

const isPattern = (pattern: string): boolean => {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
};

const question = z
  .object({
    kind: z.enum(['input', 'choice']),
    prompt: z.string().trim().min(1).max(2_000),
    placeholder: z.string().max(200).exactOptional(),
    pattern: z
      .string()
      .max(200)
      .refine(isPattern, { error: 'expected a JavaScript regular expression', abort: true })
      .refine(
        isQuick,
        'could take too long on some answers: repeat no group, use no lookaround and no backreference, and put nothing open-ended next to something that takes the same characters',
      )
      .exactOptional()
      .describe('for input: a simple regular expression the whole answer has to match'),
    options: z
      .array(z.string().trim().min(1).max(200))
      .min(2)
      .max(50)
      .exactOptional()
      .describe('for choice: what can be chosen'),
    multiple: z.boolean().exactOptional().describe('for choice: whether several may be chosen'),
  })
  .refine(({ kind, options }) => kind === 'input' || options !== undefined, {
    path: ['options'],
    message: 'a choice needs options',
  });

export const askUser = defineTool({
  description:
    'Ask the person who wrote to you: for a text (kind "input") or one of several options (kind "choice").',
  input: question,
  summary: ({ prompt }) => prompt,
  question: (asked) => asked,
});
