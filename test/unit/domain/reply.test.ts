import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bareDecision, type Reply, readReply } from '#domain/reply.ts';
import { anAsk, aTask } from './given.ts';

const three = anAsk({ tasks: [aTask(), aTask({ call: 1 }), aTask({ call: 2 })] });
const read = (text: string) => readReply(text, three);

/** The table once more, by hand: a word added to the code by mistake must not be added here with it. */
const TABLE = {
  confirm: [
    ...['确认', '确定', '同意', '批准', '执行', '确认执行', '通过', '是', '是的', '好', '好的'],
    ...['可以', '行', '没问题', '👍', '✅', '[赞]', '[OK]', 'confirm', 'confirmed', 'yes', 'y'],
    ...['yep', 'ok', 'okay', 'approve', 'approved', 'go ahead', 'do it'],
  ],
  cancel: [
    ...['取消', '拒绝', '不', '不要', '不行', '不同意', '不确认', '否', '别', '算了', '停', '👎'],
    ...['❌', 'cancel', 'no', 'n', 'nope', 'reject', 'rejected', 'deny', 'stop', "don't"],
  ],
} as const;
const WORDS = [...TABLE.confirm, ...TABLE.cancel];

const wide = (text: string) =>
  text.replace(/[!-~]/g, (c) => String.fromCodePoint(c.charCodeAt(0) + 0xfee0));
const CLOSING = '[\\s。.．!！~～]*$';
const spelled = (word: string) =>
  [...word]
    .map((c) => {
      if (c === ' ') return '\\s+';
      if (c === "'") return "['’＇]";
      return /[!-~]/.test(c) ? `[\\${c}${wide(c)}]`.replace(/\\(?=[a-z])/i, '') : c;
    })
    .join('');
const anyOf = (words: readonly string[]) =>
  new RegExp(`^\\s*(?:${words.map(spelled).join('|')})${CLOSING}`, 'iu');
const NUMBER = '[0-9０-９]+';
const PICK = new RegExp(
  `^\\s*(?:确认\\s*|${spelled('confirm ')})${NUMBER}(?:(?:\\s*[,，、]\\s*|\\s+)${NUMBER})*${CLOSING}`,
  'iu',
);
const ORACLE = { confirm: anyOf(TABLE.confirm), cancel: anyOf(TABLE.cancel) };
const byTheTable = (text: string): 'confirm' | 'cancel' | 'pick' | undefined => {
  const bare = text.replace(/[\u{1F3FB}-\u{1F3FF}\u{FE0F}]/gu, '');
  if (ORACLE.confirm.test(bare)) return 'confirm';
  if (ORACLE.cancel.test(bare)) return 'cancel';
  return PICK.test(bare) ? 'pick' : undefined;
};

describe('the words that decide', () => {
  it.each(TABLE.confirm)('reads %s as a confirm of everything', (word) => {
    expect(read(word)).toEqual({ kind: 'confirm' });
    expect(bareDecision(word)).toBe('confirm');
  });

  it.each(TABLE.cancel)('reads %s as a cancel', (word) => {
    expect(read(word)).toEqual({ kind: 'cancel' });
    expect(bareDecision(word)).toBe('cancel');
  });

  it.each([
    ...[
      'OK',
      'Ok',
      'ＯＫ',
      'ｏｋ',
      ' ok ',
      'ok\n',
      '\u3000ok',
      'ok.',
      'ok!',
      'ok！！',
      'ok~',
      'ok～',
    ],
    ...[
      'ok。',
      'ok . ! ~',
      'YES',
      'Go  Ahead',
      'go\nahead',
      'DO IT!',
      '好的。',
      '好的！',
      '是的～',
    ],
    ...['👍🏻', '👍🏿!', '👍🏽。', '✅\uFE0F', '[ok]', '［ＯＫ］', '［赞］', '确认．'],
  ])('folds case, width, white space, skin tone and closing punctuation: %j', (text) => {
    expect(read(text)).toEqual({ kind: 'confirm' });
  });

  it.each(['don’t', "DON'T", 'Don＇t', 'don’t!', '👎🏼', '❌\uFE0F', 'ＮＯ', '不。', '算了～'])(
    'folds refusals the same way: %j',
    (text) => {
      expect(read(text)).toEqual({ kind: 'cancel' });
    },
  );

  it.each([
    ...[
      'ok?',
      'ok？',
      'ok?.',
      'ok ?!',
      '好的吧？',
      '好的吧',
      '确认吗',
      '确认吗？',
      '确认？',
      '是不是',
    ],
    ...[
      'yesterday',
      'now please',
      'no problem',
      'yes no',
      'ok cancel',
      'yes, but tomorrow',
      'not ok',
    ],
    ...[
      'ok…',
      'ok,',
      'ok;',
      '"ok"',
      '(ok)',
      '-ok',
      '.ok',
      '!ok',
      'o k',
      'o.k.',
      'okok',
      'yy',
      'y/n',
    ],
    ...[
      '不同意见我明天说',
      '确认一下这是什么',
      '不确定',
      '不好',
      '不可以',
      '不是',
      '不是的',
      '没问题吗',
    ],
    ...[
      '是 的',
      '好 的',
      '確認',
      '取消订单',
      '先取消',
      '别取消',
      '停一下',
      '行不行',
      '可以吗',
      '同意吗',
    ],
    ...[
      '1、3',
      '1',
      '1,3',
      '13',
      '确认1a',
      '确认a1',
      '确认 1.5',
      '确认-1',
      '确认 1-3',
      '确认执行 1',
    ],
    ...[
      'confirm1',
      'confirm 1 and 3',
      'yes 1',
      '确认 一',
      '确认 1,',
      '确认 ,1',
      '确认 1,,3',
      '取消 1',
    ],
    ...[
      'go',
      'ahead',
      'goahead',
      'do',
      'doit',
      "don't do it",
      'dont',
      'don`t',
      'stop it',
      'cancel it',
    ],
    ...['👍👎', '👍 ✅', '👍?', '[赞', '赞', 'OK]', '[不]', '🙂', '', ' ', '。', '!!!', '?', '...'],
    ...[
      'ok\u200b',
      'o\u0301k',
      'Ωk',
      'оk (Cyrillic o)',
      'оk',
      'nо',
      '修改',
      '修改：',
      '修改:  ',
      'change',
    ],
    ...[
      'sure',
      'fine',
      'yeah',
      'yup',
      'k',
      'please do',
      'run it',
      'lgtm',
      'nah',
      'never',
      'abort',
      'wait',
      '嗯',
      '对',
      '对的',
      '中',
      '可',
      '没',
      '等等',
      '🆗',
      '🙏',
      '修改意见明天说',
      'modify:',
      'changed: x',
      'changes',
      '改成',
      '请修改：数量',
      '/confirm',
      '/cancel',
    ],
  ])('decides nothing by a near miss: %j', (text) => {
    expect(read(text)).toEqual({ kind: 'other' });
    expect(bareDecision(text)).toBeUndefined();
  });
});

describe('picking tasks', () => {
  it.each<[string, number[]]>([
    ['确认 1,3', [0, 2]],
    ['确认1、3', [0, 2]],
    ['confirm 1 3', [0, 2]],
    ['Confirm 1, 3!', [0, 2]],
    ['确认１，３。', [0, 2]],
    ['确认 2', [1]],
    ['确认 3 1', [2, 0]],
    ['确认 1,1', [0]],
    ['确认 1、2、3', [0, 1, 2]],
  ])('%j confirms exactly those', (text, picked) => {
    expect(read(text)).toEqual({ kind: 'confirm', picked });
    expect(bareDecision(text)).toBeUndefined();
  });

  it.each(['确认 4', '确认 0', '确认 1,4', 'confirm 99999999999999999999'])(
    '%j names a task that is not there: nothing is decided, and the range is told',
    (text) => {
      expect(read(text)).toEqual({ kind: 'wrong', wrong: 'pick', of: 3 });
    },
  );
});

describe('asking for a change', () => {
  it.each([
    ['修改：只删今年的', '只删今年的'],
    ['修改: 只删今年的', '只删今年的'],
    ['修改 只删今年的', '只删今年的'],
    ['改为：100 元', '100 元'],
    ['改成 100 元', '100 元'],
    ['modify: Only THIS year', 'Only THIS year'],
    ['Change the limit to 10?', 'the limit to 10?'],
    ['ｍｏｄｉｆｙ：Ｏｎｌｙ this', 'Ｏｎｌｙ this'],
    ['  修改 ：\n第一行\n第二行  ', '第一行\n第二行'],
    ['修改：确认', '确认'],
  ])('%j keeps what was said as it was said', (text, change) => {
    expect(read(text)).toEqual({ kind: 'modify', text: change });
  });
});

describe('whatever else people write', () => {
  const glue = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.constantFrom(
      '',
      ' ',
      '\n',
      '?',
      '？',
      '。',
      '！',
      '~',
      '…',
      ',',
      '、',
      '1',
      '3',
      '的',
      '吗',
      'not ',
    ),
  );
  const word = fc.constantFrom(...WORDS, '修改：', 'confirm 1', '确认1、3');
  const anything = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.array(fc.oneof(word, glue), { minLength: 1, maxLength: 5 }).map((parts) => parts.join('')),
  );
  const said = ({ kind, ...rest }: Reply) => {
    if (kind === 'confirm') return 'picked' in rest ? 'pick' : 'confirm';
    return kind === 'cancel' ? 'cancel' : undefined;
  };

  it('decides only by the table', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const decided = said(read(text));
        if (decided) expect(byTheTable(text)).toBe(decided);
      }),
      { numRuns: 20_000 },
    );
  });

  it('decides by every way of writing a word of the table', () => {
    const written = fc
      .tuple(
        fc.constantFrom(...WORDS),
        fc.infiniteStream(fc.constantFrom('as it is', 'upper', 'wide')),
        fc.constantFrom('', ' ', '\n\t', '\u3000'),
        fc.string({ unit: fc.constantFrom(...'。.!！~～ '), maxLength: 4 }),
      )
      .map(([word, ways, before, after]) => {
        const letter = (c: string) => {
          const way = ways.next().value;
          if (way === 'upper') return c.toUpperCase();
          return way === 'wide' ? wide(c) : c;
        };
        return { word, text: before + [...word].map(letter).join('') + after };
      });
    fc.assert(
      fc.property(written, ({ word, text }) => {
        expect(said(read(text))).toBe(byTheTable(word));
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('a question for a text', () => {
  const input = (pattern?: string) =>
    anAsk({ kind: 'input', question: { prompt: '多少？', ...(pattern && { pattern }) } });

  it.each(['确认', 'no', '1、3', '修改：x', 'what?', 'cancel my order', '别'])(
    'takes %j as the answer',
    (text) => {
      expect(readReply(` ${text}\n`, input())).toEqual({ kind: 'answer', text });
    },
  );

  it.each(['取消', 'cancel', 'Cancel!', '取消。', 'ＣＡＮＣＥＬ'])(
    'is cancelled by a bare %j',
    (text) => {
      expect(readReply(text, input())).toEqual({ kind: 'cancel' });
      expect(readReply(text, input('\\d+'))).toEqual({ kind: 'cancel' });
    },
  );

  it('takes only an answer that fits its pattern as a whole', () => {
    expect(readReply(' 42 ', input('\\d+'))).toEqual({ kind: 'answer', text: '42' });
    for (const text of ['42 yuan', 'a42', '', '4\n2', '9'.repeat(1001)])
      expect(readReply(text, input('\\d+'))).toEqual({ kind: 'wrong', wrong: 'pattern', of: 0 });
    expect(readReply('ab', input('a|ab'))).toEqual({ kind: 'answer', text: 'ab' });
  });

  it('takes any answer when a model gave a pattern that is no regular expression', () => {
    expect(readReply('42', input('[0-9'))).toEqual({ kind: 'answer', text: '42' });
  });
});

describe('a question with choices', () => {
  const choice = (multiple = false, options = ['北京', '上海', 'New York']) =>
    anAsk({ kind: 'choice', question: { prompt: '哪里？', options, multiple } });

  it.each([
    ['2', '上海'],
    ['２。', '上海'],
    ['上海', '上海'],
    ['new  york!', 'New York'],
  ])('%j is answered by number or label', (text, answer) => {
    expect(readReply(text, choice())).toEqual({ kind: 'answer', text: answer });
    expect(readReply(text, choice(true))).toEqual({ kind: 'answer', text: answer });
  });

  it.each(['1,3', '1，3', '1、3', '北京, new york', '1,New York', '1,3,1'])(
    '%j chooses several where several may be chosen, and none where one must be',
    (text) => {
      expect(readReply(text, choice(true))).toEqual({ kind: 'answer', text: '北京, New York' });
      expect(readReply(text, choice())).toEqual({ kind: 'wrong', wrong: 'choice', of: 3 });
    },
  );

  it.each(['0', '4', '-1', '1.5', '广州', '1,4', '1,', '', '确认', '1 3'])(
    '%j answers nothing and says how many there are',
    (text) => {
      expect(readReply(text, choice(true))).toEqual({ kind: 'wrong', wrong: 'choice', of: 3 });
    },
  );

  it('prefers a label that looks like a number, or holds a comma, to a position', () => {
    expect(readReply('3', choice(false, ['3', '2', '1']))).toEqual({ kind: 'answer', text: '3' });
    expect(readReply('a, b', choice(true, ['a, b', 'a', 'b']))).toEqual({
      kind: 'answer',
      text: 'a, b',
    });
  });

  it('is cancelled by a bare cancel', () => {
    expect(readReply('取消', choice())).toEqual({ kind: 'cancel' });
    expect(readReply('no', choice())).toEqual({ kind: 'wrong', wrong: 'choice', of: 3 });
  });
});
