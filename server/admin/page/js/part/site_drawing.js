// A small drawing of each design, with the shop's colour.

import { html } from '../html.js'

const paper = '#fbf8f2'
const sunken = '#ece4d7'
const ink = '#3a342f'

const line = (
  /** @type {number} */ x,
  /** @type {number} */ y,
  /** @type {number} */ width,
  height = 3,
  fill = ink,
) => html`<rect x=${x} y=${y} width=${width} height=${height} rx=${height / 2} fill=${fill} />`

const box = (
  /** @type {number} */ x,
  /** @type {number} */ y,
  /** @type {number} */ width,
  /** @type {number} */ height,
  /** @type {string} */ fill,
  radius = 0,
) => html`<rect x=${x} y=${y} width=${width} height=${height} rx=${radius} fill=${fill} />`

/** @type {Record<string, (seed: string) => any>} */
const drawings = {
  angan: (seed) => html`
    <circle cx="12" cy="9" r="4" fill=${seed} />
    ${line(20, 7.5, 26)}
    <path d="M72 62V38a20 20 0 0 1 40 0v24z" fill=${sunken} />
    ${line(10, 30, 46, 4)}
    ${line(10, 38, 34, 4)}
    ${box(10, 48, 30, 10, seed, 5)}
    ${box(10, 70, 31, 20, sunken, 3)}
    ${box(45, 70, 31, 20, sunken, 3)}
    ${box(80, 70, 31, 20, sunken, 3)}
  `,
  haat: (seed) => html`
    ${box(0, 0, 120, 20, seed)}
    ${box(8, 6, 104, 8, '#fff', 2)}
    ${[10, 32, 54, 76, 98].map((x) => html`<circle cx=${x + 6} cy="30" r="6" fill=${sunken} />`)}
    ${[0, 1, 2].map((n) => html`
      <rect x=${6 + n * 37} y="42" width="34" height="44" rx="2" fill="#fff" stroke=${sunken} />
      ${box(11 + n * 37, 46, 24, 20, sunken, 1)}
      ${line(11 + n * 37, 70, 14, 4)}
      ${line(11 + n * 37, 78, 22)}
    `)}
  `,
  alo: (seed) => html`
    ${line(44, 7, 32, 4)}
    ${box(0, 18, 120, 42, sunken)}
    ${line(36, 42, 48, 5, seed)}
    ${box(0, 62, 59, 28, sunken)}
    ${box(61, 62, 59, 28, sunken)}
  `,
  mela: (seed) => html`
    ${box(0, 0, 120, 52, seed)}
    ${[0, 1, 2, 3, 4, 5, 6, 7].map((n) => html`
      <circle cx=${n * 15 + 7.5} cy="52" r="7.500" fill=${seed} />
    `)}
    ${line(10, 8, 34, 5)}
    <circle cx="28" cy="36" r="12" fill="#fff" />
    <circle cx="60" cy="32" r="14" fill="#fff" />
    <circle cx="92" cy="36" r="12" fill="#fff" />
    ${box(8, 68, 32, 22, '#dff0f7', 8)}
    ${box(44, 68, 32, 22, '#fbe3e6', 8)}
    ${box(80, 68, 32, 22, '#e4f2e0', 8)}
  `,
}

export const drawing = (/** @type {string} */ design, /** @type {string} */ seed) => html`
  <svg class="drawing" viewBox="0 0 120 90" aria-hidden="true">
    ${box(0, 0, 120, 90, paper)}
    ${drawings[design]?.(seed)}
  </svg>
`
