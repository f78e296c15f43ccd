// What every part and view is written with.

import { h, options, render, Fragment } from './vendor/preact.js'
import htm from './vendor/htm.js'

export { h, options, render, Fragment }
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from './vendor/hooks.js'
export { batch, computed, effect, signal, useComputed, useSignal } from './vendor/signals.js'

/** @typedef {import('./vendor/preact.js').ComponentType<any>} Component */

/** Returns elements: html`<p class=${name}>${text}</p>`. Values only become text and properties. */
export const html = htm.bind(h)
