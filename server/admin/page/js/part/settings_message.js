// The gateway of text messages and the mail server, each with a test.

import { html, useSignal } from '../html.js'
import { act } from '../api.js'
import { useGet } from '../resource.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { paramLabel, t } from '../strings/settings_message.js'
import { t as inherits } from '../strings/defaults.js'
import { useOperatorName } from './branding.js'
import { Dialog } from './dialog.js'
import { Connection, connectionPill } from './connection.js'
import { Field, formError, Submit, useForm, useUnsaved } from './form.js'
import { icon } from './icon.js'
import { Inherited } from './inherited.js'
import { Choice } from './setting_card.js'
import { skeletonRows, Failed, Skeleton } from './states.js'
import { Details, showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['SMSPresetInfo']} Preset */

const securities = ['starttls', 'tls', 'none']

export function SMS() {
  const { data: status, problem, reload } = useGet('sms')
  const { data: presets, problem: noPresets, reload: reloadPresets } = useGet('sms/presets')
  const failed = problem ?? noPresets
  if (failed && (!status || !presets))
    return html`
      <${Failed}
        problem=${failed}
        retry=${() => {
          reload()
          reloadPresets()
        }}
      />
    `
  if (!status || !presets) return html`<${Skeleton}>${skeletonRows(2)}<//>`
  const form = () => html`
    <${SMSForm}
      key=${status.config?.url}
      status=${status}
      presets=${presets.nodes}
      reload=${reload}
    />
  `
  return html`
    ${status.inherited
      ? html`
          <${Inherited}
            id="sms-default"
            title=${t('gateway')}
            locked=${status.locked}
            mayChange=${can('providers.write')}
            own=${form}
          />
        `
      : form()}
    ${status.configured && html`
      <${Test}
        path="sms/test"
        field="phoneNumber"
        type="tel"
        label=${t('testPhone')}
        text=${t('testSMSText')}
        reload=${reload}
      />
    `}
  `
}

/**
 * @param {{ status: import('../api.js').Schemas['SMSStatus'], presets: Preset[], reload: () => void
 *   }} props
 */
function SMSForm({ status, presets, reload }) {
  const host = (/** @type {string | undefined} */ url) => {
    try {
      return new URL(url ?? '').host
    } catch {
      return ''
    }
  }
  const current = presets.find(
    (preset) => host(preset.config.url) === host(status.config?.url) && status.config,
  )
  const preset = useSignal(current?.name ?? presets[0].name)
  const chosen = presets.find((candidate) => candidate.name === preset.value) ?? presets[0]
  const params = chosen.params ?? []
  const { form, errors, busy, onSubmit } = useForm(
    params.map((param) => param.name),
    async (values) => {
      const filled = Object.fromEntries(
        params
          .filter((param) => values[param.name] !== '')
          .map((param) => [param.name, values[param.name]]),
      )
      await act('sms', { preset: chosen.name, params: filled }, { method: 'PUT', label: t('sms') })
      showToast(common('saved'))
      reload()
    },
  )
  useUnsaved(form)
  const isReadOnly = !can('providers.write')
  return html`
    <section class="card section" id="set-sms">
      <div class="row spread wraps">
        <h2>${t('gateway')}</h2>
        ${connectionPill(status.connection, status.configured)}
      </div>
      <p class="quiet small">
        ${status.configured
          ? t('smsNow', { name: current?.title ?? host(status.config?.url) })
          : t('smsText')}
      </p>
      ${status.configured && html`
        <${Connection}
          byMessage
          connection=${status.connection}
          name=${current?.title ?? host(status.config?.url)}
        />
      `}
      <form ref=${form} class="stack setting" novalidate onSubmit=${onSubmit}>
        ${formError(errors.value)}
        <fieldset class="stack" disabled=${isReadOnly}>
          <${Choice}
            id="preset"
            label=${t('company')}
            value=${preset.value}
            choices=${presets.map((preset) => [preset.name, preset.title])}
            onChange=${(/** @type {string} */ to) => {
              preset.value = to
            }}
          />
          ${params.map((param) => html`
            <${Field}
              key=${chosen.name + param.name}
              name=${param.name}
              label=${paramLabel(param.name) ?? param.meaning}
              hint=${param.optional ? t('optional') : undefined}
              errors=${errors.value}
              autocomplete="off"
              autocapitalize="none"
              spellcheck=${false}
              type=${/key|token|password/i.test(param.name) ? 'password' : 'text'}
            />
          `)}
        </fieldset>
        ${isReadOnly
          ? html`<p class="hint">${t('readOnly')}</p>`
          : html`
              <div class="row wraps">
                <${Submit} busy=${busy.value} kind="primary save">${common('save')}<//>
                ${status.configured && !status.inherited && html`
                  <${Remove}
                    servers=${status.hasDefault}
                    path="sms"
                    title=${t('removeSMS')}
                    text=${t('removeSMSText')}
                    reload=${reload}
                  />
                `}
              </div>
            `}
      </form>
    </section>
  `
}

export function Mail() {
  const { data: status, problem, reload } = useGet('mail')
  if (problem && !status) return html`<${Failed} problem=${problem} retry=${reload} />`
  if (!status) return html`<${Skeleton}>${skeletonRows(2)}<//>`
  const form = () => html`
    <${MailForm} key=${JSON.stringify(status)} status=${status} reload=${reload} />
  `
  return html`
    ${status.inherited
      ? html`
          <${Inherited}
            id="mail-default"
            title=${t('server')}
            locked=${status.locked}
            mayChange=${can('providers.write')}
            own=${form}
          />
        `
      : form()}
    ${status.configured && html`
      <${Test}
        path="mail/test"
        field="email"
        type="email"
        label=${t('testEmail')}
        text=${t('testMailText')}
        reload=${reload}
      />
    `}
  `
}

const mailFields = ['host', 'port', 'from', 'fromName', 'username', 'password']

/** @param {{ status: import('../api.js').Schemas['MailStatus'], reload: () => void }} props */
function MailForm({ status, reload }) {
  const config = /** @type {Partial<NonNullable<typeof status.config>>} */ (status.config ?? {})
  const security = useSignal(config.security ?? 'starttls')
  const { form, errors, busy, onSubmit } = useForm(mailFields, async ({ port, ...values }) => {
    const filled = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
    await act(
      'mail',
      {
        ...filled,
        security: security.value,
        port: port === '' ? undefined : Number(port),
        replyTo: config.replyTo,
      },
      { method: 'PUT', label: t('mail') },
    )
    showToast(common('saved'))
    reload()
  })
  useUnsaved(form)
  const isReadOnly = !can('providers.write')
  const field = (/** @type {string} */ name, more = {}) => html`
    <${Field}
      name=${name}
      label=${t.dynamic(name)}
      errors=${errors.value}
      value=${config[name] ?? ''}
      autocomplete="off"
      autocapitalize="none"
      spellcheck=${false}
      ...${more}
    />
  `
  return html`
    <section class="card section" id="set-mail">
      <div class="row spread wraps">
        <h2>${t('server')}</h2>
        ${connectionPill(status.connection, status.configured)}
      </div>
      <p class="quiet small">${t('mailText')}</p>
      ${status.configured && html`
        <${Connection} byMessage connection=${status.connection} name=${t('server')} />
      `}
      <form ref=${form} class="stack setting" novalidate onSubmit=${onSubmit}>
        ${formError(errors.value)}
        <fieldset class="stack" disabled=${isReadOnly}>
          ${field('from', { type: 'email', hint: t('fromHint') })}
          ${field('fromName', { hint: t('fromNameHint') })}
          ${field('host', { placeholder: 'smtp.example.com' })}
          <div class="pair">
            ${field('port', { inputmode: 'numeric', placeholder: '587' })}
            <${Choice}
              id="security"
              label=${t('security')}
              value=${security.value}
              choices=${securities.map((security) => [security, t.dynamic(security)])}
              onChange=${(/** @type {typeof security.value} */ to) => {
                security.value = to
              }}
            />
          </div>
          ${field('username')}
          ${field('password', {
            type: 'password',
            value: '',
            hint: status.configured ? t('passwordAgain') : undefined,
          })}
        </fieldset>
        ${isReadOnly
          ? html`<p class="hint">${t('readOnly')}</p>`
          : html`
              <div class="row wraps">
                <${Submit} busy=${busy.value} kind="primary save">${common('save')}<//>
                ${status.configured && !status.inherited && html`
                  <${Remove}
                    servers=${status.hasDefault}
                    path="mail"
                    title=${t('removeMail')}
                    text=${t('removeMailText')}
                    reload=${reload}
                  />
                `}
              </div>
            `}
      </form>
    </section>
  `
}

/**
 * servers: without one's own, the operator's is used.
 * @param {{ path: string, title: string, text: string, servers: boolean, reload: () => void }}
 *   props
 */
function Remove({ path, title, text, servers, reload }) {
  const isOpen = useSignal(false)
  const name = useOperatorName()
  const words = servers ? inherits('useServers', { name }) : t('remove')
  const { form, errors, busy, onSubmit } = useForm([], async () => {
    await act(path, {}, { method: 'DELETE', label: title })
    isOpen.value = false
    reload()
  })
  return html`
    <button
      type="button"
      class="button"
      onClick=${() => {
        isOpen.value = true
      }}
    >
      ${words}
    </button>
    ${isOpen.value && html`
      <${Dialog}
        title=${title}
        text=${servers ? '' : text}
        close=${() => {
          isOpen.value = false
        }}
      >
        <form ref=${form} class="stack" onSubmit=${onSubmit}>
          ${formError(errors.value)}
          <${Submit} busy=${busy.value} kind="big bad">${words}<//>
        </form>
      <//>
    `}
  `
}

/**
 * Sends a test.
 * @param {{ path: string, field: string, type: string, label: string, text: string, reload: () =>
 *   void }} props
 */
function Test({ path, field, type, label, text, reload }) {
  const sent = useSignal(/** @type {import('../api.js').Schemas['SentMessage'] | null} */ (null))
  const { form, errors, busy, onSubmit } = useForm([field], async (values) => {
    sent.value = null
    try {
      sent.value = await act(path, values, { label: t('test') })
    } finally {
      reload()
    }
  })
  if (!can('providers.write')) return null
  return html`
    <section class="card section" id="test">
      <h2>${t('test')}</h2>
      <p class="quiet small">${text}</p>
      <form ref=${form} class="stack setting" novalidate onSubmit=${onSubmit}>
        ${formError(errors.value)}
        <${Field}
          name=${field}
          type=${type}
          label=${label}
          errors=${errors.value}
          autocomplete="off"
        />
        <${Submit} busy=${busy.value} kind="">${icon('send')}${t('send')}<//>
        <div role="status">
          ${sent.value && html`
            <p class=${sent.value.status === 'sent' ? 'banner rounded good' : 'banner rounded bad'}>
              ${icon(sent.value.status === 'sent' ? 'circle-check' : 'circle-alert')}
              <span>
                ${t.dynamic('sent_' + sent.value.status)}
                <${Details} words=${sent.value.reason} />
              </span>
            </p>
          `}
        </div>
      </form>
    </section>
  `
}
