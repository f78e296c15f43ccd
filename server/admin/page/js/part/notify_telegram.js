// The chat with the shop's bot, and what the shop allows its members.

import { html, useEffect, useSignal } from '../html.js'
import { act, Problem } from '../api.js'
import { useGet } from '../resource.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/notifications.js'
import { Connection } from './connection.js'
import { Field, formError, Submit, useForm, useUnsaved } from './form.js'
import { icon } from './icon.js'
import { Failed } from './states.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['Preferences']} Preferences */

const checkEvery = 4000

/**
 * @param {{ preferences: Preferences, set: (data: Preferences) => void, reload: () => void, fail:
 *   (error: unknown) => void }} props
 */
export function Telegram({ preferences, set, reload, fail }) {
  const { bot, chat } = preferences.telegram
  const link = useSignal(/** @type {import('../api.js').Schemas['TelegramCode'] | null} */ (null))
  const finish = () =>
    act('telegram/link/finish', {}, { label: null }).then((linked) => {
      set(linked)
      link.value = null
      showToast(t('nowLinked'))
    })
  useEffect(() => {
    // until the code has arrived or is no longer valid
    const code = link.value
    if (!code) return
    const timer = setInterval(() => {
      if (Date.now() > Date.parse(code.expiresAt)) link.value = null
      else if (!document.hidden)
        finish().catch((error) => {
          if (!(error instanceof Problem)) throw error
        })
    }, checkEvery)
    return () => clearInterval(timer)
  }, [link.value])
  const start = () =>
    act('telegram/link').then((code) => {
      link.value = code
    }, fail)
  const end = () => act('telegram/link', {}, { method: 'DELETE' }).then(reload, fail)
  return html`
    <section class="card section stack" id="telegram">
      <h2>${t('telegram')}</h2>
      ${!bot
        ? html`<p class="quiet">${t('noBot')}</p>`
        : chat !== null
          ? html`
              <p>${t('linked', { name: chat })}</p>
              <button class="button" onClick=${end}>${t('unlink')}</button>
            `
          : !link.value
            ? html`
                <button class="button" id="link-telegram" onClick=${start}>
                  ${icon('send')}
                  ${t('link')}
                </button>
              `
            : html`
                <p>${t('linkSteps')}</p>
                <p class="mono secret" id="telegram-code">${link.value.code}</p>
                <div class="row wraps">
                  <a
                    class="button primary"
                    href=${link.value.url}
                    target="_blank"
                    rel="noopener noreferrer"
                  >
                    ${t('openBot')}
                  </a>
                  <button class="button" id="finish-telegram" onClick=${() => finish().catch(fail)}>
                    ${t('check')}
                  </button>
                </div>
              `}
    </section>
  `
}

/** @param {{ reload: () => void, fail: (error: unknown) => void }} props */
export function ShopChannels({ reload, fail }) {
  const { data, problem, reload: retry, set } = useGet('notifications/channels')
  const save = async (/** @type {any} */ body) => {
    set(await act('notifications/channels', body, { method: 'PATCH' }))
    reload()
    showToast(common('saved'))
  }
  const { form, errors, busy, onSubmit } = useForm(['telegramToken'], async (values) => {
    if (!values.telegramToken)
      throw new Problem(422, {
        errors: [{ field: 'telegramToken', code: 'required', message: '' }],
      })
    await save(values)
    form.current?.reset()
  })
  useUnsaved(form)
  const allow = (/** @type {FieldEvent} */ { target }) =>
    save({ sms: target.checked }).catch((error) => {
      target.checked = !target.checked
      fail(error)
    })
  const removeBot = () => save({ telegramToken: '' }).catch(fail)
  return html`
    <section class="card section stack" id="shop-channels">
      <h2>${t('shop')}</h2>
      ${problem && !data && html`<${Failed} problem=${problem} retry=${retry} />`}
      ${data && html`
        <form ref=${form} class="stack" onSubmit=${onSubmit} novalidate>
          ${formError(errors.value)}
          <${Field}
            name="telegramToken"
            type="password"
            label=${t('token')}
            errors=${errors.value}
            autocomplete="off"
            hint=${t('tokenHint')}
          />
          ${data.telegramBot && html`
            <${Connection} byMessage connection=${data.connection} name="Telegram" />
            <p class="small quiet">${t('botNow', { bot: data.telegramBot })}</p>
          `}
          <div class="row wraps">
            <${Submit} busy=${busy.value} kind="">${common('save')}<//>
            ${data.telegramBot && html`
              <button type="button" class="button bad" id="no-bot" onClick=${removeBot}>
                ${t('removeBot')}
              </button>
            `}
          </div>
        </form>
        <label class="row choice">
          <input
            type="checkbox"
            class="checkbox"
            id="allow-sms"
            checked=${data.sms}
            onChange=${allow}
          />
          <span class="grow">${t('allowSms')}</span>
        </label>
      `}
    </section>
  `
}
