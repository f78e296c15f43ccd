// The name, the logo, the colours and the contact of the operator's service, which are the same in
// all shops. They are loaded after the page.

import { html, signal, useEffect } from '../html.js'
import { langOf } from '../i18n.js'
import { t } from '../strings/defaults.js'

/**
 * @typedef {{ name: string, logo?: string, colour: string, phone: string, email: string, url:
 *   string }} Branding
 */

const branding = signal(/** @type {Branding | null} */ (null))
let isLoading = false

/** Loads the branding once, and again after a change. */
export async function loadBranding(again = false) {
  if (isLoading && !again) return
  isLoading = true
  try {
    const response = await fetch('/admin/branding')
    if (response.ok) branding.value = await response.json()
  } catch {
    isLoading = false // without a network, the next view tries again
    return
  }
  const colour = branding.value?.colour
  document.getElementById('branding')?.remove()
  if (!colour) return
  const link = document.createElement('link')
  link.id = 'branding'
  link.rel = 'stylesheet'
  link.href = '/admin/branding.css?' + colour.slice(1)
  document.head.append(link)
}

/** The name of the operator's service in a sentence. */
export function useOperatorName() {
  useEffect(() => {
    loadBranding()
  }, [])
  return branding.value?.name || t('operator')
}

/** The contact for help. @param {{ at?: string }} props */
export function view({ at }) {
  useEffect(() => {
    loadBranding()
  }, [])
  const shown = branding.value
  if (!shown) return null
  const { name, logo, phone, email, url } = shown
  const links = [
    phone && ['tel:' + phone.replace(/[^+\d]/g, ''), phone],
    email && ['mailto:' + email, email],
    url && [url, url.replace(/^https?:\/\//, '').replace(/\/$/, '')],
  ].filter(Boolean)
  if (!name && !logo && links.length === 0) return null
  return html`
    <div class="branding row wraps small quiet ${at ?? ''}">
      ${logo && html`<img src=${logo} alt="" height="28" />`}
      ${name && html`<b lang=${langOf(name)}>${name}</b>`}
      ${links.length > 0 && html`
        <span>
          ${t('help') + ': '}
          ${links.map(([address, text], i) => html`
            ${i > 0 && ' · '}
            <a href=${address}>${text}</a>
          `)}
        </span>
      `}
    </div>
  `
}
