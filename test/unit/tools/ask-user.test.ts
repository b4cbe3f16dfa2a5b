import { describe, expect, it } from 'vitest';
import { askUser } from '#tools/ask-user.ts';

describe('ask_user', () => {
  const questions = [
    { kind: 'input', prompt: '填什么？', placeholder: '数字', pattern: '\\d+' },
    { kind: 'input', prompt: 'What?' },
    { kind: 'choice', prompt: 'Which?', options: ['a', 'b'], multiple: true },
  ];
  it.each(questions)('puts the question as it was given: %j', (input) => {
    const parsed = askUser.parse(input);
    if (parsed.kind === 'wrong') throw new Error(parsed.why);
    expect(askUser.question?.(parsed.input)).toEqual(input);
    expect(askUser.summary(parsed.input, 'en')).toBe(input.prompt);
  });

  it('runs nothing', () => {
    expect(askUser.work).toBeUndefined();
  });

  it.each([
    [{ kind: 'choice', prompt: 'Which?' }, 'options'],
    [{ kind: 'choice', prompt: 'Which?', options: ['only one'] }, 'options'],
    [{ kind: 'input', prompt: ' ' }, 'prompt'],
    [{ kind: 'input' }, 'prompt'],
    [{ kind: 'form', prompt: 'What?' }, 'kind'],
    [{ kind: 'input', prompt: 'What?', pattern: '(' }, 'pattern'],
  ])('refuses %j, naming the field', (input, field) => {
    const parsed = askUser.parse(input);
    expect(parsed.kind === 'wrong' && parsed.why).toContain(field);
  });

  it('tells the model what it takes', () => {
    expect(askUser.schema).toMatchObject({
      required: ['kind', 'prompt'],
      properties: { kind: { enum: ['input', 'choice'] }, options: { type: 'array' } },
    });
  });
});
