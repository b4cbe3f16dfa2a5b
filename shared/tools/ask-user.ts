import * as z from 'zod';
import { defineTool } from '#ports/tool.ts';

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
      .refine(isPattern, 'expected a JavaScript regular expression')
      .exactOptional()
      .describe('for input: a regular expression the whole answer has to match'),
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
