import {
  BEHAVIORS,
  CONFIRM,
  EVERY,
  ICON,
  listOf,
  oneOf,
  PLAIN,
  RICH,
  SHORT,
  type TagShape,
  texts,
  URLS,
} from './card-shapes.ts';

/** Within a form, and where it calls back. */
const ASKING = {
  ...EVERY,
  name: 'text',
  required: 'flag',
  disabled: 'flag',
  confirm: CONFIRM,
  behaviors: BEHAVIORS,
} as const;
const SELECT = { ...ASKING, type: 'text', width: 'text', placeholder: SHORT } as const;
/** `value` is the historic way to say what is sent back. */
const PICKER = { ...ASKING, width: 'text', placeholder: SHORT, value: 'free' } as const;
const PEOPLE = listOf({ properties: { value: 'text' } });
const OPTIONS = listOf({
  properties: { text: PLAIN, icon: ICON, value: 'text' },
  required: ['text', 'value'],
});

/** What people use. */
export const CONTROLS: Readonly<Record<string, TagShape>> = {
  button: {
    interactive: true,
    properties: {
      ...EVERY,
      name: 'text',
      disabled: 'flag',
      disabled_tips: PLAIN,
      hover_tips: PLAIN,
      confirm: CONFIRM,
      behaviors: BEHAVIORS,
      // In the page's own sample, beside `behaviors`.
      value: 'free',
      type: oneOf(
        'default',
        'primary',
        'danger',
        'text',
        'primary_text',
        'danger_text',
        'primary_filled',
        'danger_filled',
        'laser',
      ),
      size: oneOf('tiny', 'small', 'medium', 'large'),
      ...texts('width', 'url'),
      text: SHORT,
      icon: ICON,
      form_action_type: oneOf('submit', 'reset'),
      action_type: oneOf('link', 'request', 'multi', 'form_submit', 'form_reset'),
    },
  },
  input: {
    interactive: true,
    properties: {
      ...ASKING,
      disabled_tips: PLAIN,
      value: 'free',
      ...texts('default_value', 'width', 'label_position'),
      placeholder: SHORT,
      label: PLAIN,
      input_type: oneOf('text', 'multiline_text', 'password'),
      show_icon: 'flag',
      auto_resize: 'flag',
      rows: 'number',
      max_rows: 'number',
      max_length: 'number',
      i18n_default_value: { mapOf: 'text' },
    },
  },
  overflow: {
    interactive: true,
    properties: {
      ...EVERY,
      name: 'text',
      confirm: CONFIRM,
      behaviors: BEHAVIORS,
      width: 'text',
      options: listOf({
        properties: { text: SHORT, multi_url: { properties: URLS }, value: 'text' },
      }),
    },
    required: ['options'],
  },
  checker: {
    interactive: true,
    properties: {
      ...EVERY,
      name: 'text',
      disabled: 'flag',
      disabled_tips: PLAIN,
      hover_tips: PLAIN,
      confirm: CONFIRM,
      behaviors: BEHAVIORS,
      checked: 'flag',
      text: RICH,
      overall_checkable: 'flag',
      padding: 'text',
      button_area: {
        properties: { pc_display_rule: oneOf('always', 'on_hover'), buttons: 'components' },
      },
      checked_style: { properties: { show_strikethrough: 'flag', opacity: 'number' } },
    },
  },
  select_static: {
    interactive: true,
    properties: { ...SELECT, initial_option: 'text', initial_index: 'number', options: OPTIONS },
  },
  multi_select_static: {
    interactive: true,
    formOnly: true,
    properties: { ...SELECT, selected_values: listOf('text'), options: OPTIONS },
    required: ['name'],
  },
  select_person: {
    interactive: true,
    properties: { ...SELECT, initial_option: 'text', options: PEOPLE },
  },
  multi_select_person: {
    interactive: true,
    formOnly: true,
    properties: { ...SELECT, selected_values: listOf('text'), options: PEOPLE },
    required: ['name'],
  },
  select_img: {
    interactive: true,
    properties: {
      ...ASKING,
      disabled_tips: PLAIN,
      value: 'free',
      ...texts('layout', 'aspect_ratio'),
      multi_select: 'flag',
      can_preview: 'flag',
      options: listOf({
        properties: {
          ...texts('img_key', 'value'),
          disabled: 'flag',
          disabled_tips: PLAIN,
          hover_tips: PLAIN,
        },
      }),
    },
    required: ['options'],
  },
  date_picker: { interactive: true, properties: { ...PICKER, initial_date: 'text' } },
  picker_time: { interactive: true, properties: { ...PICKER, initial_time: 'text' } },
  picker_datetime: { interactive: true, properties: { ...PICKER, initial_datetime: 'text' } },
};
