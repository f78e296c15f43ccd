import { h } from '../html.js'
import { icons } from '../vendor/icons.js'

/** A Lucide icon, beside a word unless its button has a label. */
export const icon = (/** @type {string} */ name, size = '') =>
  h(
    'svg',
    { class: 'icon ' + size, viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    icons[name].map(([tag, attributes]) => h(tag, attributes)),
  )
