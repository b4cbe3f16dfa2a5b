const two = (value: number): string => String(value).padStart(2, '0');

/** The time of day, with the date when it was not today. */
export const timeOf = (at: number, seconds = false): string => {
  const date = new Date(at);
  const time = `${two(date.getHours())}:${two(date.getMinutes())}${seconds ? `:${two(date.getSeconds())}` : ''}`;
  const today = date.toDateString() === new Date().toDateString();
  return today ? time : `${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
};

export const durationOf = (ms: number): string => {
  const seconds = Math.ceil(ms / 1000);
  const hours = Math.floor(seconds / 3600);
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
};
