// Which events are notified of by which channel, and the quiet hours.

import { html } from '../html.js'
import { digits } from '../i18n.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/notifications.js'
import { Field, formError, Submit, useForm, useUnsaved } from './form.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['Preferences']} Preferences */
/** @typedef {'push' | 'telegram' | 'sms' | 'email'} Channel */
/** @typedef {(body: any) => Promise<void>} Change throws a Problem */

/** @type {Channel[]} */
const channels = ['push', 'telegram', 'sms', 'email']

/** The channels that can be chosen: one that cannot be used stays if it was chosen before. */
const channelsOf = (/** @type {Preferences} */ p) =>
  channels.filter(
    (channel) =>
      channel === 'push' ||
      p.events.some((event) => event.channels[channel]) ||
      (channel === 'telegram'
        ? p.telegram.chat !== null
        : p[channel].available && p[channel].to !== null),
  )

const wordOf = (/** @type {string} */ type) => t.dynamic(type.replaceAll('.', '_'))

/** @param {{ preferences: Preferences, change: Change, fail: (error: unknown) => void }} props */
export function Choices({ preferences, change, fail }) {
  const shown = channelsOf(preferences)
  // Other boxes of the row may have been changed a moment ago: the row as it is shown is saved.
  const onChange = (
    /** @type {FieldEvent} */ { target },
    /** @type {Preferences['events'][number]} */ event,
  ) => {
    const boxes = [...(target.closest('tr')?.querySelectorAll('input') ?? [])]
    const chosen = Object.fromEntries(boxes.map((box) => [box.value, box.checked]))
    change({ events: { [event.type]: { ...event.channels, ...chosen } } }).catch((error) => {
      target.checked = !target.checked
      fail(error)
    })
  }
  return html`
    <section class="card section stack" id="events">
      <h2 id="events-title">${t('events')}</h2>
      <table class="matrix" aria-labelledby="events-title">
        <thead>
          <tr>
            <th scope="col">${t('event')}</th>
            ${shown.map((channel) => html`<th scope="col">${t(channel)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${preferences.events.map((choice) => html`
            <tr key=${choice.type} data-event=${choice.type}>
              <th scope="row">${wordOf(choice.type)}</th>
              ${shown.map((channel) => html`
                <td key=${channel}>
                  <label>
                    <input
                      type="checkbox"
                      class="checkbox"
                      value=${channel}
                      checked=${choice.channels[channel]}
                      aria-label=${wordOf(choice.type) + ': ' + t(channel)}
                      onChange=${(/** @type {FieldEvent} */ event) => onChange(event, choice)}
                    />
                  </label>
                </td>
              `)}
            </tr>
          `)}
        </tbody>
      </table>
      ${!preferences.sms.available && html`<p class="hint">${t('noSms')}</p>`}
    </section>
  `
}

/** @param {{ preferences: Preferences, change: Change, fail: (error: unknown) => void }} props */
export function Quiet({ preferences, change, fail }) {
  const { quiet, timeZone } = preferences
  const { form, errors, busy, onSubmit } = useForm(['from', 'until'], async (values) => {
    await change({ quiet: values })
    showToast(common('saved'))
  })
  useUnsaved(form)
  const clear = () =>
    change({ quiet: null }).then(() => {
      showToast(common('saved'))
      form.current?.querySelector('input')?.focus() // the button is gone
    }, fail)
  return html`
    <section class="card section stack" id="quiet">
      <h2>${t('quiet')}</h2>
      <p class="bold" id="quiet-now">
        ${quiet
          ? t('quietOn', { from: digits(quiet.from), until: digits(quiet.until) })
          : t('quietOff')}
      </p>
      <p class="quiet">${t('quietText', { zone: timeZone })}</p>
      <form ref=${form} class="stack" onSubmit=${onSubmit} novalidate>
        ${formError(errors.value)}
        <div class="two">
          <${Field}
            name="from"
            type="time"
            label=${t('from')}
            value=${quiet?.from ?? '22:00'}
            errors=${errors.value}
          />
          <${Field}
            name="until"
            type="time"
            label=${t('until')}
            value=${quiet?.until ?? '07:00'}
            errors=${errors.value}
          />
        </div>
        <div class="row wraps">
          <${Submit} busy=${busy.value} kind="">${common('save')}<//>
          ${quiet && html`
            <button type="button" class="button" id="no-quiet" onClick=${clear}>
              ${t('clear')}
            </button>
          `}
        </div>
      </form>
    </section>
  `
}
