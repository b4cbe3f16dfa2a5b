import type { Language } from './settings.ts';

const CHINA_MS = 8 * 3_600_000;

/** As the reader's clock says it: China has one time zone; everybody else reads UTC. */
export const timeText = (at: number, language: Language): string => {
  const china = language === 'zh-CN';
  const shown = new Date(china ? at + CHINA_MS : at).toISOString();
  return `${shown.slice(0, 10)} ${shown.slice(11, 19)} ${china ? 'UTC+8' : 'UTC'}`;
};
