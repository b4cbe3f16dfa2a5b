export interface Clock {
  now(): number;
  sleepUntil(at: number): Promise<void>;
}
