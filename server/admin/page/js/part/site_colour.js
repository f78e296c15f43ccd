// The colour of a logo: of its pixels, the saturated one that covers most.

const side = 72 // pixels of the copy that is counted
const hues = 24

/** Loads a picture so that its pixels can be read. @returns {Promise<HTMLImageElement>} */
const load = (/** @type {string} */ url) =>
  new Promise((resolve, reject) => {
    const image = new Image()
    image.crossOrigin = 'anonymous'
    image.onload = () => resolve(image)
    image.onerror = reject
    image.src = url
  })

/** Loads an image, at this host if another one does not let its pixels be read. */
const loadOwn = (/** @type {string} */ url) =>
  load(url).catch((error) => {
    const at = url.indexOf('/media/')
    if (at < 0) throw error
    return load(url.slice(at))
  })

/** Returns the colour of a logo, such as #27497a; of one without any, its darkest grey. */
export async function colourOf(/** @type {string} */ url) {
  const image = await loadOwn(url)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = side
  const context = /** @type {CanvasRenderingContext2D} */ (
    canvas.getContext('2d', { willReadFrequently: true })
  )
  context.drawImage(image, 0, 0, side, side)
  const { data } = context.getImageData(0, 0, side, side)
  const bins = Array.from({ length: hues }, () => ({ weight: 0, sum: [0, 0, 0] }))
  let darkest = [27, 23, 20]
  let least = 256
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] < 128) continue
    const rgb = [data[i], data[i + 1], data[i + 2]]
    const [low, high] = [Math.min(...rgb), Math.max(...rgb)]
    if (high < least) [least, darkest] = [high, rgb]
    const chroma = high - low
    if (chroma < 40) continue // grey, or nearly white
    const bin = bins[Math.floor(hueOf(rgb, high, chroma) * hues) % hues]
    bin.weight += chroma
    rgb.forEach((part, n) => {
      bin.sum[n] += part * chroma
    })
  }
  const best = bins.reduce((a, b) => (b.weight > a.weight ? b : a))
  return hex(best.weight > 0 ? best.sum.map((part) => part / best.weight) : darkest)
}

/** Returns the hue from 0 to 1. */
function hueOf(
  /** @type {number[]} */ [r, g, b],
  /** @type {number} */ high,
  /** @type {number} */ chroma,
) {
  const sixth =
    high === r ? (g - b) / chroma + 6 : high === g ? (b - r) / chroma + 2 : (r - g) / chroma + 4
  return (sixth % 6) / 6
}

const hex = (/** @type {number[]} */ rgb) =>
  '#' + rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')
