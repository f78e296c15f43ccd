// Parts that are loaded when they are first needed: the first visit is for the list.

import { html, useEffect, useSignal } from '../html.js'
import { Problem } from '../api.js'
import { explain } from '../strings/problem.js'
import { showToast } from './toast.js'

/** @type {Map<() => Promise<{ view: any }>, any>} */
const loaded = new Map()

/**
 * Shows the view of a module with the other properties, and before it is there what is shown
 * meanwhile. What cannot be loaded closes with a message.
 * @param {{ load: () => Promise<{ view: any }>, meanwhile?: any, close?: () => void } & Record<
 *   string,
 *   any
 * >} props
 */
export function Later({ load, meanwhile, ...props }) {
  const View = useSignal(loaded.get(load))
  useEffect(() => {
    if (View.value) return
    load().then(
      (module) => {
        loaded.set(load, module.view)
        View.value = module.view
      },
      () => {
        showToast(explain(new Problem(0, {})), { bad: true })
        props.close?.()
      },
    )
  }, [])
  const Shown = View.value ?? meanwhile
  return Shown && html`<${Shown} ...${props} />`
}
