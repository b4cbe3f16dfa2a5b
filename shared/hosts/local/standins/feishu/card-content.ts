import {
  BEHAVIORS,
  CONFIRM,
  EVERY,
  ICON,
  LAYOUT,
  LINK,
  listOf,
  oneOf,
  PLAIN,
  RICH,
  type TagShape,
  texts,
  textWith,
} from './card-shapes.ts';

/** Containers, and what is only looked at. */
export const CONTENT: Readonly<Record<string, TagShape>> = {
  // Containers
  column_set: {
    container: true,
    properties: {
      ...EVERY,
      ...texts('horizontal_spacing', 'horizontal_align', 'background_style'),
      flex_mode: oneOf('none', 'stretch', 'flow', 'bisect', 'trisect'),
      action: LINK,
      columns: 'components',
    },
    required: ['columns'],
  },
  column: {
    properties: {
      ...EVERY,
      ...LAYOUT,
      ...texts('width', 'background_style'),
      weight: 'number',
      action: LINK,
      elements: 'components',
    },
  },
  form: {
    container: true,
    rootOnly: true,
    properties: { ...EVERY, ...LAYOUT, name: 'text', elements: 'components' },
    required: ['name', 'elements'],
  },
  interactive_container: {
    container: true,
    properties: {
      ...EVERY,
      ...LAYOUT,
      disabled: 'flag',
      disabled_tips: PLAIN,
      hover_tips: PLAIN,
      confirm: CONFIRM,
      behaviors: BEHAVIORS,
      ...texts('width', 'height', 'background_style', 'border_color', 'corner_radius'),
      has_border: 'flag',
      elements: 'components',
    },
    required: ['behaviors', 'elements'],
  },
  collapsible_panel: {
    container: true,
    properties: {
      ...EVERY,
      ...LAYOUT,
      expanded: 'flag',
      background_color: 'text',
      header: {
        properties: {
          title: textWith(oneOf('plain_text', 'lark_md', 'markdown')),
          ...texts(
            'background_color',
            'width',
            'vertical_align',
            'padding',
            'icon_position',
            'position',
          ),
          icon: ICON,
          icon_expanded_angle: 'number',
        },
      },
      border: { properties: texts('color', 'corner_radius') },
      elements: 'components',
    },
    required: ['header'],
  },
  // Content
  div: {
    properties: {
      ...EVERY,
      width: 'text',
      text: RICH,
      icon: ICON,
      // In the page's own sample.
      fields: listOf({ properties: { is_short: 'flag', text: RICH } }),
    },
  },
  markdown: {
    properties: {
      ...EVERY,
      ...texts('content', 'text_align', 'text_size'),
      icon: ICON,
      i18n_content: { mapOf: 'text' },
    },
    required: ['content'],
  },
  hr: { properties: EVERY },
  img: {
    properties: {
      ...EVERY,
      ...texts('img_key', 'corner_radius', 'scale_type', 'size', 'mode'),
      alt: PLAIN,
      title: PLAIN,
      transparent: 'flag',
      preview: 'flag',
      compact_width: 'flag',
      custom_width: 'number',
      i18n_img_key: { mapOf: 'text' },
    },
    required: ['img_key', 'alt'],
  },
  img_combination: {
    properties: {
      ...EVERY,
      ...texts('combination_mode', 'corner_radius'),
      combination_transparent: 'flag',
      img_list: listOf({ properties: { img_key: 'text' }, required: ['img_key'] }),
    },
    required: ['combination_mode', 'img_list'],
  },
  person: {
    properties: {
      ...EVERY,
      ...texts('size', 'style', 'user_id'),
      show_avatar: 'flag',
      show_name: 'flag',
    },
    required: ['user_id'],
  },
  person_list: {
    properties: {
      ...EVERY,
      size: 'text',
      lines: 'number',
      drop_invalid_user_id: 'flag',
      show_name: 'flag',
      show_avatar: 'flag',
      icon: ICON,
      ud_icon: { properties: { token: 'text', style: { properties: texts('color') } } },
      persons: listOf({ properties: { id: 'text' }, required: ['id'] }),
    },
    required: ['persons'],
  },
  chart: {
    properties: {
      ...EVERY,
      ...texts('aspect_ratio', 'color_theme', 'height'),
      chart_spec: 'free',
      preview: 'flag',
    },
    required: ['chart_spec'],
  },
  table: {
    rootOnly: true,
    properties: {
      ...EVERY,
      ...texts('row_height', 'row_max_height'),
      page_size: 'number',
      freeze_first_column: 'flag',
      header_style: {
        properties: {
          ...texts('text_align', 'text_size', 'background_style', 'text_color'),
          bold: 'flag',
          lines: 'number',
        },
      },
      columns: listOf({
        properties: {
          ...texts('name', 'display_name', 'width', 'vertical_align', 'horizontal_align'),
          ...texts('data_type', 'date_format'),
          format: { properties: { precision: 'number', symbol: 'text', separator: 'flag' } },
        },
        required: ['name', 'data_type'],
      }),
      rows: listOf({ mapOf: 'free' }),
    },
    required: ['columns', 'rows'],
  },
};
