// Messages to buyers: which are sent, their texts with the length of an example, a test, and the
// log.

import { html, useSignal } from '../html.js'
import { act } from '../api.js'
import { dateTime, digits, plainDigits } from '../i18n.js'
import { useGet } from '../resource.js'
import { route, to } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/settings_buyer.js'
import { Field, formError, Segments, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { Pages } from './pages.js'
import { Area, Choice, SettingCard } from './setting_card.js'
import { fill, lengthOf } from './sms_length.js'
import { skeletonRows, Failed, Skeleton } from './states.js'

/** @typedef {import('./setting_card.js').Loaded} Loaded */
/** @typedef {import('../api.js').Schemas['MessageTemplate']} Template */

const events = [
  'placed',
  'confirmed',
  'booked',
  'shipped',
  'out_for_delivery',
  'delivered',
  'cancelled',
  'refunded',
  'advance_asked',
  'advance_received',
  'advance_refused',
  'payment_link',
  'review',
]
const channels = ['sms', 'email']
const placeholders = [
  'shop',
  'number',
  'total',
  'cash',
  'courier',
  'tracking',
  'link',
  'refunded',
  'advance',
].map((placeholder) => `{${placeholder}}`)
const eventName = (/** @type {string} */ event) => t.dynamic('do_' + event)

/** @param {{ loaded: Loaded, reload: () => Promise<Loaded> }} props */
export function Messages(props) {
  const { data, problem, reload } = useGet('message-templates')
  if (problem && !data) return html`<${Failed} problem=${problem} retry=${reload} />`
  if (!data) return html`<${Skeleton}>${skeletonRows(3)}<//>`
  return html`
    <${Events} ...${props} />
    <${Texts} ...${props} usual=${data.nodes} />
    <${Test} />
    <${Log} />
  `
}

/** @param {any} s */
const setOf = (s) => s.buyerMessages

/** Returns the language of the messages. */
const languageOf = (/** @type {any} */ s) => setOf(s).language || s.locale.slice(0, 2)

/** @param {{ loaded: Loaded, reload: () => Promise<Loaded> }} props */
const Events = (props) => html`
  <${SettingCard}
    ...${props}
    id="set-messages"
    title=${t('sent')}
    text=${t('sentText')}
    fields=${['perDay', 'language']}
    draftOf=${(/** @type {any} */ s) => ({
      sms: setOf(s).sms ?? [],
      email: setOf(s).email ?? [],
      perDay: String(setOf(s).perDay || 500),
      language: languageOf(s),
    })}
    bodyOf=${(/** @type {any} */ d) => ({
      buyerMessages: {
        ...setOf(props.loaded.settings),
        ...d,
        perDay: Number(plainDigits(d.perDay)) || 0,
      },
    })}
    lines=${(/** @type {any} */ d) => [
      ...channels.map((channel) => [t.dynamic(channel), d[channel].map(eventName).join(', ')]),
      [t('language'), t(d.language === 'bn' ? 'bangla' : 'english')],
      [t('perDay'), d.perDay],
    ]}
    form=${(/** @type {any} */ d, /** @type {any} */ change, /** @type {any} */ errors) => html`
      <table class="matrix">
        <thead>
          <tr>
            <th scope="col">${t('event')}</th>
            ${channels.map((channel) => html`<th scope="col">${t.dynamic(channel)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${events.map((event) => html`
            <tr>
              <th scope="row">
                ${eventName(event)}
                ${event === 'payment_link' && html`
                  <br />
                  <span class="small quiet">${t('linkHint')}</span>
                `}
              </th>
              ${channels.map((channel) => html`
                <td>
                  <label>
                    <input
                      type="checkbox"
                      class="checkbox"
                      id=${channel + '-' + event}
                      checked=${d[channel].includes(event)}
                      aria-label=${`${eventName(event)}: ${t.dynamic(channel)}`}
                      onChange=${(/** @type {any} */ changed) =>
                        change({
                          [channel]: events.filter((candidate) =>
                            candidate === event
                              ? changed.target.checked
                              : d[channel].includes(candidate),
                          ),
                        })}
                    />
                  </label>
                </td>
              `)}
            </tr>
          `)}
        </tbody>
      </table>
      <${Segments}
        name="language"
        label=${t('language')}
        value=${d.language}
        choices=${[
          ['en', t('english')],
          ['bn', t('bangla')],
        ]}
        onChange=${(/** @type {string} */ language) => change({ language })}
      />
      <${Field}
        name="perDay"
        label=${t('perDay')}
        hint=${t('perDayHint')}
        inputmode="numeric"
        value=${d.perDay}
        errors=${errors}
        onInput=${(/** @type {FieldEvent} */ event) => change({ perDay: event.target.value })}
      />
    `}
  />
`

/** @param {{ loaded: Loaded, reload: () => Promise<Loaded>, usual: Template[] }} props */
function Texts({ usual, ...props }) {
  const language = useSignal(languageOf(props.loaded.settings))
  /** @returns {any} */
  const exampleOf = (/** @type {string} */ event) =>
    usual.find((preset) => preset.event === event && preset.language === language.value)?.example
  const key = (/** @type {string} */ event, of = language.value) => event + '.' + of
  const own = (/** @type {any} */ s) =>
    Object.fromEntries(
      usual.map((preset) => [
        key(preset.event, preset.language),
        setOf(s).templates?.[preset.event]?.[preset.language] ?? (preset.own ? '' : preset.text),
      ]),
    )
  const changed = (/** @type {any} */ d) => {
    /** @type {Record<string, Record<string, string>>} */
    const templates = {}
    for (const preset of usual) {
      const text = d[key(preset.event, preset.language)].trim()
      if (text !== '' && (preset.own || text !== preset.text))
        templates[preset.event] = { ...templates[preset.event], [preset.language]: text }
    }
    return templates
  }
  return html`
    <${SettingCard}
      key=${JSON.stringify(usual)}
      ...${props}
      id="set-texts"
      title=${t('wording')}
      text=${t('wordingText', { all: placeholders.join(' ') })}
      fields=${usual.map((preset) => key(preset.event, preset.language))}
      draftOf=${own}
      bodyOf=${(/** @type {any} */ d) => ({
        buyerMessages: { ...setOf(props.loaded.settings), templates: changed(d) },
      })}
      lines=${(/** @type {any} */ d) =>
        usual.map((preset) => [eventName(preset.event), d[key(preset.event, preset.language)]])}
      form=${(/** @type {any} */ d, /** @type {any} */ change, /** @type {any} */ errors) => html`
        <${Segments}
          name="text-language"
          label=${t('language')}
          value=${language.value}
          choices=${[
            ['en', t('english')],
            ['bn', t('bangla')],
          ]}
          onChange=${(/** @type {string} */ to) => {
            language.value = to
          }}
        />
        ${events.map((event) => html`
          <div key=${key(event)} lang=${language.value}>
            <${Area}
              name=${key(event)}
              label=${eventName(event)}
              value=${d[key(event)]}
              errors=${errors}
              hint=${t('length', lengthOf(fill(d[key(event)], exampleOf(event))))}
              onInput=${(/** @type {any} */ input) => change({ [key(event)]: input.target.value })}
            />
          </div>
        `)}
      `}
    />
  `
}

function Test() {
  const event = useSignal('placed')
  const sent = useSignal(/** @type {import('../api.js').Schemas['SentMessage'] | null} */ (null))
  const { form, errors, busy, onSubmit } = useForm(['to'], async (values) => {
    sent.value = null
    sent.value = await act(
      'messages/test',
      { event: event.value, to: values.to },
      { label: t('test') },
    )
  })
  if (!can('settings.write')) return null
  return html`
    <section class="card section" id="test">
      <h2>${t('test')}</h2>
      <p class="quiet small">${t('testText')}</p>
      <form ref=${form} class="stack setting" novalidate onSubmit=${onSubmit}>
        ${formError(errors.value)}
        <${Choice}
          id="test-event"
          label=${t('event')}
          value=${event.value}
          choices=${events.map((event) => [event, eventName(event)])}
          onChange=${(/** @type {string} */ to) => {
            event.value = to
          }}
        />
        <${Field} name="to" label=${t('to')} errors=${errors.value} autocomplete="off" />
        <${Submit} busy=${busy.value} kind="">${icon('send')}${t('send')}<//>
        <div role="status">
          ${sent.value && html`
            <p class=${sent.value.status === 'sent' ? 'banner rounded good' : 'banner rounded bad'}>
              ${icon(sent.value.status === 'sent' ? 'circle-check' : 'circle-alert')}
              <span>
                ${t.dynamic('status_' + sent.value.status)}
                <br />
                <q>${sent.value.reason || sent.value.text}</q>
              </span>
            </p>
          `}
        </div>
      </form>
    </section>
  `
}

function Log() {
  const { data, problem, reload } = useGet(can('orders.read') ? 'messages' : null, {
    limit: 20,
    page: route.value.query.get('page'),
  })
  /** @type {import('../api.js').Schemas['MessageRecord'][]} */
  const rows = data?.nodes ?? []
  if (!can('orders.read')) return null
  return html`
    <section class="card" id="message-log">
      <div class="section">
        <h2>${t('log')}</h2>
      </div>
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows(2)}<//>`
          : rows.length === 0
            ? html`<p class="section quiet">${t('noLog')}</p>`
            : html`
                <ul class="list">
                  ${rows.map((row) => html`
                    <li>
                      <a class="fold" href=${to('order', row.orderId)}>
                        <span class="grow">
                          <b>#${digits(row.orderNumber)}</b> ${eventName(row.event)} ·${' ' +
                            t.dynamic(row.channel)}
                          <br />
                          <span class="small quiet">
                            ${dateTime(row.updatedAt)}
                            ${row.messageId && ' · ' + row.messageId}
                          </span>
                          ${row.reason && html`
                            <br />
                            <q class="small" lang="en">${row.reason}</q>
                          `}
                        </span>
                        <span class=${/failed|unknown/.test(row.status)
                          ? 'small bold tone-bad'
                          : 'small bold'}>
                          ${t.dynamic('status_' + row.status)}
                        </span>
                      </a>
                    </li>
                  `)}
                </ul>
                <${Pages} meta=${data.meta} label=${t('log')} />
              `}
    </section>
  `
}
