import { element } from './element.ts';

const HUES = 6;

/** A coloured first letter; people are told apart by their place in the list, the bot wears the icon. */
export const avatar = (name: string, place: number | 'group' | 'bot'): HTMLElement => {
  if (place === 'bot')
    return element('img', { class: 'avatar', src: '/console/icon.svg', alt: '' });
  const hue = place === 'group' ? 'group' : `hue-${Math.max(0, place) % HUES}`;
  const [first = '?'] = name;
  return element('span', { class: `avatar ${hue}`, 'aria-hidden': 'true' }, first.toUpperCase());
};
