export type Environment = Readonly<Record<string, string | undefined>>;

/** `channel` is the platform's name as people write it. */
export const required = (environment: Environment, name: string, channel: string): string => {
  const value = environment[name];
  if (value === undefined || value.trim() === '')
    throw new Error(
      `${name} is not set; the ${channel} channel needs it (developer console of the app, see the guide)`,
    );
  return value.trim();
};

/** A secret may be a list `new,old` while it is being rotated: all are accepted, the first is used. */
export const listed = (value: string): readonly string[] =>
  value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** Without a slash at its end. */
export const addressIn = (environment: Environment, name: string, usual: string): string => {
  const address = environment[name] || usual;
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new Error(`${name} is not an address: expected something like ${usual}`);
  return address.replace(/\/+$/, '');
};
