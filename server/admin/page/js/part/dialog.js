// A dialog: at the foot of a phone, in the middle of a desk.

import { html, useLayoutEffect, useRef } from '../html.js'
import { guard, leaving } from '../router.js'
import { t } from '../strings/common.js'
import { isUnsaved } from './form.js'
import { icon } from './icon.js'
import { Sending } from './toast.js'

/** Closes a dialog that lies over every view when another is opened, as by a phone's back key. */
export function closeOnLeave(/** @type {() => void} */ close) {
  addEventListener('hashchange', close)
  return () => removeEventListener('hashchange', close)
}

/**
 * Shows a modal dialog until it is closed. What had the focus before has it again afterwards. What
 * was typed is lost only after a question, unless free: closing loses nothing. hasChanges: other
 * changes than text.
 * @param {{ title: string, text?: any, close: () => void, children?: any, id?: string, kind?:
 *   string, free?: boolean, hasChanges?: () => boolean }} props
 */
export function Dialog({ title, text, close, children, id, kind = '', free, hasChanges }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null))
  const current = useRef({ close, hasChanges })
  current.current = { close, hasChanges }
  const question = () =>
    !free && (isUnsaved(element.current) || current.current.hasChanges?.()) ? t('unsaved') : null
  const leave = () => {
    const text = question()
    if (!text) {
      current.current.close()
      return
    }
    if (!element.current?.open) element.current?.showModal()
    leaving.confirm(text).then((isLeaving) => {
      if (isLeaving) current.current.close()
    })
  }
  useLayoutEffect(() => {
    const before = document.activeElement
    const dialog = element.current
    const end = guard(question)
    dialog?.showModal()
    // a browser closes it without a request to the page if Escape is pressed twice
    dialog?.addEventListener('close', leave)
    return () => {
      end()
      dialog?.removeEventListener('close', leave)
      dialog?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return html`
    <dialog
      ref=${element}
      id=${id}
      class="bottom-sheet ${kind}"
      aria-labelledby="dialog-title"
      onCancel=${(/** @type {Event} */ event) => {
        event.preventDefault()
        leave()
      }}
      onClick=${(/** @type {MouseEvent} */ event) => {
        if (event.target === element.current) leave()
      }}
    >
      <div class="bottom-sheet-body">
        <div class="row spread">
          <h2 class="title" id="dialog-title" tabindex="-1">${title}</h2>
          <button type="button" class="icon-button" aria-label=${t('close')} onClick=${leave}>
            ${icon('x')}
          </button>
        </div>
        ${text && html`<p class="quiet">${text}</p>`}
        ${children}
      </div>
      <${Sending} />
    </dialog>
  `
}
