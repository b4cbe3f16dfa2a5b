type Line = Readonly<Record<string, unknown>>;

/**
 * CloudWatch's filter language as far as the stack uses it: `{ ($.a = "*-text") && ($.b = 401) && ($.c = *) }`. Whatever
 * else is written stops the test.
 */
export const matches = (pattern: string, line: Line): boolean => {
  const inside = /^\{ (.+) \}$/.exec(pattern)?.[1];
  if (inside === undefined) throw new Error(`no pattern of JSON: ${pattern}`);
  return inside.split(' && ').every((term) => holds(term, line));
};

const holds = (term: string, line: Line): boolean => {
  const [, field = '', wanted = ''] =
    /^\(\$\.(\w+) = ("[^"]+"|\d+|\*)\)$/.exec(term) ?? unreadable(term);
  const value = line[field];
  if (wanted === '*') return value !== undefined && value !== null;
  if (!wanted.startsWith('"')) return value === Number(wanted);
  const text = wanted.slice(1, -1);
  const [start = '', end] = text.split('*');
  if (end === undefined) return value === text;
  return typeof value === 'string' && value.startsWith(start) && value.endsWith(end);
};

const unreadable = (term: string): never => {
  throw new Error(`this test cannot read the filter's ${term}`);
};
