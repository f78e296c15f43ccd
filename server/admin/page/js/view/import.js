// Products from a CSV file: first what it would change and what is wrong in it, by line and column,
// then the import.

import { html, useEffect, useSignal } from '../html.js'
import { act, Problem } from '../api.js'
import { digits, langOf, number } from '../i18n.js'
import { changed } from '../resource.js'
import { guard, to } from '../router.js'
import { t as common } from '../strings/common.js'
import { fault, t } from '../strings/import.js'
import { explain } from '../strings/problem.js'
import { icon } from '../part/icon.js'
import { allowed } from '../part/states.js'

/** @typedef {import('../api.js').Schemas['ImportReport']} Report */
/** @typedef {{ line: number, column: string, code?: string, message: string }} Finding */

export const view = () => allowed('products.write', () => html`<${Import} />`)

const largest = 20 << 20 // bytes
const mostShown = 50

/** What phones name CSV files: some know them as texts, some as tables. */
const accepted =
  '.csv,text/csv,text/comma-separated-values,text/plain,application/csv,application/vnd.ms-excel'

function Import() {
  const file = useSignal(/** @type {File | null} */ (null))
  const keepStock = useSignal(false)
  const plan = useSignal(/** @type {Report | null} */ (null))
  const done = useSignal(/** @type {Report | null} */ (null))
  const problem = useSignal(
    /** @type {{ text: string, faults: Finding[], total: number } | null} */ (null),
  )
  const busy = useSignal('')
  useEffect(() => guard(() => (busy.value === 'import' ? t('leave') : null)), [])
  const fail = (/** @type {unknown} */ error) => {
    if (!(error instanceof Problem)) throw error
    const { problems = [], total = problems.length } = error.details
    problem.value = { text: explain(error.errors[0] ?? error), faults: problems, total }
    setTimeout(() => document.getElementById('faults')?.focus())
  }
  /** @returns {Promise<Report>} */
  const send = (/** @type {boolean} */ dryRun) =>
    act('imports/products', file.value, {
      type: 'text/csv',
      query: { dryRun: dryRun || undefined, keepStock: keepStock.value || undefined },
      label: t('title'),
      ...(dryRun && { key: '' }), // a preview can be repeated
    })
  async function check() {
    plan.value = problem.value = done.value = null
    if (!file.value) return
    if (/\.(xlsx?|numbers|ods)$/i.test(file.value.name))
      return fail(new Problem(415, { code: 'sheet', detail: t('sheet') }))
    if (file.value.size > largest)
      return fail(new Problem(413, { code: 'size', detail: t('tooLarge') }))
    busy.value = 'check'
    try {
      plan.value = await send(true)
    } catch (error) {
      fail(error)
    } finally {
      busy.value = ''
    }
  }
  async function run() {
    if (busy.value) return
    busy.value = 'import'
    problem.value = null
    try {
      done.value = await send(false)
      plan.value = null
      changed()
      setTimeout(() => document.getElementById('done')?.focus())
    } catch (error) {
      fail(error)
    } finally {
      busy.value = ''
    }
  }
  const choose = (/** @type {FieldEvent} */ event) => {
    file.value = event.target.files?.[0] ?? null
    event.target.value = '' // so that the corrected file can be chosen under the same name
    check()
  }
  const isFirst = !plan.value && !done.value
  const count = plan.value ? plan.value.created + plan.value.changed : 0
  const input = html`
    <input type="file" id="file" class="visually-hidden" accept=${accepted} onChange=${choose} />
  `
  return html`
    <header class="top plain over">
      <a class="icon-button" data-back aria-label=${common('back')} href=${to('products')}>
        ${icon('arrow-left')}
      </a>
      <div class="title">
        <h1 tabindex="-1">${t('title')}</h1>
        ${file.value && html`<div class="small quiet cut" lang="en">${file.value.name}</div>`}
      </div>
    </header>
    <div class="stack narrow form-view import">
      ${isFirst && !problem.value && html`<p class="quiet">${t('text')}</p>`}
      ${!done.value && html`
        <label class="row choice">
          <input
            type="checkbox"
            class="checkbox"
            id="keepStock"
            checked=${keepStock.value}
            disabled=${busy.value !== ''}
            onChange=${(/** @type {FieldEvent} */ event) => {
              keepStock.value = event.target.checked
              check()
            }}
          />
          <span class="grow">
            ${t('keepStock')}
            <br />
            <span class="small quiet">${t('keepStockHint')}</span>
          </span>
        </label>
      `}
      <div role="status">
        ${busy.value === 'check' && html`
          <p class="row quiet">
            ${icon('loader', 'spin')}
            ${t('checking', { name: file.value?.name ?? '' })}
          </p>
        `}
      </div>
      ${isFirst && html`
        <label class="button primary big file">
          ${input}
          ${icon('file-up')}
          ${t(file.value ? 'other' : 'choose')}
        </label>
      `}
      ${problem.value && html`
        <section class="stack" id="faults" role="alert" tabindex="-1">
          ${problem.value.faults.length === 0
            ? html`
                <p class="banner bad rounded">
                  ${icon('circle-alert')}
                  <span>${problem.value.text}</span>
                </p>
              `
            : html`
                <div class="banner bad rounded">
                  ${icon('circle-alert')}
                  <div class="grow">
                    <b>${t('faults', { count: problem.value.total })}</b>
                    <br />
                    ${t('faultsText')}
                  </div>
                </div>
                <${Findings} all=${problem.value.faults} total=${problem.value.total} isBad />
              `}
        </section>
      `}
      ${plan.value && html`
        <${Preview} report=${plan.value} />
        <div class="action-bar">
          <label class="button square" title=${t('other')}>
            <span class="visually-hidden">${t('other')}</span>
            ${input}
            ${icon('file-up')}
          </label>
          <button
            class="button primary big"
            id="import-it"
            aria-busy=${busy.value === 'import'}
            disabled=${count === 0}
            onClick=${run}
          >
            ${icon(
              busy.value === 'import' ? 'loader' : 'check',
              busy.value === 'import' ? 'spin' : '',
            )}
            ${busy.value === 'import'
              ? t('importing')
              : count === 0
                ? t('nothing')
                : t('import', { count })}
          </button>
        </div>
      `}
      ${done.value && html`
        <section class="card section stack" id="done" tabindex="-1">
          <h2 class="row tone-good">${icon('circle-check')}${t('done')}</h2>
          <p>
            ${t('doneText', {
              created: done.value.created,
              changed: done.value.changed,
              unchanged: done.value.unchanged,
            })}
          </p>
          <div class="row wraps">
            <a class="button primary big" href=${to('products', '', { order: 'changed' })}>
              ${t('toProducts')}
            </a>
            <label class="button big file">${input}${icon('file-up')}${t('other')}</label>
          </div>
        </section>
      `}
    </div>
  `
}

/** What an import would do. @param {{ report: Report }} props */
function Preview({ report }) {
  /** @type {Record<string, Finding[]>} */
  const kinds = {}
  for (const note of report.notes ?? []) (kinds[note.kind] ??= []).push(note)
  const names = (/** @type {Record<string, number>} */ counts) =>
    Object.entries(counts)
      .map(([key, count]) => `${key} (${number(count)})`)
      .join(', ')
  return html`
    <section class="card" id="preview">
      <div class="section">
        <div class="row spread">
          <h2>${t('preview')}</h2>
          <span class="small quiet">${t('rows', { count: report.rows })}</span>
        </div>
        <dl class="facts">
          ${/** @type {const} */ (['created', 'changed', 'unchanged']).map((key) => html`
            <dt class="quiet">${t(key)}</dt>
            <dd class=${key !== 'unchanged' && report[key] > 0 ? 'bold' : ''}>
              ${number(report[key])}
            </dd>
          `)}
          ${report.variantsRemoved > 0 && html`
            <dt class="tone-warn">${t('removed')}</dt>
            <dd class="bold">${number(report.variantsRemoved)}</dd>
          `}
        </dl>
      </div>
      ${[
        report.collectionsCreated?.length &&
          t('collections', { names: report.collectionsCreated.join(', ') }),
        report.ignoredColumns?.length && t('ignored', { names: report.ignoredColumns.join(', ') }),
        Object.keys(report.removedHtml ?? {}).length > 0 &&
          t('html', { names: names(report.removedHtml) }),
        report.apostrophesRemoved > 0 && t('apostrophes', { count: report.apostrophesRemoved }),
      ]
        .filter(Boolean)
        .map((text) => html`<p class="section small">${text}</p>`)}
    </section>
    ${Object.keys(kinds).length > 0 && html`
      <section class="stack" id="notes">
        <div>
          <h2>${t('notes')}</h2>
          <p class="small quiet">${t('notesText')}</p>
        </div>
        <div class="card list">
          ${Object.keys(kinds).map((kind) => html`
            <details key=${kind}>
              <summary class="fold">
                <span class="grow">${t.dynamic('kind_' + kind)}</span>
                <b>${number(report.noteCounts[kind] ?? kinds[kind].length)}</b>
                ${icon('chevron-down', 'mini')}
              </summary>
              <${Findings}
                all=${kinds[kind]}
                total=${report.noteCounts[kind] ?? kinds[kind].length}
              />
            </details>
          `)}
        </div>
      </section>
    `}
  `
}

/** @param {{ all: Finding[], total: number, isBad?: boolean }} props */
function Findings({ all, total, isBad }) {
  const shown = all.slice(0, mostShown)
  return html`
    <ul class=${isBad ? 'card list findings' : 'list findings'}>
      ${shown.map((finding) => html`
        <li class="section">
          <b class="small">
            ${finding.column
              ? t('lineAndColumn', { line: digits(finding.line), column: finding.column })
              : t('line', { line: digits(finding.line) })}
          </b>
          <br />
          <span class=${isBad ? 'small tone-bad' : 'small'} lang=${langOf(fault(finding))}>
            ${fault(finding)}
          </span>
        </li>
      `)}
      ${total > shown.length && html`
        <li class="section small quiet">${t('more', { count: total - shown.length })}</li>
      `}
    </ul>
  `
}
