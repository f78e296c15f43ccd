// Advertisers that receive the orders of buyers who have consented, and the tags of the site.

import { html, useSignal } from '../html.js'
import { act, Problem } from '../api.js'
import { number } from '../i18n.js'
import { useGet } from '../resource.js'
import { to } from '../router.js'
import { can } from '../session.js'
import { explain } from '../strings/problem.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/advertising.js'
import { Connection, connectionPill } from './connection.js'
import { Field, formError, Segments, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { SettingCard } from './setting_card.js'
import { skeletonRows, Failed, Skeleton } from './states.js'
import { showToast } from './toast.js'

/** @typedef {import('./setting_card.js').Loaded} Loaded */
/** @typedef {import('./setting_card.js').Settings} Settings */
/** @typedef {Settings['advertising']} Draft */
/** @typedef {import('../api.js').Schemas['AdvertiserAccount']} Receiver */
/** @typedef {'meta' | 'tiktok'} Name */

/** @type {Name[]} */
const names = ['meta', 'tiktok']
const steps = ['placing', 'confirmation', 'delivery']

const fields = [
  ...names.flatMap((name) => [`advertising.${name}.pixelId`, `advertising.${name}.testCode`]),
  'advertising.google.tagId',
]

/** Returns the advertisers of a shop in words. */
export const summary = (/** @type {Settings} */ { advertising }) =>
  [
    ...names.filter((name) => advertising[name].pixelId).map((name) => t(name)),
    advertising.google.tagId && t('google'),
  ]
    .filter(Boolean)
    .join(', ') || t('none')

/** @param {{ loaded: Loaded, reload: () => Promise<Loaded> }} props */
export function Advertising(props) {
  const { data, problem, reload } = useGet('advertisers')
  return html`
    <${SettingCard}
      ...${props}
      id="set-advertising"
      title=${t('settingTitle')}
      text=${t('settingText')}
      fields=${fields}
      draftOf=${(/** @type {Settings} */ { advertising }) => advertising}
      bodyOf=${(/** @type {Draft} */ d) => ({ advertising: d })}
      lines=${lines}
      form=${form}
      onSaved=${async () => reload()}
    />
    ${problem && !data
      ? html`<${Failed} problem=${problem} retry=${reload} />`
      : !data
        ? html`<${Skeleton}>${skeletonRows(2)}<//>`
        : data.nodes.map((/** @type {Receiver} */ receiver) => {
            const own = props.loaded.settings.advertising[receiver.receiver]
            return (
              own.pixelId !== '' && html`
                <${Account}
                  key=${receiver.receiver + receiver.hasToken}
                  receiver=${receiver}
                  isTestable=${own.testCode !== ''}
                  reload=${reload}
                />
              `
            )
          })}
    ${can('analytics.read') && html`
      <a class="card fold" id="to-conversions" href=${to('conversions')}>
        ${icon('send')}
        <span class="grow">${t('log')}</span>
        ${icon('chevron-right', 'mini')}
      </a>
    `}
  `
}

const lines = (/** @type {Draft} */ d) =>
  /** @type {[string, string][]} */ ([
    ...names.flatMap((name) => [
      [t(name), d[name].pixelId],
      [`${t(name)}: ${t('step')}`, t.dynamic('step_' + (d[name].step || 'placing'))],
      [`${t(name)}: ${t('testCode')}`, d[name].testCode],
      [`${t(name)}: ${t('tag')}`, d[name].tag ? '✓' : ''],
    ]),
    [t('google'), d.google.tagId],
  ])

const form = (
  /** @type {Draft} */ d,
  /** @type {(to: Partial<Draft>) => void} */ change,
  /** @type {Record<string, string>} */ errors,
) => html`
  ${names.map((name) => {
    const set = (/** @type {Partial<Draft['meta']>} */ to) =>
      change({ [name]: { ...d[name], ...to } })
    return html`
      <div class="stack" key=${name}>
        <h3>${t(name)}</h3>
        <${Field}
          name=${`advertising.${name}.pixelId`}
          label=${t('pixelId')}
          hint=${t.dynamic('pixelHint_' + name)}
          errors=${errors}
          value=${d[name].pixelId}
          autocomplete="off"
          autocapitalize="none"
          spellcheck=${false}
          onInput=${(/** @type {FieldEvent} */ event) =>
            set({ pixelId: event.target.value.trim() })}
        />
        ${d[name].pixelId !== '' && html`
          <${Segments}
            name=${`step-${name}`}
            label=${t('step')}
            value=${d[name].step || 'placing'}
            choices=${steps.map((step) => [step, t.dynamic('step_' + step)])}
            onChange=${(/** @type {Draft['meta']['step']} */ step) => set({ step })}
          />
          <label class="row choice">
            <input
              type="checkbox"
              class="checkbox"
              id=${'tag-' + name}
              checked=${d[name].tag}
              onChange=${(/** @type {FieldEvent} */ event) => set({ tag: event.target.checked })}
            />
            <span class="grow">${t('tag')}</span>
          </label>
          <${Field}
            name=${`advertising.${name}.testCode`}
            label=${t('testCode')}
            hint=${t('testCodeHint')}
            errors=${errors}
            value=${d[name].testCode}
            autocomplete="off"
            autocapitalize="none"
            spellcheck=${false}
            onInput=${(/** @type {FieldEvent} */ event) =>
              set({ testCode: event.target.value.trim() })}
          />
        `}
      </div>
    `
  })}
  <div class="stack">
    <h3>${t('google')}</h3>
    <${Field}
      name="advertising.google.tagId"
      label=${t('tagId')}
      hint=${t('tagHint')}
      errors=${errors}
      value=${d.google.tagId}
      autocomplete="off"
      autocapitalize="characters"
      spellcheck=${false}
      onInput=${(/** @type {FieldEvent} */ event) =>
        change({ google: { tagId: event.target.value.trim() } })}
    />
  </div>
`

/** @param {{ receiver: Receiver, isTestable: boolean, reload: () => void }} props */
function Account({ receiver, isTestable, reload }) {
  const name = t(receiver.receiver)
  const path = `advertisers/${receiver.receiver}`
  const testing = useSignal(false)
  const failed = useSignal('')
  const save = async (/** @type {string} */ token) => {
    await act(path + '/token', { token }, { method: 'PUT', label: name })
    failed.value = ''
    showToast(common('saved'))
    reload()
  }
  const { form, errors, busy, onSubmit } = useForm(['token'], ({ token }) => save(token))
  async function test() {
    testing.value = true
    failed.value = ''
    try {
      const result = await act(path + '/test', {}, { label: t('test') })
      if (result.accepted) showToast(t('tested', { name }))
      else failed.value = `${t('refusedTest', { name })} ${result.error ?? ''}`
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      failed.value = explain(error)
    } finally {
      testing.value = false
      reload()
    }
  }
  const isReadOnly = !can('settings.write')
  return html`
    <section class="card section" id=${'advertiser-' + receiver.receiver}>
      <div class="row spread wraps">
        <h2>${name}</h2>
        ${connectionPill(receiver.connection, receiver.ready)}
      </div>
      ${receiver.ready && html`<${Connection} connection=${receiver.connection} name=${name} />`}
      ${receiver.waiting > 0 && html`
        <p class="small quiet">${t('waitingCount', { count: number(receiver.waiting) })}</p>
      `}
      <form ref=${form} class="stack setting" novalidate onSubmit=${onSubmit}>
        ${formError(errors.value)}
        <fieldset class="stack" disabled=${isReadOnly}>
          <${Field}
            name="token"
            id=${'token-' + receiver.receiver}
            label=${t('token')}
            hint=${receiver.hasToken ? t('tokenSet') : t('tokenHint')}
            errors=${errors.value}
            type="password"
            autocomplete="off"
            required
          />
        </fieldset>
        ${isReadOnly
          ? html`<p class="hint">${t('readOnly')}</p>`
          : html`
              <div class="row wraps">
                <${Submit} busy=${busy.value} kind="save">${t('saveToken')}<//>
                ${receiver.hasToken && html`
                  <button type="button" class="button" data-remove onClick=${() => save('')}>
                    ${t('removeToken')}
                  </button>
                `}
                ${receiver.ready && isTestable && html`
                  <button
                    type="button"
                    class="button"
                    data-test
                    disabled=${testing.value}
                    onClick=${test}
                  >
                    ${icon('send', 'mini')}
                    ${t('test')}
                  </button>
                `}
              </div>
            `}
        ${failed.value && html`<p class="error" role="alert">${failed.value}</p>`}
      </form>
    </section>
  `
}
