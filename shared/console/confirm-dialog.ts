import { element, on } from './element.ts';
import { words } from './words.ts';

/** Asks back before a click counts. Escape is a no. */
export const confirmIn = (texts: { readonly title: string; readonly text: string }) =>
  new Promise<boolean>((resolve) => {
    const { confirmClick, cancelClick } = words();
    const yes = element('button', { type: 'button', class: 'primary' }, confirmClick);
    const no = element('button', { type: 'button' }, cancelClick);
    const dialog = element(
      'dialog',
      { class: 'confirm', 'aria-label': texts.title },
      element('h3', {}, texts.title),
      element('p', {}, texts.text),
      element('div', { class: 'confirm-buttons' }, no, yes),
    );
    on(yes, 'click', () => dialog.close('yes'));
    on(no, 'click', () => dialog.close());
    on(dialog, 'close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
