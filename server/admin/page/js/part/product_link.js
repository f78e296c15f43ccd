// A link by which a buyer orders a product: for a chat, a post or a poster.

import { html, useSignal } from '../html.js'
import { langOf, name } from '../i18n.js'
import { useGet } from '../resource.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { explain } from '../strings/problem.js'
import { t } from '../strings/product.js'
import { Dialog } from './dialog.js'
import { Field } from './form.js'
import { icon } from './icon.js'
import { Stepper } from './restock.js'
import { skeletonRows, Skeleton } from './states.js'
import { copy } from './toast.js'

/** @typedef {import('./product_change.js').Product} Product */
/** @typedef {import('../api.js').Schemas['OrderLink']} Link */

const most = 99 // units in a line of a cart

/** @param {{ product: Product, close: () => void }} props */
export function LinkDialog({ product, close }) {
  const variant = useSignal(product.variants[0]._id)
  const quantity = useSignal(1)
  const coupon = useSignal('')
  /** @type {{ data?: Link, problem: any }} */
  const { data, problem } = useGet('order-link', {
    item: variant.value + ':' + quantity.value,
    coupon: coupon.value || undefined,
  })
  const errors = { coupon: coupon.value && problem ? explain(problem.errors[0] ?? problem) : '' }
  const picture = data && 'data:image/svg+xml,' + encodeURIComponent(data.qrSvg)
  return html`
    <${Dialog} title=${t('orderLink')} text=${t('orderLinkText')} close=${close} id="order-link">
      ${product.variants.length > 1 && html`
        <div class="field">
          <label for="link-variant">${t('variant')}</label>
          <div class="input">
            <select
              id="link-variant"
              onChange=${(/** @type {any} */ event) => {
                variant.value = event.target.value
              }}
            >
              ${product.variants.map(({ _id, title }) => html`
                <option key=${_id} value=${_id}>${name(title)}</option>
              `)}
            </select>
          </div>
        </div>
      `}
      <div class="row spread">
        <span class="label">${t('quantity')}</span>
        <${Stepper}
          value=${quantity.value}
          min=${1}
          max=${most}
          label=${t('quantity')}
          change=${(/** @type {number} */ value) => {
            quantity.value = value
          }}
        />
      </div>
      ${can('coupons.read') && html`
        <${Field}
          name="coupon"
          label=${t('linkCoupon')}
          errors=${errors}
          value=${coupon.value}
          autocapitalize="characters"
          onChange=${(/** @type {any} */ event) => {
            coupon.value = event.target.value.trim()
          }}
        />
      `}
      ${problem && !errors.coupon
        ? html`
            <p class="banner bad rounded" role="alert">${explain(problem.errors[0] ?? problem)}</p>
          `
        : !data
          ? html`<${Skeleton}>${skeletonRows(2)}<//>`
          : html`
              <div class="row">
                <img class="qr" src=${picture} alt=${t('orderLink')} />
                <p class="grow small noted" lang=${langOf(data.text)}>${data.text}</p>
              </div>
              <div class="send-by">
                <a
                  class="button primary"
                  target="_blank"
                  rel="noopener noreferrer"
                  href=${'https://wa.me/?text=' + encodeURIComponent(data.text)}
                >
                  ${icon('message-circle')} WhatsApp
                </a>
                <a
                  class="button"
                  target="_blank"
                  rel="noopener noreferrer"
                  href=${'fb-messenger://share/?link=' + encodeURIComponent(data.url)}
                >
                  ${icon('message-circle')} Messenger
                </a>
                <button type="button" class="button" id="copy-link" onClick=${() => copy(data.url)}>
                  ${icon('copy')} ${common('copy')}
                </button>
                <a class="button" download="order-link.svg" href=${picture}>
                  ${icon('download')} ${t('linkCode')}
                </a>
              </div>
            `}
    <//>
  `
}
