// The fields of a coupon's form, and the coupon in words with its effect on a basket.

import { html, useEffect, useSignal } from '../html.js'
import { get, Problem } from '../api.js'
import { langOf, majorUnits, moneyOf, name } from '../i18n.js'
import { t } from '../strings/coupons.js'
import { benefit, bounds, effect } from './coupon_words.js'
import { isComplete, rulesOf } from './coupon_draft.js'
import { Field, Segments } from './form.js'
import { icon } from './icon.js'
import { amountOf, currency, sign } from './product_change.js'
import { useCollections } from './product_filters.js'
import { AddProducts, loadedProducts, titleOf } from './product_pick.js'

/** @typedef {import('./coupon_draft.js').Draft} Draft */
/**
 * @typedef {{ draft: Draft, change: (to: Partial<Draft>) => void, errors: Record<string, string> }}
 *   Props
 */

/** Letters and digits that nobody takes for others when they are read aloud. */
const letters = 'ACEFHJKMNPRTWXY3479'

/** Returns a code that is hard to guess and easy to type. */
const suggestion = () =>
  [...crypto.getRandomValues(new Uint8Array(8))]
    .map((byte) => letters[byte % letters.length])
    .join('')

/**
 * What the coupon is, when it is valid and for what.
 * @param {Props & { reset: () => void, isNew: boolean }} props reset shows changed fields again
 */
export function Fields({ draft: d, change, errors, reset, isNew }) {
  const field = (
    /** @type {keyof Draft} */ key,
    /** @type {any} */ props,
    label = t.dynamic(key),
  ) => html`
    <${Field}
      id=${key}
      label=${label}
      errors=${errors}
      value=${d[key]}
      autocomplete="off"
      name=${key}
      onInput=${(/** @type {FieldEvent} */ event) => change({ [key]: event.target.value })}
      ...${props}
    />
  `
  const amount = (/** @type {keyof Draft} */ key, props = {}) =>
    field(key, { prefix: sign(), inputmode: 'decimal', ...props })
  return html`
    <section class="card section stack">
      ${isNew && html`
        <${Segments}
          name="automatic"
          label=${t('needs')}
          value=${d.automatic ? 'yes' : 'no'}
          onChange=${(/** @type {string} */ to) => {
            const automatic = to === 'yes'
            change({ automatic, ...(!automatic && d.kind === 'buy_get' && { kind: 'percentage' }) })
            reset()
          }}
          choices=${[
            ['no', t('withCode')],
            ['yes', t('withoutCode')],
          ]}
        />
      `}
      ${d.automatic && field('title', { maxlength: 60, hint: t('titleHint') })}
      ${!d.automatic && html`
        <div>
          ${field('code', {
            maxlength: 64,
            autocapitalize: 'characters',
            spellcheck: false,
            hint: t('codeHint'),
          })}
          ${d.code === '' && html`
            <button
              type="button"
              class="button mini suggest"
              id="suggest"
              onClick=${() => {
                change({ code: suggestion() })
                reset()
                setTimeout(() => document.getElementById('code')?.focus())
              }}
            >
              ${t('suggest')}
            </button>
          `}
        </div>
      `}
      <${Segments}
        name="kind"
        label=${t('kind')}
        value=${d.kind}
        onChange=${(/** @type {Draft['kind']} */ kind) => change({ kind })}
        choices=${['percentage', 'fixed', 'free_delivery', ...(d.automatic ? ['buy_get'] : [])].map(
          (kind) => [kind, t.dynamic(kind)],
        )}
      />
      ${d.kind === 'buy_get' && html`
        <div class="two top-aligned">
          ${field('buy', { name: 'buyQuantity', inputmode: 'numeric' })}
          ${field('get', { name: 'getQuantity', inputmode: 'numeric', hint: t('getHint') })}
        </div>
        ${field(
          'percent',
          { name: 'basisPoints', inputmode: 'decimal', prefix: '%', hint: t('getPercentHint') },
          t('getPercent'),
        )}
      `}
      ${d.kind === 'percentage' && html`
        <div class="two top-aligned">
          ${field('percent', { name: 'basisPoints', inputmode: 'decimal', prefix: '%' })}
          ${amount('maxDiscount', { hint: t('maxDiscountHint') })}
        </div>
      `}
      ${d.kind === 'fixed' && amount('amount')}
      ${amount('minSubtotal', { hint: t('minSubtotalHint') })}
    </section>
    <${Scope}
      scope=${boughtScope}
      label=${t(d.kind === 'buy_get' ? 'buyScope' : 'scope')}
      draft=${d}
      change=${change}
      errors=${errors}
    />
    ${d.kind === 'buy_get' && html`
      <${Scope}
        scope=${gotScope}
        label=${t('gotScope')}
        draft=${d}
        change=${change}
        errors=${errors}
      />
    `}
    <section class="card section stack">
      <h2>${t('when')}</h2>
      <div class="dates">
        ${field('startDay', { type: 'date', name: 'startsAt' })}
        ${field('startTime', { type: 'time' })}
      </div>
      <div class="dates">
        ${field('endDay', { type: 'date', name: 'endsAt' })}
        ${field('endTime', { type: 'time' })}
      </div>
      <p class="hint">${t('daysHint')}</p>
    </section>
    <section class="card section stack">
      <h2>${t('limits')}</h2>
      <div class="two top-aligned">
        ${field('usageLimit', { inputmode: 'numeric', hint: t('limitHint') })}
        ${field('customerLimit', { inputmode: 'numeric', hint: t('limitHint') })}
      </div>
      <div>${check(d, change, 'requiresLogin')}${check(d, change, 'active')}</div>
    </section>
  `
}

const check = (
  /** @type {Draft} */ d,
  /** @type {(to: Partial<Draft>) => void} */ change,
  /** @type {'requiresLogin' | 'active'} */ key,
) => html`
  <label class="row choice">
    <input
      type="checkbox"
      class="checkbox"
      id=${key}
      checked=${d[key]}
      onChange=${(/** @type {FieldEvent} */ event) => change({ [key]: event.target.checked })}
    />
    <span class="grow">${t(key)}</span>
  </label>
`

const mostProducts = 500
const mostShown = 30

/**
 * The fields of a scope.
 * @typedef {{ name: string, isScoped: 'isScoped' | 'isGotScoped', collections: 'collections' |
 *   'getCollections', products: 'products' | 'getProducts', faults: string[], all: 'scope_all' |
 *   'gotScope_all', some: 'scope_some' | 'gotScope_some' }} ScopeOf
 */

/** @type {ScopeOf} */
const boughtScope = {
  name: 'scope',
  isScoped: 'isScoped',
  collections: 'collections',
  products: 'products',
  faults: ['collectionIds', 'productIds'],
  all: 'scope_all',
  some: 'scope_some',
}
/** @type {ScopeOf} */
const gotScope = {
  name: 'got',
  isScoped: 'isGotScoped',
  collections: 'getCollections',
  products: 'getProducts',
  faults: ['getCollectionIds', 'getProductIds'],
  all: 'gotScope_all',
  some: 'gotScope_some',
}

/**
 * The products that the coupon is for, or that buyers get.
 * @param {Props & { scope: ScopeOf, label: string }} props
 */
function Scope({ scope, label, draft: d, change, errors }) {
  const chosen = d[scope.products]
  const collections = useCollections()
  const choosing = useSignal(false)
  const turn = useSignal(0)
  useEffect(() => {
    const missing = chosen.slice(0, mostShown).filter((id) => !loadedProducts.has(id))
    if (missing.length === 0) return
    Promise.all(
      missing.map((id) =>
        get('products/' + encodeURIComponent(id)).then(
          (product) => {
            loadedProducts.set(id, product)
          },
          (error) => {
            if (!(error instanceof Problem)) throw error // shown without its title
          },
        ),
      ),
    ).then(() => {
      turn.value++
    })
  }, [chosen.length])
  const toggle = (/** @type {'collections' | 'products'} */ list, /** @type {string} */ id) => {
    const key = scope[list]
    change({
      [key]: d[key].includes(id) ? d[key].filter((other) => other !== id) : [...d[key], id],
    })
  }
  const fault = errors[scope.faults[0]] ?? errors[scope.faults[1]]
  return html`
    <section class="card section stack">
      <${Segments}
        name=${scope.name}
        label=${label}
        value=${d[scope.isScoped] ? 'some' : 'all'}
        choices=${[
          ['all', t(scope.all)],
          ['some', t(scope.some)],
        ]}
        onChange=${(/** @type {string} */ to) => change({ [scope.isScoped]: to === 'some' })}
      />
      ${d[scope.isScoped] && html`
        ${collections.length > 0 && html`
          <fieldset class="checks">
            <legend class="label">${t('collections')}</legend>
            <div class="row wraps">
              ${collections.map((collection) => html`
                <label class="chip" key=${collection._id}>
                  <input
                    type="checkbox"
                    data-collection=${collection._id}
                    checked=${d[scope.collections].includes(collection._id)}
                    onChange=${() => toggle('collections', collection._id)}
                  />
                  <span lang=${langOf(name(collection.title))}>${name(collection.title)}</span>
                </label>
              `)}
            </div>
          </fieldset>
        `}
        <div>
          <h3 class="label">${t('products')}</h3>
          ${chosen.length > 0 && html`
            <ul class="row wraps chips-in">
              ${chosen.slice(0, mostShown).map((id) => html`
                <li key=${id}>
                  <button
                    type="button"
                    class="chip on"
                    aria-label=${t('removeProduct', { title: titleOf(id) })}
                    onClick=${() => toggle('products', id)}
                  >
                    <span lang=${langOf(titleOf(id))}>${titleOf(id)}</span>
                    <span aria-hidden="true">✕</span>
                  </button>
                </li>
              `)}
              ${chosen.length > mostShown && html`
                <li class="small quiet">${t('productCount', { count: chosen.length })}</li>
              `}
            </ul>
          `}
          <button
            type="button"
            class="button"
            id=${scope.name === 'got' ? 'choose-got' : 'choose-products'}
            aria-haspopup="dialog"
            aria-describedby=${fault ? scope.name + '-error' : undefined}
            aria-invalid=${fault ? 'true' : undefined}
            onClick=${() => {
              choosing.value = true
            }}
          >
            ${icon('plus')}
            ${t('chooseProducts')}
          </button>
          ${fault && html`
            <p class="error" id=${scope.name + '-error'}>
              ${icon('circle-alert', 'mini')}
              <span>${fault}</span>
            </p>
          `}
        </div>
      `}
      ${choosing.value && html`
        <${AddProducts}
          products=${chosen}
          text=${t('chooseText')}
          most=${mostProducts}
          fullText=${t('full')}
          close=${() => {
            choosing.value = false
          }}
          toggle=${(/** @type {string} */ id) => toggle('products', id)}
        />
      `}
    </section>
  `
}

/** The coupon as buyers know it, and what a basket becomes. @param {{ draft: Draft }} props */
export function InWords({ draft: d }) {
  const rules = rulesOf(d)
  const basket = useSignal('')
  const isReady = isComplete(rules)
  const first = majorUnits(
    moneyOf(Math.max(isReady ? (rules.minSubtotal ?? 0) : 0, Number(amountOf('1500'))), currency()),
  )
  const amount = amountOf(basket.value === '' ? first : basket.value)
  return html`
    <section class="card section stack" id="in-words" aria-labelledby="words">
      <h2 id="words">${t('inWords')}</h2>
      <div role="status">
        ${isReady
          ? html`
              <p>
                <b>${t('sentence', { text: benefit(rules) })}</b> ${bounds(rules)}
              </p>
            `
          : html`<p class="quiet">${t('unfinished')}</p>`}
      </div>
      ${isReady && rules.kind !== 'buy_get' && html`
        <div class="field">
          <label for="basket">${t('example')}</label>
          <div class="input">
            <span class="quiet" aria-hidden="true">${sign()}</span>
            <input
              id="basket"
              inputmode="decimal"
              autocomplete="off"
              aria-describedby="basket-hint"
              placeholder=${first}
              value=${basket.value}
              onInput=${(/** @type {FieldEvent} */ event) => {
                basket.value = event.target.value
              }}
            />
          </div>
        </div>
        <p id="basket-hint" class="small" role="status">
          ${d.isScoped && html`
            <span class="quiet">${t('exampleSome')}</span>
            ${' '}
          `}
          <b id="effect">
            ${amount === null || Number.isNaN(amount) ? t('noAmount') : effect(rules, amount)}
          </b>
        </p>
      `}
    </section>
  `
}
