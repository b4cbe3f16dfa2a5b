import { durationOf, timeOf } from './clock.ts';
import { element, part } from './element.ts';
import type { Look, LookAsk, LookEvent } from './wire.ts';
import { currentLanguage, wordFor, words } from './words.ts';

type NameOf = (person: string) => string;

const SOON_MS = 60_000;
const VERY_SOON_MS = 10_000;

/** How the session stands: phase, open ask with its countdown, what waits, the last events. */
export const createInspector = (nameOf: NameOf) => {
  const panel = part('inspector', HTMLElement);
  const phase = part('phase', HTMLSpanElement);
  const countdowns = [part('countdown', HTMLSpanElement), element('span', { class: 'countdown' })];
  const inPanel = countdowns[1] ?? panel;
  let drawn = '';
  let ask: LookAsk | undefined;

  const tick = () => {
    const left = ask?.state === 'open' ? ask.expiresAt - Date.now() : undefined;
    for (const node of countdowns) showLeft(node, left);
  };
  setInterval(tick, 250);

  return (look: Look): void => {
    ask = look.ask;
    tick();
    const source = JSON.stringify([look, currentLanguage()]);
    if (source === drawn) return;
    drawn = source;
    phase.textContent = wordFor(words().phases, look.phase);
    phase.className = `badge phase-${look.phase}`;
    const open = new Set([...panel.querySelectorAll('details[open]')].map(keyOf));
    const reading = document.activeElement?.closest('.event');
    panel.replaceChildren(
      ...summary(look),
      askPart(look.ask, nameOf, inPanel),
      events(look.events, nameOf),
    );
    for (const details of panel.querySelectorAll('details')) {
      details.open = open.has(keyOf(details));
      if (reading && keyOf(details) === keyOf(reading)) details.querySelector('summary')?.focus();
    }
  };
};

const keyOf = (details: Element): string => details.getAttribute('data-event') ?? '';

const showLeft = (node: HTMLElement, left: number | undefined): void => {
  const text = left === undefined ? '' : left <= 0 ? words().expired : durationOf(left);
  if (node.textContent !== text) node.textContent = text;
  node.hidden = left === undefined;
  node.classList.toggle('soon', left !== undefined && left <= SOON_MS);
  node.classList.toggle('very-soon', left !== undefined && left <= VERY_SOON_MS);
};

const row = (title: string, ...values: readonly (Node | string)[]): readonly Node[] => [
  element('dt', {}, title),
  element('dd', {}, ...values),
];

const summary = (look: Look): readonly Node[] => {
  const texts = words();
  const badge = element(
    'span',
    { class: `badge phase-${look.phase}` },
    wordFor(texts.phases, look.phase),
  );
  return [
    element('h3', {}, texts.status),
    element(
      'dl',
      {},
      ...row(texts.phase, badge, element('code', { class: 'raw' }, look.phase)),
      ...row(texts.waiting, String(look.waiting)),
      ...row(texts.session, element('code', { class: 'id' }, look.session)),
    ),
  ];
};

const askPart = (ask: LookAsk | undefined, nameOf: NameOf, countdown: HTMLElement): HTMLElement => {
  const texts = words();
  if (!ask)
    return element(
      'section',
      { class: 'ask' },
      element('h3', {}, texts.ask),
      element('p', { class: 'none' }, texts.noAsk),
    );
  const open = ask.state === 'open';
  const people = ask.may.map((id) => (id === '*' ? texts.anyone : nameOf(id)));
  return element(
    'section',
    { class: 'ask', 'data-state': ask.state },
    element('h3', {}, open ? texts.ask : texts.lastAsk),
    element(
      'dl',
      {},
      ...row(
        wordFor(texts.kinds, ask.kind),
        ...(open
          ? [element('span', { role: 'timer', 'aria-label': texts.left }, countdown)]
          : [wordFor(texts.askStates, ask.state)]),
      ),
      ...row(texts.tools, ...ask.tools.map((tool) => element('code', { class: 'tool' }, tool))),
      ...row(texts.may, people.join(currentLanguage() === 'en' ? ', ' : '、')),
      ...row(texts.round, String(ask.round)),
    ),
  );
};

const events = (all: readonly LookEvent[], nameOf: NameOf): HTMLElement => {
  const newestFirst = all.toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time));
  return element(
    'section',
    { class: 'events' },
    element('h3', {}, words().events),
    all.length === 0 && element('p', { class: 'none' }, words().noEvents),
    element('ol', {}, ...newestFirst.map((one) => element('li', {}, event(one, nameOf)))),
  );
};

const event = (one: LookEvent, nameOf: NameOf): HTMLElement =>
  element(
    'details',
    { class: `event level-${one.level}`, 'data-event': `${one.time} ${one.event}` },
    element(
      'summary',
      {},
      element('time', {}, timeOf(Date.parse(one.time), true)),
      element('b', {}, one.event),
      element('span', {}, briefly(one.facts, nameOf)),
    ),
    element(
      'pre',
      { 'aria-label': words().facts, tabindex: 0 },
      JSON.stringify(one.facts, null, 2),
    ),
  );

const LONG = 40;
const IDS = ['session', 'turn', 'ask', 'message', 'delivery'];

/** The facts in one line: what can be read in passing. Ids, long texts and what is nested are a click away. */
const briefly = (facts: object, nameOf: NameOf): string =>
  Object.entries(facts)
    .filter(([name]) => !IDS.includes(name))
    .map(([name, value]) => [name, inWords(name, value, nameOf)] as const)
    .filter(([, value]) => value.length <= LONG)
    .map(([name, value]) => `${name} ${value}`)
    .join(' · ');

const inWords = (name: string, value: unknown, nameOf: NameOf): string => {
  if (typeof value === 'number' && name.endsWith('At')) return timeOf(value, true);
  return typeof value === 'string' ? nameOf(value) : JSON.stringify(value);
};
