/** The words the grammar knows, by what they mean. Whatever is not here and names nothing is not understood. */
const WORDS = {
  count:
    '统计|计数|数一下|数一数|数数|数量|总数|个数|多少|几条|几个|count|how many|number of|total number of',
  list: '列出|列一下|显示|展示|查询|查看|查找|查|看看|看|读取|读|找出|show|list|select|find|get|display|view|read|look at|see',
  delete: '删除|删掉|删去|删|移除|去掉|清除|清理|清掉|delete|remove|erase',
  clear: '清空|clear|empty|wipe',
  update: '更新|修改|更改|变更|调整|设置|改|update|change|modify',
  assign: 'set',
  insert: '新增|新建|插入|添加|增加|录入|加一条|加一个|insert|add|create',
  describe: '描述|describe',
  note: '记录一下|记录下|记一下|记下来|记下|记住|记个|记|note down|note that|remember that|remember to|remember',
  write: '写下|写|保存|write down|write|save|take|make|jot down',
  take: '把|将',
  notes: '笔记|备忘录|备忘|便签|notes|note|memos|memo',
  rows: '记录|数据|行|条|个|rows|row|records|record|entries|entry|data',
  tables: '数据表|表格|张表|表|tables|table',
  columns: '表结构|结构|字段|列|columns|column|fields|field|structure',
  which: '哪些|什么|哪几|what|which',
  all: '所有|全部|整个|all|every|everything',
  '=': '==|=|等于|就是|是|为|equals|equal to|is equal to|is',
  '<>': "!=|<>|≠|不等于|不是|不为|is not equal to|not equal to|is not|isn't|not",
  '>=': '>=|≥|大于等于|大于或等于|不小于|不少于|不低于|至少|greater than or equal to|at least|no less than',
  '<=': '<=|≤|小于等于|小于或等于|不大于|不超过|不高于|至多|less than or equal to|at most|no more than',
  '>': '>|大于|超过|高于|多于|is greater than|greater than|is more than|more than|larger than|above|over',
  '<': '<|小于|低于|少于|不到|is less than|less than|smaller than|below|under',
  empty: '为空|是空|没有值|is null|is empty',
  filled: '不为空|不是空|is not null|is not empty',
  in: 'in|属于',
  null: '空|null',
  to: '改成|改为|设为|设成|设置为|设置成|更新为|更新成|修改为|修改成|变成|变为|换成|调整为|调成|to',
  from: '从|from',
  values: 'values',
  where: '其中|满足|条件是|条件为|where|whose|with|having',
  and: '并且|而且|以及|且|和|and',
  or: '或者|或是|或|or',
  comma: ',|、',
  more: '再|并|同时|also',
  next: '然后|接着|之后再|最后|and then|then|after that|;|。|.',
  first: '前|头|first|limit',
  top: 'top',
  latest: '最近|最新|latest|newest|most recent|last',
  by: '按照|按|order by|sorted by|sort by|group by|by|per|每个|各个|各|每种',
  descending: '降序|倒序|从大到小|从高到低|descending|desc',
  ascending: '升序|从小到大|从低到高|ascending|asc',
  before: '以前|之前|前的|before',
  after: '以后|之后|以来|after|since',
  yuan: '元|块钱|块|yuan',
  colon: ':',
  open: '(',
  close: ')',
  star: '*',
  help: '帮助|你是谁|你是什么|你会什么|你能做什么|能做什么|怎么用|你好|您好|嗨|help|who are you|what are you|what can you do|hello|hi|hey',
  /** They carry no meaning here. A word that could turn a meaning round must never be among them. */
  noise:
    "的值|的|里面|里|中|在|往|向|给|请|帮我|帮忙|麻烦|我的|我|想要|想|需要|要|一下|一条|一个|一些|那些|这些|这条|只要|只|仅|都|有|了|吧|呢|吗|排序|排列|分组|创建|产生|下单|注册|数据库|内容|值|那|就|也|还|加上|另外|先|of|the|a|an|into|for|on|me|my|i|want|would like|please|can you|could you|only|just|those|that|there|have|has|had|does|did|do|we|are|were|was|created|placed|made|database|named|its|their|ones|saying|exist|谢谢|thanks|thank you|?|!|’s|'s",
} as const;

export type Word = keyof typeof WORDS;

const entries = Object.entries(WORDS) as [Word, string][];
export const LEXICON: ReadonlyMap<string, Word> = new Map(
  entries.flatMap(([word, forms]) => forms.split('|').map((form) => [form, word] as const)),
);

export const VERBS = new Set<Word>([
  'count',
  'list',
  'delete',
  'clear',
  'update',
  'assign',
  'insert',
  'describe',
  'note',
  'write',
  'take',
]);
export const COMPARISONS = new Set<Word>(['=', '<>', '>=', '<=', '>', '<']);
