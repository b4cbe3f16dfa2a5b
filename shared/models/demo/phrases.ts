import type { Language } from '#domain/settings.ts';
import type { Unclear } from './request.ts';

/** Everything the demo model says. */
export interface Phrases {
  readonly intro: string;
  readonly examples: (examples: readonly string[]) => string;
  readonly nothingOffered: string;
  readonly unclear: (unclear: Unclear) => string;
  readonly cannot: (tools: readonly string[]) => string;
  readonly notLearned: (why: string) => string;
  readonly notAnswered: string;
  readonly needed: (prompt: string) => string;
  readonly askTable: string;
  readonly askNote: string;
  readonly askValue: (table: string, column: string) => string;
  readonly askValues: (table: string, columns: readonly string[]) => string;
  readonly askWhere: (table: string, kind: string) => string;
  readonly tables: (
    tables: readonly { readonly name: string; readonly rows: number | null }[],
  ) => string;
  readonly columns: (table: string, columns: readonly string[]) => string;
  readonly count: (count: string) => string;
  readonly noRows: string;
  readonly moreRows: (count: number, atLeast: boolean) => string;
  readonly changed: (command: string, rows: number) => string;
  readonly noted: (text: string) => string;
  readonly notes: (notes: readonly string[]) => string;
  readonly notesDeleted: (count: number) => string;
  readonly done: (what: string, text: string) => string;
  readonly notRun: (
    outcome: 'declined' | 'timeout' | 'stopped' | 'refused',
    what: string,
    why: string,
  ) => string;
  readonly failed: (what: string, why: string) => string;
  readonly unknown: (what: string) => string;
  readonly nothingLeft: string;
  readonly example: {
    readonly count: (table: string, condition: string) => string;
    readonly remove: (table: string, condition: string) => string;
    readonly change: (table: string, column: string, value: string) => string;
    readonly note: string;
  };
}

const SETTINGS = 'MODEL=anthropic/<id>';
const COMPATIBLE = 'MODEL=openai-compatible/<id>';
const numbered = (lines: readonly string[]) =>
  lines.map((line, index) => `${index + 1}. ${line}`).join('\n');
const bulleted = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');

const zh: Phrases = {
  intro:
    `我是内置的演示模型：只有一小套语法，没有接真正的语言模型。要换成真正的模型，请设置 ${SETTINGS}，` +
    `或 ${COMPATIBLE} 加 MODEL_BASE_URL，并用 MODEL_API_KEY 给出密钥，再重新启动。`,
  examples: (examples) => `可以这样说：\n${bulleted(examples)}`,
  nothingOffered: '现在没有给我任何能用的工具。',
  unclear: (unclear) => {
    switch (unclear.problem) {
      case 'words':
        return `演示模型没看懂“${unclear.text}”，什么都没有做。`;
      case 'verb':
        return `“${unclear.text}”里有几个不同的动作，演示模型分不清；请用“；”分开说。什么都没有做。`;
      case 'change':
        return `演示模型没看懂这个修改：“${unclear.text}”，所以没有执行。可以说“只要上个月的”“前 10 条”，或直接给出新的条件。`;
      case 'two-tables':
        return `演示模型一次只看一张表，这里提到了：${unclear.text}。什么都没有做。`;
      case 'value':
        return `列 ${unclear.column} 的类型是 ${unclear.type}，“${unclear.text}”不合适。什么都没有做。`;
      case 'no-time':
        return `表 ${unclear.text} 没有时间列，不能按时间筛选。什么都没有做。`;
      case 'no-table':
        return '数据库里还没有表，什么都没有做。';
      default:
        return unclear satisfies never;
    }
  },
  cannot: (tools) => `这件事需要工具 ${tools.join('、')}，但这里没有提供，所以做不了。`,
  notLearned: (why) => `没能读到数据库的结构，什么都没有做：${why}`,
  notAnswered: '没有得到回答，所以没有执行。',
  needed: (prompt) => `还缺一点信息：${prompt} 请把整句话连同它再说一遍。`,
  askTable: '要操作哪张表？',
  askNote: '笔记写什么？',
  askValue: (table, column) => `${table} 的 ${column} 填什么？`,
  askValues: (table, columns) =>
    `请给出 ${table} 的值，例如：${columns.map((column) => `${column}=…`).join('，')}`,
  askWhere: (table, kind) =>
    `要${kind === 'delete' ? '删除' : '修改'} ${table} 的哪些记录？请给出条件（例如 id=5），全部请写“所有”。`,
  tables: (tables) =>
    tables.length === 0
      ? '数据库里还没有表。'
      : `共有 ${tables.length} 张表：\n${bulleted(tables.map(({ name, rows }) => (rows === null ? name : `${name}（约 ${rows} 行）`)))}`,
  columns: (table, columns) => `${table} 有这些列：\n${bulleted(columns)}`,
  count: (count) => `共 ${count} 条。`,
  noRows: '没有符合条件的记录。',
  moreRows: (count, atLeast) => `……还有${atLeast ? '至少' : ''} ${count} 条`,
  changed: (command, rows) =>
    ({
      DELETE: `已删除 ${rows} 条记录。`,
      UPDATE: `已修改 ${rows} 条记录。`,
      INSERT: `已新增 ${rows} 条记录。`,
    })[command] ?? `已执行 ${command}，影响 ${rows} 条记录。`,
  noted: (text) => `已记下：${text}`,
  notes: (notes) =>
    notes.length === 0 ? '还没有笔记。' : `共 ${notes.length} 条笔记：\n${numbered(notes)}`,
  notesDeleted: (count) => `已删除 ${count} 条笔记。`,
  done: (what, text) => `已完成：${what}\n${text}`,
  notRun: (outcome, what, why) =>
    `没有执行（${{ declined: '被取消', timeout: '等待确认超时', stopped: '已停止', refused: '被拒绝' }[outcome]}）：${what}${why && `\n${why}`}`,
  failed: (what, why) => `没有成功：${what}\n${why}`,
  unknown: (what) => `不确定是否执行了，可能已经执行，请核实：${what}`,
  nothingLeft: '没有剩下要做的事。',
  example: {
    count: (table, condition) => `${table} 里 ${condition} 的有多少`,
    remove: (table, condition) => `删除 ${table} 表里 ${condition} 的记录`,
    change: (table, column, value) => `把 ${table} 里 id=5 的 ${column} 改成 ${value}`,
    note: '记一条笔记：周五前核对',
  },
};

const en: Phrases = {
  intro:
    `I am the built-in demo model: a small grammar, no real language model. To use a real one, set ${SETTINGS}, ` +
    `or ${COMPATIBLE} with MODEL_BASE_URL, give the key in MODEL_API_KEY, and start again.`,
  examples: (examples) => `You can say:\n${bulleted(examples)}`,
  nothingOffered: 'No tool has been given to me now.',
  unclear: (unclear) => {
    switch (unclear.problem) {
      case 'words':
        return `The demo model does not understand "${unclear.text}". Nothing was done.`;
      case 'verb':
        return `"${unclear.text}" asks for several different things; please part them with ";". Nothing was done.`;
      case 'change':
        return `The demo model does not understand this change: "${unclear.text}", so it was not run. You can say "only last month", "first 10", or give a new condition.`;
      case 'two-tables':
        return `The demo model looks at one table at a time; this names ${unclear.text}. Nothing was done.`;
      case 'value':
        return `The column ${unclear.column} is of type ${unclear.type}; "${unclear.text}" does not fit. Nothing was done.`;
      case 'no-time':
        return `The table ${unclear.text} has no column with a time to choose by. Nothing was done.`;
      case 'no-table':
        return 'The database has no tables yet. Nothing was done.';
      default:
        return unclear satisfies never;
    }
  },
  cannot: (tools) =>
    `This takes the tool ${tools.join(', ')}, which is not offered here, so I cannot do it.`,
  notLearned: (why) => `The structure of the database could not be read. Nothing was done: ${why}`,
  notAnswered: 'There was no answer, so it was not run.',
  needed: (prompt) =>
    `Something is missing: ${prompt} Please say the whole sentence again with it.`,
  askTable: 'Which table is it about?',
  askNote: 'What shall the note say?',
  askValue: (table, column) => `What shall ${column} of ${table} be?`,
  askValues: (table, columns) =>
    `Please give the values for ${table}, such as: ${columns.map((column) => `${column}=…`).join(', ')}`,
  askWhere: (table, kind) =>
    `Which rows of ${table} shall be ${kind === 'delete' ? 'deleted' : 'changed'}? Give a condition (such as id=5), or "all".`,
  tables: (tables) =>
    tables.length === 0
      ? 'The database has no tables yet.'
      : `There are ${tables.length} tables:\n${bulleted(tables.map(({ name, rows }) => (rows === null ? name : `${name} (about ${rows} rows)`)))}`,
  columns: (table, columns) => `${table} has these columns:\n${bulleted(columns)}`,
  count: (count) => `${count} in all.`,
  noRows: 'No row fits.',
  moreRows: (count, atLeast) => `… and ${atLeast ? 'at least ' : ''}${count} more`,
  changed: (command, rows) => {
    const what = `${rows} ${rows === 1 ? 'row' : 'rows'}`;
    const said = {
      DELETE: `Deleted ${what}.`,
      UPDATE: `Changed ${what}.`,
      INSERT: `Added ${what}.`,
    };
    return (said as Record<string, string>)[command] ?? `Ran ${command}: ${what}.`;
  },
  noted: (text) => `Noted: ${text}`,
  notes: (notes) =>
    notes.length === 0 ? 'There are no notes yet.' : `Notes (${notes.length}):\n${numbered(notes)}`,
  notesDeleted: (count) => `Deleted ${count} ${count === 1 ? 'note' : 'notes'}.`,
  done: (what, text) => `Done: ${what}\n${text}`,
  notRun: (outcome, what, why) =>
    `Not run (${{ declined: 'cancelled', timeout: 'nobody confirmed in time', stopped: 'stopped', refused: 'refused' }[outcome]}): ${what}${why && `\n${why}`}`,
  failed: (what, why) => `This did not succeed: ${what}\n${why}`,
  unknown: (what) => `It is not certain whether this ran; it may have. Please check: ${what}`,
  nothingLeft: 'Nothing is left to do.',
  example: {
    count: (table, condition) => `how many rows of ${table} have ${condition}`,
    remove: (table, condition) => `delete the rows of ${table} where ${condition}`,
    change: (table, column, value) => `update ${table} set ${column} = ${value} where id = 5`,
    note: 'note: check by Friday',
  },
};

export const phrasesIn = (language: Language): Phrases => (language === 'zh-CN' ? zh : en);

export const languageOf = (text: string): Language =>
  /\p{Script=Han}/u.test(text) ? 'zh-CN' : 'en';
