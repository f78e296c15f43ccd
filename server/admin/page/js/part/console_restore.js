// Restores a shop to a state in the past: in its place, or as another shop.

import { html, useSignal } from '../html.js'
import { act } from '../api.js'
import { dateTime, dayOfShop, instant, number, timeOfShop } from '../i18n.js'
import { useGet } from '../resource.js'
import { t } from '../strings/console_restore.js'
import { OpenCopy, Work } from './console_job.js'
import { refusedShop } from './console_link.js'
import { Dialog } from './dialog.js'
import { Field, formError, Segments, Submit, useForm } from './form.js'
import { Failed, Skeleton, skeletonRows } from './states.js'

/** @typedef {import('../api.js').Schemas['Job']} Job */
/** @typedef {import('../api.js').Schemas['RestorePoints']} Points */
/** @typedef {import('../api.js').Schemas['ShopCopy']} ShopCopy */

const kindOf = (/** @type {ShopCopy} */ copy) => t.dynamic('kind_' + copy.kind.replace('-', '_'))

/** @param {{ path: string, can: (permission: string) => boolean, close: () => void }} props */
export function view({ path, can, close }) {
  const { data, problem, reload } = useGet(path + '/restore-points')
  if (data && (data.copies.length > 0 || data.replica))
    return html`<${Restore} points=${data} path=${path} can=${can} close=${close} />`
  return html`
    <${Dialog} title=${t('restore')} close=${close} id="restore-shop">
      ${data
        ? html`<p>${t('noCopies')}</p>`
        : problem
          ? html`<${Failed} problem=${problem} retry=${reload} />`
          : html`<${Skeleton}>${skeletonRows(3)}<//>`}
    <//>
  `
}

/**
 * @param {{ points: Points, path: string, can: (permission: string) => boolean,
 *   close: () => void }} props
 */
function Restore({ points, path, can, close }) {
  const work = useSignal(/** @type {Job | null} */ (null))
  const uid = useSignal('')
  const canReplace = points.replaceable && can('shops.delete')
  const how = useSignal(canReplace ? 'replace' : 'beside')
  const file = useSignal(points.copies[0]?.file ?? '')
  const day = useSignal(dayOfShop())
  const time = useSignal(timeOfShop(Date.now()))
  const typed = instant(day.value, time.value)
  const at = Number.isNaN(typed.getTime()) ? '' : typed.toISOString()
  const { data, problem } = useGet(!file.value && at ? path + '/restore-points' : null, { at })
  /** @type {ShopCopy | null | undefined} */
  const state = file.value
    ? points.copies.find((copy) => copy.file === file.value)
    : problem
      ? null
      : data?.chosen
  const isReplaced = how.value === 'replace'
  const { form, errors, busy, onSubmit } = useForm(['reason', 'uid'], async (values) => {
    const point = file.value ? { file: file.value } : { at }
    if (isReplaced) {
      work.value = await act(path + '/restore', { ...point, reason: values.reason })
      return
    }
    uid.value = values.uid
    try {
      work.value = await act(path + '/copies', { ...point, uid: values.uid })
    } catch (error) {
      throw refusedShop(error)
    }
  })
  if (work.value)
    return html`
      <${Work}
        job=${work.value}
        title=${t('restoring')}
        done=${t(isReplaced ? 'restored' : 'copied')}
        warning=${t('incomplete')}
        close=${close}
        next=${isReplaced
          ? html`<p>${t('undo')}</p>`
          : html`<${OpenCopy} uid=${uid.value} close=${close} />`}
      />
    `
  return html`
    <${Dialog} title=${t('restore')} close=${close} id="restore-shop">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Point} points=${points} file=${file} day=${day} time=${time} />
        ${state === null && html`<p class="error" role="alert">${t('noState')}</p>`}
        ${canReplace
          ? html`
              <${Segments}
                name="how"
                label=${t('how')}
                value=${how.value}
                choices=${[
                  ['replace', t('replace')],
                  ['beside', t('beside')],
                ]}
                onChange=${(/** @type {string} */ to) => {
                  how.value = to
                }}
              />
            `
          : html`<p>${t(points.replaceable ? 'ownersOnly' : 'besideOnly')}</p>`}
        ${state && html`<${Effect} state=${state} isReplaced=${isReplaced} />`}
        <${Field}
          key=${how.value}
          name=${isReplaced ? 'reason' : 'uid'}
          label=${t(isReplaced ? 'reason' : 'uid')}
          errors=${errors.value}
          autocomplete="off"
          autocapitalize=${isReplaced ? undefined : 'none'}
          spellcheck=${isReplaced}
          maxlength=${isReplaced ? '500' : undefined}
        />
        <${Submit}
          busy=${busy.value}
          disabled=${!state}
          kind=${isReplaced ? 'bad big' : 'primary big'}
        >
          ${t(isReplaced ? 'replace' : 'beside')}
        <//>
      </form>
    <//>
  `
}

/**
 * The choice of a copy or a time.
 * @param {{ points: Points, file: { value: string }, day: { value: string }, time: { value: string
 *   } }} props
 */
const Point = ({ points, file, day, time }) => html`
  <div class="field">
    <label for="point">${t('point')}</label>
    <div class="input">
      <select
        id="point"
        onChange=${(/** @type {any} */ { target }) => {
          file.value = target.value
        }}
      >
        ${points.copies.map((copy) => html`
          <option key=${copy.file} value=${copy.file} selected=${copy.file === file.value}>
            ${dateTime(copy.createdAt)}, ${kindOf(copy)}
          </option>
        `)}
        <option value="" selected=${file.value === ''}>${t('aTime')}</option>
      </select>
    </div>
  </div>
  ${file.value === '' && html`
    <${Field}
      name="day"
      type="date"
      label=${t('day')}
      errors=${{}}
      value=${day.value}
      hint=${points.replica && t('since', { time: dateTime(points.replica.from) })}
      onChange=${(/** @type {any} */ { target }) => {
        day.value = target.value
      }}
    />
    <${Field}
      name="time"
      type="time"
      label=${t('time')}
      errors=${{}}
      value=${time.value}
      onChange=${(/** @type {any} */ { target }) => {
        time.value = target.value
      }}
    />
  `}
`

/** @param {{ state: ShopCopy, isReplaced: boolean }} props */
const Effect = ({ state, isReplaced }) => html`
  <div id="restore-effect">
    <p>
      ${t('asOf', { time: dateTime(state.createdAt) })}
      ${' '}
      <b>${t(isReplaced ? 'lost' : 'later', { count: number(state.laterOrders) })}</b>
    </p>
    <p>${t(isReplaced ? 'replaceText' : 'besideText')}</p>
  </div>
`
