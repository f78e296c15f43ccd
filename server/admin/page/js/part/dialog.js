// A dialog: at the foot of a phone, in the middle of a desk.

import { html, useLayoutEffect, useRef } from '../html.js'
import { t } from '../strings/frame.js'
import { icon } from './icon.js'

/** Closes a dialog that lies over every view when another is opened, as by a phone's back key. */
export function closeOnLeave(/** @type {() => void} */ close) {
  addEventListener('hashchange', close)
  return () => removeEventListener('hashchange', close)
}

/**
 * Shows a modal dialog until it is closed. What had the focus before has it again afterwards.
 * @param {{ title: string, text?: any, close: () => void, children?: any, id?: string, kind?: string }} props
 */
export function Dialog({ title, text, close, children, id, kind = '' }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null))
  useLayoutEffect(() => {
    const before = document.activeElement
    const dialog = element.current
    dialog?.showModal()
    dialog?.addEventListener('close', close) // a browser closes it without a request to the page if Escape is pressed twice
    return () => {
      dialog?.removeEventListener('close', close)
      dialog?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return html`<dialog ref=${element} id=${id} class="bsheet ${kind}" aria-labelledby="dialog-title"
    onCancel=${(/** @type {Event} */ event) => { event.preventDefault(); close() }}
    onClick=${(/** @type {MouseEvent} */ event) => { if (event.target === element.current) close() }}>
    <div class="bsheet-body">
      <div class="row sp"><h2 class="title" id="dialog-title" tabindex="-1">${title}</h2>
        <button type="button" class="ib" aria-label=${t('close')} onClick=${close}>${icon('x')}</button></div>
      ${text && html`<p class="q">${text}</p>`}
      ${children}
    </div></dialog>`
}
