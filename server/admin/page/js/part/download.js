// Files of the API that are saved on the device. They may need the password to be entered again, as
// other requests do.

import { send } from '../api.js'

/** Sends a request whose response is a file. @type {typeof fetch} */
const asFile = async (url, init) => {
  const response = await fetch(url, init)
  if (!response.ok) return response
  const file = await response.blob()
  return Object.assign(response, { json: () => Promise.resolve(file) })
}

/** Loads a file and hands it to the browser. A Problem is thrown if there is none. */
export async function download(
  /** @type {string} */ path,
  /** @type {Record<string, any>} */ query,
  /** @type {string} */ fileName,
) {
  const { data } = await send('GET', path, { query, transport: asFile })
  const url = URL.createObjectURL(data)
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000) // a phone may show the file before it saves it
}
