// The dialogs of actions on many orders: what an action needs to know, and a preview of what it
// would do.

import { html, useEffect, useSignal } from '../html.js'
import { Problem, send } from '../api.js'
import { number } from '../i18n.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { explain } from '../strings/problem.js'
import { t } from '../strings/job.js'
import { document as documentName } from '../strings/print.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { start } from './job.js'
import { Refusals } from './job_dialog.js'
import { fits } from './order_fits.js'

/** @typedef {import('../api.js').Schemas['Job']} Job */
/** @typedef {import('./job.js').Selection} Selection */

const words = t.dynamic
const icons = {
  book: 'truck',
  track: 'rotate-cw',
  deliver: 'package-check',
  return: 'undo-2',
  tag: 'tag',
  untag: 'x',
  note: 'message-square-text',
  markPrinted: 'printer',
  export: 'download',
  cancel: 'ban',
}

/** Actions that may be refused: what would happen to each order is shown before. */
const previews = ['confirm', 'track', 'deliver', 'return', 'cancel']

/** The options of an action that need no words. @type {Record<string, any>} */
const always = { confirm: { skipShortAddresses: true } }

/** @typedef {import('../api.js').Schemas['OrderRow']} OrderRow */

const isOpen = (/** @type {OrderRow} */ { status }) =>
  !/^(pending_payment|completed|cancelled|expired|returned)$/.test(status)

/**
 * Which orders an action probably fits; the others fit all.
 * @type {Record<string, (row: OrderRow) => boolean>}
 */
const fit = {
  ...fits,
  deliver: (row) =>
    row.fulfillmentStatus === 'delivered'
      ? row.cashToCollect.amount > 0
      : isOpen(row) && (row.status !== 'pending' || row.shipment !== null),
  return: (row) => /^(processing|completed)$/.test(row.status),
  cancel: (row) =>
    (isOpen(row) || row.status === 'pending_payment') && row.fulfillmentStatus === 'unfulfilled',
}

/** The dialogs of a selection: the menu of its actions, or one of these. */
export const view = (/** @type {any} */ props) =>
  props.action === 'menu' ? html`<${BulkMenu} ...${props} />` : html`<${Bulk} ...${props} />`

/**
 * What can be done with many orders beside the one step of their view. rows: null if not all of
 * them are in sight.
 * @param {{ count: number, rows: OrderRow[] | null, choose: (action: string) => void, close: () =>
 *   void }} props
 */
const BulkMenu = ({ count, rows, choose, close }) => html`
  <${Dialog} title=${t('more', { count })} close=${close} id="bulk-menu">
    <ul class="options">
      ${/** @type {(keyof typeof icons)[]} */ (Object.keys(icons))
        .filter((action) =>
          can(
            action === 'export'
              ? 'export'
              : /^(book|track|deliver|return|markPrinted)$/.test(action)
                ? 'orders.fulfill'
                : 'orders.write',
          ),
        )
        .map((action) => html`
          <li>
            <button
              class=${action === 'cancel' ? 'option tone-bad' : 'option'}
              data-action=${action}
              onClick=${() => choose(action)}
            >
              ${icon(icons[action])}
              <span class="grow">${words('menu_' + action)}</span>
              ${(rows || !fit[action]) && html`
                <span class="quiet">
                  ${number(rows && fit[action] ? rows.filter(fit[action]).length : count)}
                </span>
              `}
            </button>
          </li>
        `)}
    </ul>
  <//>
`

/** Returns a selection without orders that were placed after a time. @returns {Selection} */
function until(/** @type {Selection} */ selection, /** @type {string | undefined} */ time) {
  if (!time || 'ids' in selection) return selection
  const { placedBefore } = selection.filter
  return {
    filter: {
      ...selection.filter,
      placedBefore:
        placedBefore && Date.parse(placedBefore) < Date.parse(time) ? placedBefore : time,
    },
  }
}

/**
 * Takes what an action needs to know, shows what it would do, and starts it.
 * @param {{ action: string, selection: Selection, count: number, close: () => void, end: () => void
 *   }} props
 */
function Bulk({ action, selection, count, close, end }) {
  const plan = useSignal(/** @type {Job | null} */ (null))
  const problem = useSignal(/** @type {Problem | null} */ (null))
  const turn = useSignal(0)
  const hasPreview = previews.includes(action)
  useEffect(() => {
    if (!hasPreview) return
    problem.value = null
    const abort = new AbortController()
    send('POST', 'bulk/orders', {
      body: { action, ...selection, options: always[action], dryRun: true },
      signal: abort.signal,
    }).then(
      ({ data }) => {
        plan.value = data
      },
      (error) => {
        if (abort.signal.aborted) return
        if (!(error instanceof Problem)) throw error
        problem.value = error
      },
    )
    return () => abort.abort()
  }, [turn.value])
  const { form, errors, busy, onSubmit } = useForm(
    ['reason', 'tags', 'note', 'document'],
    async (values) => {
      const tags = values.tags
        .split(',')
        .map((tag) => tag.trim())
        .filter(Boolean)
      const missing = action === 'note' ? !values.note : /tag$/.test(action) && tags.length === 0
      if (missing)
        throw new Problem(422, {
          errors: [{ field: action === 'note' ? 'note' : 'tags', code: 'required', message: '' }],
        })
      const options =
        {
          cancel: { reason: values.reason },
          tag: { tags },
          untag: { tags },
          note: { note: values.note },
          markPrinted: { document: values.document },
        }[action] ?? always[action]
      // The orders of the preview, and not those that have come since.
      const ids = plan.value?.results
        .filter((result) => result.ok && !result.warning)
        .map((result) => result.subject)
      close()
      end()
      await start(
        action,
        ids && ids.length <= 200 ? { ids } : until(selection, plan.value?.createdAt),
        ids?.length ?? count,
        options,
      )
    },
  )
  const results = plan.value?.results ?? []
  const refused = results
    .filter((result) => result.ok === false)
    .map((result) =>
      action === 'confirm' && result.field === 'shippingAddress'
        ? { ...result, code: /** @type {any} */ ('short'), message: t('shortAddress') }
        : result,
    )
  const unchanged = results.filter((result) => result.ok && result.warning)
  const n = plan.value ? results.length - refused.length - unchanged.length : count
  const about = ['cancel', 'deliver', 'return'].includes(action)
    ? words('about_' + action)
    : undefined
  return html`
    <${Dialog} title=${words('title_' + action, { count })} text=${about} close=${close} id="bulk">
      <form ref=${form} class="stack" onSubmit=${onSubmit} novalidate>
        ${formError(errors.value)}
        ${action === 'cancel' && html`
          <${Field}
            name="reason"
            label=${t('reason')}
            hint=${t('reasonHint')}
            errors=${errors.value}
            maxlength="500"
          />
        `}
        ${/tag$/.test(action) && html`
          <${Field}
            name="tags"
            label=${t('tags')}
            hint=${t('tagsHint')}
            errors=${errors.value}
            autocomplete="off"
            autofocus
          />
        `}
        ${action === 'note' && html`
          <${Field}
            name="note"
            label=${t('note')}
            errors=${errors.value}
            maxlength="1000"
            autocomplete="off"
            autofocus
          />
        `}
        ${action === 'markPrinted' && html`
          <div class="field">
            <label for="document">${t('document')}</label>
            <div class="input">
              <select id="document" name="document">
                ${['label', 'invoice', 'packing'].map((document) => html`
                  <option value=${document}>${documentName(document)}</option>
                `)}
              </select>
            </div>
          </div>
        `}
        ${hasPreview && html`
          <div class="stack" role="status">
            ${problem.value
              ? html`
                  <p class="error">
                    ${icon('circle-alert', 'mini')}
                    <span class="grow">${explain(problem.value)}</span>
                  </p>
                  <button
                    type="button"
                    class="button"
                    id="preview-again"
                    onClick=${() => {
                      turn.value++
                    }}
                  >
                    ${icon('rotate-cw')}
                    ${common('tryAgain')}
                  </button>
                `
              : !plan.value
                ? html`<p class="quiet">${t('preparing')}</p>`
                : html`
                    <p>
                      <b>${t('applies', { count: n, all: results.length })}</b>
                      ${unchanged.length > 0 && html`
                        ${' '}
                        <span class="quiet">${t('unchanged', { count: unchanged.length })}</span>
                      `}
                    </p>
                    ${refused.length > 0 && html`
                      <p class="small quiet">${t('refused', { count: refused.length })}</p>
                      <${Refusals} kind=${action} results=${refused} close=${close} />
                    `}
                  `}
          </div>
        `}
        <${Submit}
          busy=${busy.value}
          disabled=${n === 0 || (hasPreview && !plan.value)}
          kind=${action === 'cancel' ? 'big bad' : 'primary big'}
        >
          ${words('do_' + action, { count: n })}
        <//>
      </form>
    <//>
  `
}
