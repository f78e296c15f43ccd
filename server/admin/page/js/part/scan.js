// Reads a barcode with the camera, in browsers that have a reader of their own.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { t } from '../strings/stock.js'
import { Dialog } from './dialog.js'
import { icon } from './icon.js'

/** @typedef {InstanceType<NonNullable<Window['BarcodeDetector']>>} Detector */

const Detector = window.BarcodeDetector

/** Whether the browser reads barcodes. */
export const canScan = Boolean(Detector && navigator.mediaDevices)

const interval = 200 // milliseconds

/** @param {{ found: (code: string) => void, close: () => void }} props */
export function Scan({ found, close }) {
  const video = useRef(/** @type {HTMLVideoElement | null} */ (null))
  const failed = useSignal(false)
  useEffect(() => {
    /** @type {MediaStream | null} */
    let stream = null
    let timer = 0
    let ended = false
    const read = async () => {
      const [first] = await detector
        .detect(/** @type {HTMLVideoElement} */ (video.current))
        .catch(() => [])
      if (ended) return
      if (first) {
        navigator.vibrate?.(30)
        found(first.rawValue)
      } else timer = setTimeout(read, interval)
    }
    const detector = new /** @type {new () => Detector} */ (Detector)()
    navigator.mediaDevices
      .getUserMedia({ video: { facingMode: 'environment' } })
      .then(async (opened) => {
        stream = opened
        if (ended || !video.current) return stop()
        video.current.srcObject = opened
        await video.current.play()
        read()
      })
      .catch(() => {
        failed.value = !ended
      })
    const stop = () => stream?.getTracks().forEach((track) => track.stop())
    return () => {
      ended = true
      clearTimeout(timer)
      stop()
    }
  }, [])
  return html`
    <${Dialog}
      title=${t('scan')}
      text=${failed.value ? undefined : t('scanText')}
      close=${close}
      id="scan"
    >
      ${failed.value
        ? html`
            <p class="banner rounded" role="alert">
              ${icon('circle-alert')}
              <span>${t('noCamera')}</span>
            </p>
            <button type="button" class="button primary big" onClick=${close}>
              ${icon('keyboard')}
              ${t('typeNumber')}
            </button>
          `
        : html`
            <video
              ref=${video}
              class="photo-seen"
              muted
              playsinline
              aria-label=${t('scan')}
            ></video>
          `}
    <//>
  `
}
