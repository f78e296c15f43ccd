// What is printed, on which paper and in which language. The server renders it as a page, which is
// printed in a frame.

import { html, useEffect, useSignal } from '../html.js'
import { act, get, pagePath, Problem } from '../api.js'
import { loadJSON, saveJSON } from '../device.js'
import { changed, useGet } from '../resource.js'
import { can } from '../session.js'
import { explain } from '../strings/problem.js'
import { document as documentName, t } from '../strings/print.js'
import { closeOnLeave, Dialog } from '../part/dialog.js'
import { Segments, Submit } from '../part/form.js'
import { icon } from '../part/icon.js'
import { printing } from '../part/printing.js'

/**
 * The sizes of each document. '' and receipt are those of the shop's settings.
 * @type {Record<string, string[]>}
 */
const sizes = {
  label: ['', 'a6', '100x150', '80mm', '58mm', 'a4x4'],
  invoice: ['a4', 'a5'],
  receipt: ['receipt', '80mm', '58mm'],
  packing: ['a5', 'a4', '80mm', '58mm'],
  picklist: ['a4'],
  handover: ['a4'],
}

export const view = () => printing.value && html`<${Print} ...${printing.value} />`

function Print(/** @type {import('../part/printing.js').Printing} */ { ids, kind: first }) {
  const last = loadJSON('print', {})
  const kinds = Object.keys(sizes).filter(
    (one) => can('prices.read') || !/^(invoice|receipt)$/.test(one),
  )
  const kind = useSignal(first ?? (kinds.includes(last.kind) ? last.kind : 'label'))
  const chosen = useSignal(/** @type {Record<string, string>} */ (last.sizes ?? {}))
  const language = useSignal(/** @type {string} */ (last.language ?? ''))
  const byConsignment = useSignal(last.byConsignment === true)
  const marks = useSignal(true)
  const busy = useSignal(false)
  const error = useSignal('')
  const close = () => {
    printing.value = null
  }
  const { data: settings } = useGet(can('settings.read') ? 'settings' : null)
  useEffect(() => closeOnLeave(close), [])
  const words = t.dynamic
  const ofShop = (/** @type {string} */ name) =>
    ({ '': settings?.print.labelSize || 'a6', receipt: settings?.print.receiptSize || '80mm' })[
      name
    ]
  const size = sizes[kind.value].includes(chosen.value[kind.value])
    ? chosen.value[kind.value]
    : sizes[kind.value][0]
  // a receipt is an invoice on a roll
  const document = kind.value === 'receipt' ? 'invoice' : kind.value
  const isSorted = ids.length > 1 && /^(label|handover)$/.test(kind.value)
  const path = pagePath('print/' + document, {
    ids,
    size,
    lang: language.value,
    byConsignment: isSorted && byConsignment.value ? 'true' : '',
  })
  async function onSubmit(/** @type {Event} */ event) {
    event.preventDefault()
    busy.value = true
    error.value = ''
    saveJSON('print', {
      kind: kind.value,
      sizes: chosen.value,
      language: language.value,
      byConsignment: byConsignment.value,
    })
    try {
      await printPage(path)
      if (marks.value && can('orders.fulfill')) {
        await act(
          'bulk/orders',
          { action: 'markPrinted', ids, options: { document } },
          { label: t('mark') },
        )
        changed()
      }
      close()
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem
      error.value = problem.code === 'print' ? t('failed') : explain(problem)
    } finally {
      busy.value = false
    }
  }
  return html`
    <${Dialog} title=${t('title', { count: ids.length })} close=${close} id="print">
      <form class="stack" onSubmit=${onSubmit}>
        <fieldset>
          <legend class="visually-hidden">${t('document')}</legend>
          <div class="options">
            ${kinds.map((value) => html`
              <label class="option">
                <input
                  type="radio"
                  class="checkbox"
                  name="document"
                  value=${value}
                  checked=${kind.value === value}
                  onChange=${() => {
                    kind.value = value
                  }}
                />
                <span class="grow">
                  <b>${documentName(value)}</b>
                  <br />
                  <span class="small quiet">${words('hint_' + value)}</span>
                </span>
              </label>
            `)}
          </div>
        </fieldset>
        ${sizes[kind.value].length > 1 && html`
          <div class="field">
            <label for="size">${t('size')}</label>
            <div class="input">
              <select
                id="size"
                value=${size}
                onChange=${(/** @type {FieldEvent} */ { target }) => {
                  chosen.value = { ...chosen.value, [kind.value]: target.value }
                }}
              >
                ${sizes[kind.value].map((size) => html`
                  <option value=${size}>
                    ${ofShop(size) && settings
                      ? t('sizeOfShop', { size: words('size_' + ofShop(size)) })
                      : words('size_' + size)}
                  </option>
                `)}
              </select>
            </div>
          </div>
        `}
        <${Segments}
          name="print-language"
          label=${t('language')}
          value=${language.value}
          choices=${['', 'en', 'bn'].map((language) => [language, words('language_' + language)])}
          onChange=${(/** @type {string} */ to) => {
            language.value = to
          }}
        />
        ${isSorted && html`
          <${Segments}
            name="print-order"
            label=${t('order')}
            value=${byConsignment.value ? 'consignment' : 'list'}
            choices=${['list', 'consignment'].map((order) => [order, words('by_' + order)])}
            onChange=${(/** @type {string} */ to) => {
              byConsignment.value = to === 'consignment'
            }}
          />
        `}
        ${can('orders.fulfill') && html`
          <label class="row">
            <input
              type="checkbox"
              class="checkbox"
              checked=${marks.value}
              onChange=${() => {
                marks.value = !marks.value
              }}
            />
            <span class="grow">${t('mark')}</span>
          </label>
        `}
        ${error.value && html`
          <p class="banner bad rounded" role="alert">
            ${icon('circle-alert')}
            <span>${error.value}</span>
          </p>
        `}
        <div class="row foot">
          <${Submit} busy=${busy.value}>
            ${!busy.value && icon('printer')}
            ${t.dynamic('print_' + kind.value, { count: ids.length })}
          <//>
          <a
            class="button square"
            target="_blank"
            rel="noopener"
            href=${path}
            aria-label=${t('preview')}
            title=${t('preview')}
          >
            ${icon('external-link')}
          </a>
        </div>
      </form>
    <//>
  `
}

/** @type {HTMLIFrameElement | null} */
let frame = null

/** Loads a page into a frame, waits for its images, and prints it. */
async function printPage(/** @type {string} */ path) {
  frame?.remove()
  const shown = window.document.createElement('iframe')
  frame = shown
  shown.className = 'print-frame'
  shown.title = t('print')
  shown.tabIndex = -1
  const loaded = new Promise((resolve) => {
    shown.onload = resolve
  })
  shown.src = path
  window.document.body.append(shown)
  await loaded
  const page = shown.contentDocument
  if (!page?.body?.dataset.print) {
    shown.remove()
    await get('session') // requests the password if the session has ended
    throw new Problem(0, { code: 'print' })
  }
  await Promise.all([...page.images].map((image) => image.decode().catch(() => {})))
  shown.contentWindow?.focus()
  shown.contentWindow?.print()
  shown.blur() // otherwise keys would go to the frame, which nobody sees
}
