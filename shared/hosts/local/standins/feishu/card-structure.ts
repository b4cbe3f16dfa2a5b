import { CONTENT } from './card-content.ts';
import { CONTROLS } from './card-controls.ts';
import {
  ICON,
  LAYOUT,
  listOf,
  type ObjectShape,
  oneOf,
  PLAIN,
  RICH,
  type TagShape,
  URLS,
} from './card-shapes.ts';

export const TAGS: Readonly<Record<string, TagShape>> = { ...CONTENT, ...CONTROLS };

/** Page title: `title` is a must; the colours are all there are. */
const HEADER: ObjectShape = {
  properties: {
    title: RICH,
    subtitle: RICH,
    template: oneOf(
      'blue',
      'wathet',
      'turquoise',
      'green',
      'yellow',
      'orange',
      'red',
      'carmine',
      'violet',
      'purple',
      'indigo',
      'grey',
      'default',
    ),
    icon: ICON,
    padding: 'text',
    text_tag_list: listOf({
      properties: { tag: oneOf('text_tag'), element_id: 'text', text: PLAIN, color: 'text' },
      required: ['tag'],
    }),
    i18n_text_tag_list: { mapOf: 'free' },
  },
  required: ['title'],
};

/** Page card-json-v2-structure. */
export const CARD: ObjectShape = {
  properties: {
    schema: oneOf('2.0'),
    config: {
      properties: {
        streaming_mode: 'flag',
        streaming_config: { mapOf: 'free' },
        summary: { properties: { content: 'text', i18n_content: { mapOf: 'text' } } },
        locales: listOf('text'),
        enable_forward: 'flag',
        enable_forward_interaction: 'flag',
        update_multi: 'flag',
        use_custom_translation: 'flag',
        width_mode: oneOf('default', 'compact', 'fill'),
        style: { properties: { text_size: { mapOf: 'free' }, color: { mapOf: 'free' } } },
      },
    },
    card_link: { properties: URLS },
    header: HEADER,
    body: { properties: { ...LAYOUT, elements: 'components' } },
  },
};
