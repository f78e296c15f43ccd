// What is done with many products: the bar of a selection, what an action needs to know, and what
// it would do.

import { html, useEffect, useSignal } from '../html.js'
import { Problem, send } from '../api.js'
import { langOf, money, name, plainDigits } from '../i18n.js'
import { t as common } from '../strings/common.js'
import { explain } from '../strings/problem.js'
import { t } from '../strings/products.js'
import { Dialog } from './dialog.js'
import { Field, Segments, Submit } from './form.js'
import { icon } from './icon.js'
import { productActions, start } from './job.js'
import { Refusals } from './job_dialog.js'
import { amountOf, shownAmount, sign } from './product_change.js'

/** @typedef {import('../api.js').Schemas['Job']} Job */
/** @typedef {import('../api.js').Schemas['CollectionRecord']} Collection */
/** @typedef {import('./product_change.js').Product} Product */

const words = t.dynamic

/** @type {Record<string, string>} */
const icons = {
  publish: 'store',
  draft: 'pencil',
  archive: 'archive',
  price: 'percent',
  addTags: 'tag',
  removeTags: 'x',
  addToCollection: 'layers',
  removeFromCollection: 'minus',
  importImages: 'image-plus',
  delete: 'trash',
}

/** What is selected: products of the page, or all that the list has, by its filter.
 * @typedef {{ rows: Product[], everything: { filter: any, count: number } | null }} Picked */

/**
 * The bar that takes the place of the top bar.
 * @param {{ picked: Picked, rows: Product[], end: () => void, all: () => void }} props
 */
export const SelectionTop = ({ picked, rows, end, all }) => html`
  <header class="top plain over">
    <button class="icon-button" aria-label=${t('endSelection')} onClick=${end}>${icon('x')}</button>
    <div class="title">
      <h1 tabindex="-1" aria-live="polite">
        ${t('selected', { count: picked.everything?.count ?? picked.rows.length })}
      </h1>
    </div>
    ${picked.rows.length < rows.length && html`
      <button class="button mini" onClick=${all}>${t('allOf', { count: rows.length })}</button>
    `}
  </header>
`

/**
 * @param {{ picked: Picked, total: number, most: number, collections: Collection[], everything: ()
 *   => void, end: () => void }} props
 */
export function SelectionBar({ picked, total, most, collections, everything, end }) {
  const dialog = useSignal('')
  const { rows } = picked
  const count = picked.everything?.count ?? rows.length
  const hidden = rows.filter((row) => row.status !== 'active').length
  const main = hidden > 0 ? 'publish' : 'price'
  const act = (/** @type {string} */ action) => {
    dialog.value = action
  }
  const selection = picked.everything
    ? { filter: picked.everything.filter }
    : { ids: rows.map((row) => row._id) }
  return html`
    <div class="action-bar tall selection">
      ${!picked.everything && rows.length > 0 && total > rows.length && html`
        <p class="banner info rounded">
          <span class="grow">${t('onThisPage', { count: rows.length })}</span>
          <button class="button mini" id="everything" onClick=${everything}>
            ${t('everything', { count: total })}
          </button>
        </p>
      `}
      ${!picked.everything && most > 0 && html`
        <p class="banner info rounded" id="too-many">
          ${icon('info')}
          <span>${t('tooMany', { count: rows.length, most })}</span>
        </p>
      `}
      <div class="row">
        <span class="grow wide-only">
          <b>${t('selected', { count })}</b>
        </span>
        <button
          class="button primary big"
          id="bulk-main"
          disabled=${rows.length === 0}
          aria-haspopup="dialog"
          onClick=${() => act(main)}
        >
          ${icon(icons[main])}
          ${rows.length === 0 ? t('selected', { count }) : words('menu_' + main)}
        </button>
        ${rows.length > 0 && html`
          <button
            class="button square"
            id="bulk-more"
            aria-label=${t('more', { count })}
            aria-haspopup="dialog"
            onClick=${() => act('menu')}
          >
            ${icon('ellipsis')}
          </button>
        `}
        <button class="button wide-only" onClick=${end}>${common('close')}</button>
      </div>
      ${dialog.value === 'menu'
        ? html`
            <${Dialog} title=${t('more', { count })} close=${() => act('')} id="bulk-menu">
              <ul class="options">
                ${productActions.map((action) => html`
                  <li>
                    <button
                      class=${action === 'delete' ? 'option tone-bad' : 'option'}
                      data-action=${action}
                      onClick=${() => act(action)}
                    >
                      ${icon(icons[action])}
                      <span class="grow">${words('menu_' + action)}</span>
                    </button>
                  </li>
                `)}
              </ul>
            <//>
          `
        : dialog.value && html`
            <${Bulk}
              key=${dialog.value}
              action=${dialog.value}
              picked=${picked}
              selection=${selection}
              collections=${collections}
              end=${end}
              close=${() => act('')}
            />
          `}
    </div>
  `
}

/**
 * @typedef {{ tags: string, collection: string, lower: string, unit: string, by: string, roundTo:
 *   string, compareAt: string }} Draft
 */

/** Returns the options of an action; null: something is missing. */
function optionsOf(/** @type {string} */ action, /** @type {Draft} */ d) {
  if (/Tags$/.test(action)) {
    const tags = d.tags
      .split(/[,،]/)
      .map((tag) => tag.trim())
      .filter(Boolean)
    return tags.length > 0 ? { tags } : null
  }
  if (/Collection$/.test(action)) return d.collection ? { collection: d.collection } : null
  if (action !== 'price') return {}
  const by =
    d.unit === 'percent'
      ? Math.round(Number(plainDigits(d.by).replace(',', '.')) * 100)
      : Number(amountOf(d.by))
  if (!(by > 0)) return null
  const change = d.lower === 'lower' ? -by : by
  return {
    ...(d.unit === 'percent' ? { basisPoints: change } : { amount: change }),
    roundTo: Number(amountOf(d.roundTo)) || undefined,
    compareAt: d.compareAt,
  }
}

/** The price as the server rounds it, for the example. The server decides. */
function newPrice(
  /** @type {number} */ before,
  /** @type {any} */ { basisPoints = 0, amount = 0, roundTo = 1 },
) {
  const price = before * (10_000 + basisPoints) + amount * 10_000,
    step = Math.max(roundTo, 1) * 10_000
  return Math.floor((2 * price + step) / (2 * step)) * Math.max(roundTo, 1)
}

/**
 * Takes what an action needs to know, shows what it would do, and starts it.
 * @param {{ action: string, picked: Picked, selection: any, collections: Collection[], close: () =>
 *   void, end: () => void }} props
 */
function Bulk({ action, picked, selection, collections, close, end }) {
  const draft = useSignal(
    /** @type {Draft} */ ({
      tags: '',
      collection: '',
      lower: 'lower',
      unit: 'percent',
      by: '',
      roundTo: '',
      compareAt: 'set',
    }),
  )
  const plan = useSignal(/** @type {{ key: string, job?: Job, problem?: Problem }} */ ({ key: '' }))
  const d = draft.value
  const change = (/** @type {Partial<Draft>} */ to) => {
    draft.value = { ...draft.value, ...to }
  }
  const count = picked.everything?.count ?? picked.rows.length
  const options = optionsOf(action, d)
  const key = options ? JSON.stringify(options) : ''
  useEffect(() => {
    if (!options) return
    const abort = new AbortController()
    const check = () =>
      send('POST', 'bulk/products', {
        body: { action, ...selection, options, dryRun: true },
        signal: abort.signal,
      }).then(
        ({ data }) => {
          plan.value = { key, job: data }
        },
        (problem) => {
          if (abort.signal.aborted) return
          if (!(problem instanceof Problem)) throw problem
          plan.value = { key, problem }
        },
      )
    const timer = setTimeout(check, key === '{}' ? 0 : 300)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [key])
  const { job, problem } = plan.value.key === key ? plan.value : {}
  const results = job?.results ?? []
  const refused = results.filter((result) => result.ok === false)
  const unchanged = results.filter((result) => result.ok && result.warning)
  const n = job ? results.length - refused.length - unchanged.length : count
  function run(/** @type {Event} */ event) {
    event.preventDefault()
    if (!options || !job || n === 0) return
    // those of the preview, and none that came since
    const ids = results
      .filter((result) => result.ok && !result.warning)
      .map((result) => result.subject)
    close()
    end()
    start(action, ids.length <= 200 ? { ids } : selection, ids.length, options)
  }
  const fieldSetter = (/** @type {keyof Draft} */ field) => (/** @type {FieldEvent} */ event) =>
    change({ [field]: event.target.value })
  const about = /^(publish|draft|archive|price|importImages|delete)$/.test(action)
    ? words('about_' + action)
    : undefined
  const examples = action === 'price' && options ? picked.rows.slice(0, 3) : []
  return html`
    <${Dialog} title=${words('menu_' + action)} text=${about} close=${close} id="bulk">
      <form class="stack" onSubmit=${run} novalidate>
        ${/Tags$/.test(action) && html`
          <${Field}
            name="tags"
            label=${t('tags')}
            hint=${t('tagsHint')}
            errors=${{}}
            autocomplete="off"
            autofocus
            onInput=${fieldSetter('tags')}
          />
        `}
        ${/Collection$/.test(action) && html`
          <div class="field">
            <label for="to-collection">${t('collection')}</label>
            <div class="input">
              <select id="to-collection" onChange=${fieldSetter('collection')}>
                <option value="">${t('choose')}</option>
                ${collections.map((collection) => html`
                  <option value=${collection._id}>${name(collection.title)}</option>
                `)}
              </select>
            </div>
          </div>
        `}
        ${action === 'price' && html`
          <${Segments}
            name="lower"
            label=${t('direction')}
            value=${d.lower}
            choices=${[
              ['lower', t('lower')],
              ['raise', t('raise')],
            ]}
            onChange=${(/** @type {string} */ lower) => change({ lower })}
          />
          <div class="two">
            <${Field}
              name="by"
              label=${t('by')}
              errors=${{}}
              inputmode="decimal"
              autocomplete="off"
              autofocus
              onInput=${fieldSetter('by')}
            />
            <${Segments}
              name="unit"
              label=${t('unit')}
              value=${d.unit}
              choices=${[
                ['percent', t('percent')],
                ['amount', sign()],
              ]}
              onChange=${(/** @type {string} */ unit) => change({ unit })}
            />
          </div>
          <div class="field">
            <label for="roundTo">${t('round')}</label>
            <div class="input">
              <select id="roundTo" onChange=${fieldSetter('roundTo')}>
                ${['', '5', '10', '50', '100'].map((limit) => html`
                  <option value=${limit}>
                    ${limit === '' ? t('noRound') : shownAmount(Number(amountOf(limit)))}
                  </option>
                `)}
              </select>
            </div>
          </div>
          <div class="field">
            <label for="compareAt">${t('beforePrice')}</label>
            <div class="input">
              <select id="compareAt" onChange=${fieldSetter('compareAt')}>
                ${[
                  ['set', t('showBefore')],
                  ['keep', t('leaveBefore')],
                  ['clear', t('clearBefore')],
                ].map(([value, text]) => html`<option value=${value}>${text}</option>`)}
              </select>
            </div>
          </div>
        `}
        ${examples.length > 0 && html`
          <div>
            <p class="small quiet">${t('example')}</p>
            <ul class="stack tight-rows" id="examples">
              ${examples.map((row) => html`
                <li class="row spread small">
                  <span class="cut" lang=${langOf(name(row.title))}>${name(row.title)}</span>
                  <span class="nowrap">
                    ${money(row.price)} → <b>
                      ${money({ ...row.price, amount: newPrice(row.price.amount, options) })}
                    </b>
                  </span>
                </li>
              `)}
            </ul>
          </div>
        `}
        <div class="stack" role="status">
          ${problem
            ? html`
                <p class="error">
                  ${icon('circle-alert', 'mini')}
                  <span>${explain(problem.errors[0] ?? problem)}</span>
                </p>
              `
            : options && !job
              ? html`<p class="quiet">${t('preparing')}</p>`
              : job && html`
                  <p>
                    <b>${t('applies', { count: n, all: results.length })}</b>
                    ${unchanged.length > 0 && html`
                      ${' '}
                      <span class="quiet">${t('unchanged', { count: unchanged.length })}</span>
                    `}
                  </p>
                  ${refused.length > 0 && html`
                    <p class="small quiet">${t('refused', { count: refused.length })}</p>
                    <${Refusals} kind=${action} results=${refused.slice(0, 50)} close=${close} />
                  `}
                `}
        </div>
        <${Submit}
          busy=${false}
          disabled=${!job || n === 0}
          kind=${action === 'delete' ? 'big bad' : 'primary big'}
        >
          ${words('do_' + action, { count: n })}
        <//>
      </form>
    <//>
  `
}
