import { element, part } from './element.ts';

const SHOWN_MS = 6000;

/** A line that passes, as a chat client shows it after a click. `who` tells apart people who share this page. */
export const showToast = (type: string, content: string, who?: string): void => {
  const known = ['success', 'error', 'warning'].includes(type) ? type : 'info';
  const toast = element(
    'p',
    { class: `toast toast-${known}` },
    who && element('b', {}, who),
    content,
  );
  part('toasts', HTMLDivElement).append(toast);
  setTimeout(() => toast.remove(), SHOWN_MS);
};
