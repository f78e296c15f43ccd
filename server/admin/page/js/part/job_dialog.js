// The progress and the results of work on many orders.

import { html } from '../html.js'
import { digits, langOf, name } from '../i18n.js'
import { to } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/job.js'
import { document } from '../strings/print.js'
import { explain } from '../strings/problem.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'
import { hide, productActions, retry, shown, stop, titleOf, watched } from './job.js'
import { openPrint, printing } from './printing.js'
import { undoableJob, undoJob } from './undo.js'

/** @typedef {import('../api.js').Schemas['Job']} Job */
/** @typedef {import('../api.js').Schemas['Result']} Result */

/** What helps with an order or a product that an action could not change: the words and where. */
function remedy(/** @type {string} */ kind, /** @type {Result} */ { code, subject }) {
  if (kind === 'book' && code === 'state_conflict')
    return { text: t('try_edit'), href: to('edit', subject) }
  if (kind === 'cancel' && code === 'not_cancellable')
    return { text: t('try_returns'), href: to('returns') }
  if (productActions.includes(kind)) return { text: t('try_product'), href: to('product', subject) }
  return { text: t('try_open'), href: to('order', subject) }
}

/** How many records of one reason are shown at first. */
const atFirst = 5

/**
 * Orders or products that an action cannot change, by reason: each reason once, then whom it
 * concerns and what helps.
 * @param {{ kind: string, results: Result[], close?: () => void }} props
 */
export const Refusals = ({ kind, results, close }) => {
  /** @type {Map<string, Result[]>} */
  const reasons = new Map()
  for (const result of results) {
    const reason = result.code ? explain({ code: result.code, message: result.message ?? '' }) : ''
    reasons.set(reason, [...(reasons.get(reason) ?? []), result])
  }
  const line = (/** @type {Result} */ result) => {
    const { text, href } = remedy(kind, result)
    const label = productActions.includes(kind) ? name(result.label) : '#' + digits(result.label)
    return html`
      <li key=${result.subject}>
        <a class="row spread" href=${href} onClick=${close}>
          <span class="cut">
            <b lang=${langOf(label)}>${label}</b>
            ${result.name && html`
              ${' '}
              <span lang=${langOf(result.name)}>${result.name}</span>
            `}
          </span>
          <span class="link small nowrap">${text}</span>
        </a>
      </li>
    `
  }
  return html`
    <div class="card list refusals" tabindex="0" role="group" aria-label=${t('notDone')}>
      ${[...reasons].map(([reason, of]) => html`
        <section class="section" key=${reason}>
          <p class="error">
            ${icon('circle-alert', 'mini')}
            <span>${reason}${of.length > 1 && ' ' + t('concerns', { count: of.length })}</span>
          </p>
          <ul>${of.slice(0, atFirst).map(line)}</ul>
          ${of.length > atFirst && html`
            <details>
              <summary class="fold inset small">
                <span class="grow">${t('others', { count: of.length - atFirst })}</span>
                ${icon('chevron-down', 'mini')}
              </summary>
              <ul>${of.slice(atFirst).map(line)}</ul>
            </details>
          `}
        </section>
      `)}
    </div>
  `
}

/** The job that is shown, again once what it offers was printed. */
export function JobDialog() {
  const shownJob =
    shown.value === null
      ? undefined
      : watched.value.find(({ job }) => (job._id ?? '') === shown.value)
  if (!shownJob || printing.value) return null
  const { job, lost } = shownJob
  const running = job.finishedAt === null
  const failed = job.results.filter((result) => result.ok === false)
  const done = job.results.filter((result) => result.ok).map((result) => result.subject)
  const left = job.total - job.done - job.failed
  return html`
    <${Dialog} title=${titleOf(job)} close=${hide} id="job">
      <div class="stack" aria-live="polite">
        <div class="row spread">
          <b>
            ${running
              ? t('running', { done: job.done + job.failed, all: job.total })
              : t('finished', { count: job.done })}
          </b>
          <span class="row">
            ${!running && left > 0 && html`
              <span class="quiet">${t('left', { count: left })}</span>
            `}
            ${job.failed > 0 && html`
              <span class="tone-bad bold">${t('failed', { count: job.failed })}</span>
            `}
          </span>
        </div>
        <progress
          class="job-bar"
          max=${job.total}
          value=${job.done + job.failed}
          aria-label=${titleOf(job)}
        ></progress>
        ${running && html`<p class="small quiet">${t(lost ? 'notReached' : 'goesOn')}</p>`}
        ${failed.length > 0 && html`
          <${Refusals} kind=${job.kind} results=${failed} close=${hide} />
        `}
      </div>
      <div class="row wraps ends-of-job">
        ${running
          ? html`
              ${left > 0 && job._id && html`
                <button class="button big" onClick=${() => stop(job)}>${t('stopRest')}</button>
              `}
              <button class="button big" onClick=${hide}>${common('close')}</button>
            `
          : html`
              ${failed.length > 0 && html`
                <button class="button big" onClick=${() => retry(job)}>
                  ${icon('rotate-cw')}
                  ${t('retryFailed', { count: failed.length })}
                </button>
              `}
              ${undoableJob.value?.id === job._id && html`
                <button
                  class="button big"
                  id="undo-job"
                  onClick=${() => {
                    hide()
                    undoJob()
                  }}
                >
                  ${icon('undo-2')}
                  ${common('undo')}
                </button>
              `}
              <${Next} job=${job} done=${done} />
            `}
      </div>
    <//>
  `
}

/** The next step of the day. @param {{ job: Job, done: string[] }} props */
function Next({ job, done }) {
  if (job.kind === 'book' && done.length > 0) {
    return html`
      <button
        class="button primary big"
        id="print-labels"
        onClick=${() => openPrint(done, 'label')}
      >
        ${icon('printer')}
        ${t('printLabels', { count: done.length })}
      </button>
      <button class="button big" id="print-handover" onClick=${() => openPrint(done, 'handover')}>
        ${document('handover')}
      </button>
      <a class="button big" href=${to('orders', '', { view: 'toHandOver' })} onClick=${hide}>
        ${t('seeOrders')}
      </a>
    `
  }
  if (job.kind === 'confirm' && done.length > 0 && can('orders.fulfill')) {
    return html`
      <a
        class="button primary big"
        href=${to('book', '', done.length > 100 ? {} : { id: done })}
        onClick=${hide}
      >
        ${icon('truck')}
        ${t('bookNext', { count: done.length })}
      </a>
    `
  }
  return html`<button class="button primary big" onClick=${hide}>${common('close')}</button>`
}

/** The jobs that are not open: how far they are, or that their results wait. */
export const JobBars = () =>
  watched.value
    .filter(({ job }) => (job._id ?? '') !== shown.value)
    .map(({ job }) => html`
      <div class="banner info jobs" key=${job._id}>
        ${icon(
          job.finishedAt === null ? 'loader' : job.failed > 0 ? 'circle-alert' : 'circle-check',
          job.finishedAt === null ? 'spin' : '',
        )}
        <span class="grow">
          <b>${titleOf(job)}</b> · ${job.finishedAt === null
            ? t('running', { done: job.done + job.failed, all: job.total })
            : [
                t('finished', { count: job.done }),
                ...(job.failed > 0 ? [t('failed', { count: job.failed })] : []),
              ].join(', ')}
        </span>
        <button
          class="button mini"
          onClick=${() => {
            shown.value = job._id ?? ''
          }}
        >
          ${t(job.finishedAt === null ? 'show' : 'results')}
        </button>
      </div>
    `)
