export type Environment = Readonly<Record<string, string | undefined>>;

export const required = (environment: Environment, name: string): string => {
  const value = environment[name];
  if (!value)
    throw new Error(`${name} is not set; the stack gives it to every function needing it`);
  return value;
};
