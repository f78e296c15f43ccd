import { signal } from './html.js'

const watch = (/** @type {string} */ query) => {
  const media = matchMedia(query)
  const matches = signal(media.matches)
  media.addEventListener('change', () => {
    matches.value = media.matches
  })
  return matches
}

/** Whether there is a sidebar and lists are tables. */
export const isWide = watch('(min-width: 900px)')

/** Whether a table has its place beside an open order. */
export const isLarge = watch('(min-width: 1200px)')
