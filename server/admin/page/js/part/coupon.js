// One coupon: a new one, or one that is changed.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { act, get, Problem, send } from '../api.js'
import { focusFault } from '../focus.js'
import { ago } from '../i18n.js'
import { changed } from '../resource.js'
import { guard, open, to } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/coupons.js'
import { Conflict } from './conflict.js'
import { bodyOf, differences, draftOf, emptyDraft, faultsOf, merge, parts } from './coupon_draft.js'
import { Fields, InWords } from './coupon_fields.js'
import { isForNothing, labelOf, stateOf, useOf } from './coupon_words.js'
import { Dialog } from './dialog.js'
import { errorsOf, formError } from './form.js'
import { icon } from './icon.js'
import { attempt } from './product_change.js'
import { skeletonRows, Failed, Skeleton } from './states.js'
import { copy, showToast } from './toast.js'

/** @typedef {import('./coupon_words.js').Coupon} Coupon */
/** @typedef {import('./coupon_draft.js').Draft} Draft */
/**
 * @typedef {{ coupon: Coupon | null, base: Draft, etag: string | null }} Loaded coupon: null if it
 *   is new
 */

const fieldNames = [
  'code',
  'title',
  'buyQuantity',
  'getQuantity',
  'getCollectionIds',
  'getProductIds',
  'basisPoints',
  'amount',
  'maxDiscount',
  'minSubtotal',
  'collectionIds',
  'productIds',
  'startsAt',
  'endsAt',
  'usageLimit',
  'customerLimit',
]

/** The fields of the form with another name than in the API. @type {Record<string, string>} */
const formNames = { percent: 'basisPoints', buy: 'buyQuantity', get: 'getQuantity' }

/** The mark of a coupon's state. */
export const stateMark = (/** @type {Coupon} */ coupon) => {
  const [state, tone] = stateOf(coupon)
  return html`<span class="status-pill ${tone}">${t.dynamic('state_' + state)}</span>`
}

const Bar = (
  /** @type {{ title: string, note?: any, children?: any }} */ { title, note, children },
) => html`
  <header class="top plain over">
    <a class="icon-button" data-back aria-label=${common('back')} href=${to('coupons')}>
      ${icon('arrow-left')}
    </a>
    <div class="title">
      <h1 tabindex="-1" class="cut">${title || common('coupons')}</h1>
      ${note && html`<div class="small cut">${note}</div>`}
    </div>
    ${children}
  </header>
`

/** @param {{ id: string }} props */
export function CouponView({ id }) {
  const loaded = useSignal(
    /** @type {Loaded | null} */ (
      id === 'new' ? { coupon: null, base: emptyDraft, etag: null } : null
    ),
  )
  const problem = useSignal(/** @type {Problem | null} */ (null))
  const path = 'coupons/' + encodeURIComponent(id)
  /** @returns {Promise<Loaded>} */
  const read = async () => {
    const { data, etag } = await send('GET', path)
    return { coupon: data, base: draftOf(data), etag }
  }
  const load = async () => {
    try {
      loaded.value = await read()
      problem.value = null
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      problem.value = error
    }
  }
  useEffect(() => {
    if (id !== 'new') load()
  }, [])
  if (!loaded.value) {
    return html`
      <${Bar} title="" />
      ${problem.value
        ? html`<${Failed} problem=${problem.value} retry=${load} />`
        : html`<${Skeleton}>${skeletonRows(3)}<//>`}
    `
  }
  return html`<${Form} path=${path} first=${loaded.value} read=${read} />`
}

/** @param {{ path: string, first: Loaded, read: () => Promise<Loaded> }} props */
function Form({ path, first, read }) {
  const base = useSignal(first)
  const draft = useSignal(first.base)
  const errors = useSignal(/** @type {Record<string, string>} */ ({}))
  const conflict = useSignal(/** @type {Loaded | null} */ (null))
  const dialog = useSignal('')
  const busy = useSignal(false)
  const seed = useSignal(0)
  const key = useRef(crypto.randomUUID())
  const element = useRef(/** @type {HTMLFormElement | null} */ (null))
  const d = draft.value
  const { coupon } = base.value
  const isNew = coupon === null
  const mayChange = can('coupons.write')
  const isChanged = differences(d, base.value.base).length > 0
  const change = (/** @type {Partial<Draft>} */ next) => {
    draft.value = { ...draft.value, ...next }
    if (Object.values(errors.value).some(Boolean)) {
      errors.value = {
        ...errors.value,
        ...Object.fromEntries(Object.keys(next).map((key) => [formNames[key] ?? key, ''])),
      }
    }
    key.current = crypto.randomUUID() // another coupon than the one that was perhaps created
  }
  const begin = (/** @type {Loaded} */ next) => {
    base.value = next
    draft.value = next.base
    errors.value = {}
    seed.value++
  }
  useEffect(
    () =>
      guard(() =>
        differences(draft.value, base.value.base).length > 0 ? common('unsaved') : null,
      ),
    [],
  )
  const fail = (/** @type {Record<string, string>} */ faults) => {
    errors.value = faults
    focusFault(element)
  }
  async function save(/** @type {Draft} */ from, /** @type {Loaded} */ onto = base.value) {
    if (busy.value) return
    errors.value = {}
    const faults = faultsOf(from, isNew ? null : onto.base)
    if (Object.keys(faults).length > 0) return fail(faults)
    busy.value = true
    try {
      await (isNew ? create(from) : update(from, onto))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.code === 'changed_meanwhile') await attempt(compare)
      else
        fail(
          isNew && from.code.trim() && error.errors.some(({ field }) => field === 'code')
            ? { code: t('exists') }
            : errorsOf(error, fieldNames),
        )
    } finally {
      busy.value = false
    }
  }
  async function create(/** @type {Draft} */ from) {
    const { _id, code, title } = await act('coupons', bodyOf(from, Object.keys(parts), true), {
      key: key.current,
      query: { create: true },
      label: labelOf(from),
    })
    draft.value = base.value.base
    changed()
    showToast(t('created', { code: labelOf({ code, title }) }), {
      action: code ? { text: common('copy'), run: () => copy(code) } : undefined,
    })
    open(to('coupons', _id), { replace: true })
  }
  async function update(/** @type {Draft} */ from, /** @type {Loaded} */ onto) {
    const own = differences(from, onto.base)
    if (own.length > 0)
      await act(path, bodyOf(from, own), {
        method: 'PATCH',
        ifMatch: onto.etag,
        label: labelOf(from),
      })
    begin(await read())
    changed()
    showToast(common('saved'))
  }
  // The coupon as it is now. Perhaps it is what was to be saved, by a request whose response was
  // lost.
  async function compare() {
    const now = await read()
    if (differences(draft.value, now.base).length > 0) conflict.value = now
    else {
      begin(now)
      changed()
      showToast(common('saved'))
    }
  }
  const remove = () =>
    attempt(async () => {
      dialog.value = ''
      await act(path, {}, { method: 'DELETE', ifMatch: base.value.etag, label: labelOf(d) })
      draft.value = base.value.base
      changed()
      showToast(t('deleted', { code: labelOf(base.value.base) }))
      open(to('coupons'), { replace: true })
    })
  const isUsed = Number(coupon?.used) > 0
  return html`
    <${Bar}
      title=${isNew ? t('new') : labelOf(base.value.base)}
      note=${isChanged
        ? html`<span class="tone-warn">${t('unsaved')}</span>`
        : coupon && html`<span class="quiet">${useOf(coupon, ago)}</span>`}
    >
      ${coupon && !isChanged && stateMark(coupon)}
      ${!isNew && html`
        <button
          class="icon-button"
          id="coupon-more"
          aria-label=${t('menu')}
          aria-haspopup="dialog"
          onClick=${() => {
            dialog.value = 'menu'
          }}
        >
          ${icon('ellipsis-vertical')}
        </button>
      `}
    <//>
    <form
      ref=${element}
      id="coupon"
      class="stack form-view coupon"
      novalidate
      onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault()
        save(draft.value)
      }}
    >
      ${formError(errors.value)}
      ${coupon && isForNothing(coupon) && html`
        <p class="banner rounded">
          ${icon('circle-alert')}
          <span>${t('gone')}</span>
        </p>
      `}
      <${InWords} draft=${d} />
      <fieldset class="stack" key=${seed.value} disabled=${!mayChange}>
        <${Fields}
          draft=${d}
          change=${change}
          errors=${errors.value}
          isNew=${isNew}
          reset=${() => {
            seed.value++
          }}
        />
      </fieldset>
    </form>
    ${mayChange && (isNew || isChanged) && html`
      <div class="action-bar">
        <button class="button primary big" id="save" form="coupon" aria-busy=${busy.value}>
          ${busy.value && icon('loader', 'spin')}
          ${isNew ? t('create') : common('save')}
        </button>
        ${!isNew && html`
          <button
            type="button"
            class="button second"
            id="discard"
            onClick=${() => begin(base.value)}
          >
            ${t('discard')}
          </button>
        `}
      </div>
    `}
    ${dialog.value === 'menu' && html`
      <${Dialog}
        title=${t('menu')}
        close=${() => {
          dialog.value = ''
        }}
        id="coupon-menu"
      >
        <ul class="options">
          ${base.value.base.code !== '' && html`
            <li>
              <button
                class="option"
                data-action="copy"
                onClick=${() => {
                  dialog.value = ''
                  copy(base.value.base.code)
                }}
              >
                ${icon('copy')}
                <span class="grow">${t('copyCode')}</span>
              </button>
            </li>
          `}
          ${mayChange && html`
            <li>
              <button
                class="option tone-bad"
                data-action="delete"
                disabled=${isUsed}
                onClick=${() => {
                  dialog.value = 'delete'
                }}
              >
                ${icon('trash')}
                <span class="grow">
                  ${t('delete')}
                  ${isUsed && html`
                    <br />
                    <span class="small quiet">${t('onlyUnused')}</span>
                  `}
                </span>
              </button>
            </li>
          `}
        </ul>
      <//>
    `}
    ${dialog.value === 'delete' && html`
      <${Dialog}
        title=${t('askDelete', { code: labelOf(base.value.base) })}
        text=${t(base.value.base.automatic ? 'askDeleteAutomatic' : 'askDeleteText')}
        close=${() => {
          dialog.value = ''
        }}
        id="ask-delete"
      >
        <button class="button big bad" onClick=${remove}>${icon('trash')}${t('delete')}</button>
      <//>
    `}
    ${conflict.value && html`
      <${Conflict}
        parts=${parts}
        differences=${differences}
        merge=${merge}
        base=${base.value.base}
        mine=${d}
        theirs=${conflict.value.base}
        close=${() => {
          conflict.value = null
        }}
        save=${(/** @type {Draft} */ merged) => {
          const now = /** @type {Loaded} */ (conflict.value)
          conflict.value = null
          base.value = now
          draft.value = merged
          seed.value++
          save(merged, now)
        }}
      />
    `}
  `
}
