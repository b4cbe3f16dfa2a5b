import { on, part } from './element.ts';

/** The parts around the conversation that open and close: the chats on a phone, the session's state everywhere. */
export const startFrame = (): { closeMenu(): void } => {
  const menu = part('menu', HTMLButtonElement);
  const status = part('status', HTMLButtonElement);
  const show = (button: HTMLButtonElement, name: string, open: boolean) => {
    button.setAttribute('aria-expanded', String(open));
    document.body.toggleAttribute(name, open);
  };
  const isOpen = (button: HTMLButtonElement) => button.getAttribute('aria-expanded') === 'true';
  const closeMenu = () => show(menu, 'data-menu', false);

  show(status, 'data-status', matchMedia('(min-width: 1000px)').matches);
  on(status, 'click', () => show(status, 'data-status', !isOpen(status)));
  on(menu, 'click', () => show(menu, 'data-menu', !isOpen(menu)));
  on(document.body, 'keydown', ({ key }) => {
    if (key !== 'Escape' || !isOpen(menu)) return;
    closeMenu();
    menu.focus();
  });
  on(document.body, 'pointerdown', ({ target }) => {
    const inMenu = target instanceof Element && target.closest('#sidebar, #menu');
    if (!inMenu) closeMenu();
  });
  return { closeMenu };
};
