// The incidents on the status page of the server.

import { html, useSignal } from '../html.js'
import { act } from '../api.js'
import { dateTime, langOf } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { t } from '../strings/incident.js'
import { Confirm } from './console_link.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { Area, Choice } from './setting_card.js'
import { Empty, Failed, Skeleton, skeletonRows } from './states.js'

const states = ['investigating', 'identified', 'monitoring', 'resolved']

const components = ['api', 'dashboard', 'site', 'messages', 'webhooks', 'backups']

/** @type {Record<string, string>} */
const tones = { investigating: 'bad', identified: 'wait', monitoring: 'move', resolved: 'done' }

const stateOf = (/** @type {string} */ state) => html`
  <span class="status-pill ${tones[state]}">${t.dynamic('state_' + state)}</span>
`

/** @param {{ can: (permission: string) => boolean }} props */
export function view({ can }) {
  const { data, problem, reload } = useGet('incidents')
  const edited = useSignal(/** @type {any} */ (null))
  const removed = useSignal(/** @type {any} */ (null))
  const close = () => {
    edited.value = null
    removed.value = null
  }
  if (problem && !data) return html`<${Failed} problem=${problem} retry=${reload} />`
  const button = can('status.write') && html`
    <button
      class="button primary"
      id="open-incident"
      onClick=${() => {
        edited.value = {}
      }}
    >
      ${icon('plus')}
      ${t('open')}
    </button>
  `
  return html`
    <div class="stack">
      <div class="head first row spread wraps">
        <h1 tabindex="-1">${t('incidents')}</h1>
        <div class="row wraps">
          <a class="button" href="/status" target="_blank" id="status-page">${t('toPage')}</a>
          ${data?.nodes.length > 0 && button}
        </div>
      </div>
      ${!data
        ? html`<${Skeleton}>${skeletonRows(3)}<//>`
        : data.nodes.length === 0
          ? html`<${Empty} icon="check" title=${t('none')} text=${t('noneText')}>${button}<//>`
          : html`
              <ul class="card list" id="incidents">
                ${data.nodes.map((/** @type {any} */ incident) => html`
                  <li class="section stack" key=${incident._id}>
                    <${Incident} incident=${incident} />
                    ${can('status.write') && html`
                      <div class="row console-actions">
                        <button
                          class="button mini"
                          data-update=${incident._id}
                          onClick=${() => {
                            edited.value = incident
                          }}
                        >
                          ${t('update')}
                        </button>
                        <button
                          class="button mini"
                          data-remove=${incident._id}
                          onClick=${() => {
                            removed.value = incident
                          }}
                        >
                          ${t('remove')}
                        </button>
                      </div>
                    `}
                  </li>
                `)}
              </ul>
            `}
    </div>
    ${edited.value && html`<${IncidentForm} incident=${edited.value} close=${close} />`}
    ${removed.value && html`
      <${Confirm}
        title=${t('remove')}
        text=${t('removeText', { title: removed.value.title })}
        action=${t('remove')}
        close=${close}
        run=${async () => {
          await act('incidents/' + removed.value._id, {}, { method: 'DELETE' })
          close()
          changed()
        }}
      />
    `}
  `
}

/** @param {{ incident: any }} props */
const Incident = ({ incident }) => html`
  <div>
    <b lang=${langOf(incident.title)}>${incident.title}</b> ${stateOf(incident.state)}
    ${incident.components.length > 0 && html`
      <br />
      <span class="small quiet">
        ${incident.components.map((/** @type {string} */ c) => t.dynamic('part_' + c)).join(', ')}
      </span>
    `}
  </div>
  ${incident.updates.map((/** @type {any} */ update) => html`
    <p class="small" key=${update.at}>
      <span class="quiet">${dateTime(update.at)}${' · '}${t.dynamic('state_' + update.state)}</span>
      <br />
      <span lang=${langOf(update.text)}>${update.text}</span>
    </p>
  `)}
`

/**
 * Announces an incident, or an update of one.
 * @param {{ incident: any, close: () => void }} props
 */
function IncidentForm({ incident, close }) {
  const isNew = !incident._id
  const state = useSignal(incident.state ?? 'investigating')
  const affected = useSignal(/** @type {string[]} */ (incident.components ?? []))
  const { form, errors, busy, onSubmit } = useForm(
    ['title', 'text', 'components'],
    async ({ title, text }, keyOf) => {
      const body = { title, text, state: state.value, components: affected.value }
      const path = isNew ? 'incidents' : `incidents/${incident._id}/updates`
      await act(path, body, { key: keyOf(body) })
      close()
      changed()
    },
  )
  return html`
    <${Dialog}
      title=${isNew ? t('open') : incident.title}
      text=${t('openText')}
      close=${close}
      id="incident-form"
    >
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="title"
          label=${t('title')}
          value=${incident.title}
          errors=${errors.value}
          autocomplete="off"
          maxlength="120"
          autofocus=${isNew}
        />
        <${Choice}
          id="state"
          label=${t('state')}
          value=${state.value}
          choices=${states.map((name) => [name, t.dynamic('state_' + name)])}
          onChange=${(/** @type {string} */ to) => {
            state.value = to
          }}
        />
        <${Area}
          name="text"
          label=${t('text')}
          value=""
          errors=${errors.value}
          rows="4"
          maxlength="2000"
        />
        <fieldset class="stack">
          <legend class="small">${t('affected')}</legend>
          ${components.map((name) => html`
            <label class="row" key=${name}>
              <input
                type="checkbox"
                name=${'part-' + name}
                defaultChecked=${affected.value.includes(name)}
                onChange=${(/** @type {any} */ { target }) => {
                  const others = affected.value.filter((other) => other !== name)
                  affected.value = target.checked ? [...others, name] : others
                }}
              />
              ${t.dynamic('part_' + name)}
            </label>
          `)}
        </fieldset>
        <${Submit} busy=${busy.value}>${t('publish')}<//>
      </form>
    <//>
  `
}
