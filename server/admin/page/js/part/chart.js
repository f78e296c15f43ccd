// A chart of days, drawn by uPlot: the period, and the one before as a dashed line.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { language, number, shopDay } from '../i18n.js'
import { t } from '../strings/analytics.js'
import uPlot from '../vendor/uplot.js'

/** @typedef {any} Plot A chart of uPlot, which comes without types. */
/** @typedef {{ day: string, value: number, before: number | null }} Point */

/** Shortens a number of an axis: 20k, 1.5L in lakh. */
const short = (/** @type {number} */ n) =>
  n >= 100_000
    ? number(Math.round(n / 10_000) / 10) + t('lakh')
    : n >= 1000
      ? number(Math.round(n / 100) / 10) + t('thousand')
      : number(n)

/**
 * Shows points with the reading of the one under the finger, or of the last.
 * @param {{ points: Point[], label: string, format: (n: number) => string, beforeLabel: string }}
 *   props
 */
export function Chart({ points, label, format, beforeLabel }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null))
  const at = useSignal(points.length - 1)
  useEffect(() => {
    const element = /** @type {HTMLDivElement} */ (place.current)
    /** @type {Plot} */
    let chart
    const draw = () => {
      chart?.destroy()
      chart = new uPlot(
        options(element, (/** @type {number} */ i) => {
          at.value = i
        }),
        [
          points.map((point) => Date.parse(point.day + 'T12:00:00Z') / 1000),
          points.map((point) => point.value),
          points.map((point) => point.before),
        ],
        element,
      )
    }
    draw()
    let width = element.clientWidth
    const resized = new ResizeObserver(() => {
      if (element.clientWidth === width) return
      width = element.clientWidth
      chart.setSize({ width, height: 190 })
    })
    resized.observe(element)
    const media = ['(prefers-color-scheme: dark)', 'print'].map((query) => matchMedia(query))
    const themed = new MutationObserver(draw)
    for (const list of media) list.addEventListener('change', draw)
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => {
      resized.disconnect()
      themed.disconnect()
      for (const list of media) list.removeEventListener('change', draw)
      chart.destroy()
    }
  }, [points, language.value])
  const shown = points[Math.min(at.value, points.length - 1)]
  return html`
    <div class="chart" ref=${place} role="img" aria-label=${label}></div>
    <p class="section row spread small reading">
      <span class="quiet">${shopDay(shown.day)}</span>
      <span>
        <b class="tone-accent">${format(shown.value)}</b>
        ${shown.before !== null && html`
          ${' '}
          <span class="quiet">${beforeLabel} ${format(shown.before)}</span>
        `}
      </span>
    </p>
  `
}

/**
 * Returns the times that the axis names: the last day, and those before it at equal distances.
 * @param {Plot} chart
 */
function fromLast(
  chart,
  /** @type {number} */ _,
  /** @type {number} */ from,
  /** @type {number} */ to,
  /** @type {number} */ distance,
) {
  const all = []
  for (let time = chart.data[0].at(-1) ?? to; time >= from; time -= distance) all.unshift(time)
  return all
}

function options(/** @type {HTMLElement} */ element, /** @type {(i: number) => void} */ read) {
  const style = getComputedStyle(document.documentElement)
  const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim()
  const axis = {
    stroke: colour('--quiet'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  }
  return {
    width: element.clientWidth,
    height: 190,
    legend: { show: false },
    padding: [10, 24, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 9 } },
    scales: {
      x: { time: true },
      y: {
        range: (/** @type {any} */ _, /** @type {number} */ __, /** @type {number} */ max) => [
          0,
          Math.max(max, 1) * 1.08,
        ],
      },
    },
    axes: [
      {
        ...axis,
        size: 28,
        space: 72,
        incrs: [86400, 2 * 86400, 7 * 86400, 14 * 86400, 28 * 86400, 56 * 86400, 91 * 86400],
        splits: fromLast,
        values: (/** @type {any} */ _, /** @type {number[]} */ all) =>
          all.map((time) => shopDay(new Date(time * 1000).toISOString().slice(0, 10))),
        grid: { show: false },
      },
      {
        ...axis,
        size: 48,
        space: 36,
        values: (/** @type {any} */ _, /** @type {number[]} */ all) => all.map(short),
      },
    ],
    series: [
      {},
      {
        stroke: colour('--accent'),
        width: 2,
        fill: colour('--accent-soft'),
        points: { show: false },
      },
      { stroke: colour('--quiet'), width: 1.5, dash: [4, 4], points: { show: false } },
    ],
    hooks: {
      setCursor: [
        (/** @type {any} */ chart) => {
          if (chart.cursor.idx !== null && chart.cursor.idx !== undefined) read(chart.cursor.idx)
        },
      ],
    },
  }
}
