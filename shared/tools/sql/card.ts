import type { Language } from '#domain/settings.ts';

/** What is known of a statement's rows before it runs. */
export type Count =
  | { readonly kind: 'exact'; readonly rows: number }
  | { readonly kind: 'estimate'; readonly rows: number }
  | { readonly kind: 'none'; readonly why: 'hidden' | 'code' | 'slow' | 'structure' | 'alone' }
  | { readonly kind: 'refused'; readonly why: string };

/** What else happens by itself; the number does not hold it. */
export interface Effects {
  readonly cascades: readonly string[];
  readonly triggers: readonly string[];
}

/** A planner's guess may be far off: it binds only by its order of magnitude. */
const limitOf = (estimate: number): number => Math.max(estimate, 1) * 10;

interface Texts {
  exact(rows: number): string;
  estimate(rows: number, limit: number): string;
  readonly none: Readonly<Record<Extract<Count, { kind: 'none' }>['why'], string>>;
  refused(why: string): string;
  cascades(tables: string): string;
  triggers(names: string): string;
  more(rows: number, shown: number): string;
}

const TEXTS: Readonly<Record<Language, Texts>> = {
  'zh-CN': {
    exact: (rows) => `将影响 ${rows} 行`,
    estimate: (rows, limit) =>
      `将影响 ≈ ${rows} 行（仅为估计；若超过 ${limit} 行则回滚并重新询问）`,
    none: {
      hidden: '无法事先得知会影响多少行：语句内部（WITH）还有其他修改。确认即按原样执行',
      code: '无法事先得知会影响多少行：它运行数据库里的代码。确认即按原样执行',
      slow: '无法事先得知会影响多少行：数据库未能在时限内算出。确认即按原样执行',
      structure: '这是对结构或设置的更改，不按行计数',
      alone:
        '这条语句不能在事务中运行：执行后无法撤销，也无法事先统计；若中途断线，可能无法得知是否已执行',
    },
    refused: (why) => `即使确认也不会执行：${why}`,
    cascades: (tables) => `还会通过外键连带更改这些表（不计入上面的行数）：${tables}`,
    triggers: (names) => `会运行这些触发器（其更改不计入上面的行数）：${names}`,
    more: (rows, shown) => `已回滚，未作任何更改：实际会影响 ${rows} 行，而卡片上最多 ${shown} 行`,
  },
  en: {
    exact: (rows) => `Would affect ${rows} ${rows === 1 ? 'row' : 'rows'}`,
    estimate: (rows, limit) =>
      `Would affect ≈ ${rows} rows (an estimate; above ${limit} rows it is rolled back and asked again)`,
    none: {
      hidden:
        'How many rows it would affect cannot be found beforehand: it makes further changes inside (WITH). Confirmed, it runs as it is',
      code: 'How many rows it would affect cannot be found beforehand: it runs code of the database. Confirmed, it runs as it is',
      slow: 'How many rows it would affect cannot be found beforehand: the database did not count them within the time limit. Confirmed, it runs as it is',
      structure: 'It changes structure or settings; rows are not counted',
      alone:
        'It cannot run inside a transaction: it can be neither undone nor counted, and if the connection breaks it may stay unknown whether it ran',
    },
    refused: (why) => `Will not run even if confirmed: ${why}`,
    cascades: (tables) =>
      `Foreign keys carry the change on to these tables (not in the number above): ${tables}`,
    triggers: (names) =>
      `Runs these triggers (what they change is not in the number above): ${names}`,
    more: (rows, shown) =>
      `Rolled back, nothing was changed: it would have affected ${rows} rows, and the card said at most ${shown}`,
  },
};

export const cardText = (count: Count, effects: Effects, language: Language): string => {
  const texts = TEXTS[language];
  const lines = [firstLine(count, texts)];
  if (effects.cascades.length > 0) lines.push(texts.cascades(effects.cascades.join(', ')));
  if (effects.triggers.length > 0) lines.push(texts.triggers(effects.triggers.join(', ')));
  return lines.join('\n');
};

const firstLine = (count: Count, texts: Texts): string => {
  switch (count.kind) {
    case 'exact':
      return texts.exact(count.rows);
    case 'estimate':
      return texts.estimate(count.rows, limitOf(count.rows));
    case 'none':
      return texts.none[count.why];
    case 'refused':
      return texts.refused(count.why);
    default:
      return count satisfies never;
  }
};

/** The most rows that the person who read this card allowed; undefined where it named none. */
export const approvedRows = (shown: string | undefined): number | undefined => {
  const [line = ''] = (shown ?? '').split('\n');
  const numbers = line.match(/\d+/g)?.map(Number) ?? [];
  return Object.values(TEXTS).some(
    ({ exact, estimate }) =>
      line === exact(numbers[0] ?? 0) || line === estimate(numbers[0] ?? 0, numbers[1] ?? 0),
  )
    ? numbers.at(-1)
    : undefined;
};

/** A guess that a run has found to be wrong is not shown again: what it found is. */
export const knownFrom = (count: Count, found: string | undefined): Count => {
  const rows = /\d+/.exec(found ?? '')?.[0];
  return count.kind === 'estimate' && rows !== undefined
    ? { kind: 'exact', rows: Number(rows) }
    : count;
};

export const moreThanShown = (rows: number, shown: number, language: Language): string =>
  TEXTS[language].more(rows, shown);
