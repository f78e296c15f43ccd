import { signal } from './html.js'

const watch = (/** @type {string} */ query) => {
  const media = matchMedia(query)
  const matches = signal(media.matches)
  media.addEventListener('change', () => { matches.value = media.matches })
  return matches
}

/** Whether there is a sidebar and lists are tables. */
export const isWide = watch('(min-width: 900px)')

/** Whether an open order stands beside the list. */
export const hasPane = watch('(min-width: 1200px)')
