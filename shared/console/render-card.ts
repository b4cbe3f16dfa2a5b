import { dingtalkCard } from './dingtalk-card.ts';
import { element } from './element.ts';
import { feishuCard } from './feishu-card.ts';
import type { CardAction } from './wire.ts';
import { words } from './words.ts';

/** What a card needs of the page around it. */
export interface CardPage {
  /** A person used the card. Settles when the platform's client would let go of the button. */
  act(action: CardAction): Promise<void>;
  nameOf(person: string): string;
}

/** Nothing for what is no card of that platform. */
type Renderer = (card: unknown, page: CardPage) => HTMLElement | undefined;

const RENDERERS: Readonly<Record<string, Renderer>> = {
  dingtalk: dingtalkCard,
  feishu: feishuCard,
};

/** A card as its platform's client shows it; one that cannot be drawn is shown as it was sent. */
export const renderCard = (platform: string, card: unknown, page: CardPage): HTMLElement =>
  RENDERERS[platform]?.(card, page) ??
  element(
    'div',
    { class: 'card card-raw' },
    element('p', {}, words().badCard),
    element('pre', { tabindex: 0 }, JSON.stringify(card, null, 2)),
  );
