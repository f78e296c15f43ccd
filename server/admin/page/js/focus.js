// Moves the focus, where the browser does not.

const page = { current: document }

/**
 * Focuses the first fault that is shown in an element, once the page shows what has changed.
 * @param {{ current: Document | Element | null }} root
 */
export const focusFault = (root = page, selector = '[aria-invalid=true], [role=alert]') =>
  setTimeout(() => {
    const found = root.current?.querySelector(selector)
    if (found instanceof HTMLElement) found.focus()
  })

/** Takes the focus from the field that has it, which ends an entry. */
export function leaveField() {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
}
