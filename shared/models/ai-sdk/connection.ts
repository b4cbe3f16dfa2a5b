export type Environment = Readonly<Record<string, string | undefined>>;

/** A secret may be a list `new,old`: the first is used outbound. */
export const keyFrom = (environment: Environment, own: string | undefined): string | undefined => {
  const key = environment['MODEL_API_KEY'] || (own && environment[own]);
  return key?.split(',')[0]?.trim() || undefined;
};

/** With its `/v1`, without what the provider appends. */
export const baseUrlFrom = (url: string): string => {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new Error(
      `MODEL_BASE_URL is ${JSON.stringify(url)}; an address like https://host/v1 was expected`,
    );
  const end = /\/(chat\/completions|messages)\/*$/.exec(url);
  if (end)
    throw new Error(`MODEL_BASE_URL ends in /${end[1]}, which is appended by itself; leave it off`);
  return url.replace(/\/+$/, '');
};

export const required = (provider: string, id: string): string => {
  if (id) return id;
  throw new Error(`MODEL is ${provider}; which model? Expected ${provider}/<id>`);
};
