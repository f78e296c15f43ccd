// API keys: list, create with permissions, replace without a pause, revoke.

import { html, useSignal } from '../html.js'
import { act, Problem } from '../api.js'
import { ago, date, langOf } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { session } from '../session.js'
import { t } from '../strings/developers.js'
import { Confirm, Names, SecretDialog } from './developer_parts.js'
import { Dialog } from './dialog.js'
import { Field, formError, Segments, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { skeletonRows, Empty, Failed, Skeleton } from './states.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['APIKey']} Key */

const nameOf = (/** @type {Key} */ apiKey) => apiKey.label || t('unnamed')
const isExpired = (/** @type {Key} */ apiKey) =>
  apiKey.expiresAt !== null && new Date(apiKey.expiresAt) <= new Date()

/** The permissions that a key can have: it is never an owner. */
const possible = () =>
  (session.value?.permissions ?? []).filter(
    (permission) => !/^(staff\.write|keys\.write|shop\.close)$/.test(permission),
  )

export function Keys() {
  const { data, problem, reload } = useGet('keys')
  const begun = useSignal(/** @type {{ from: Key | null } | null} */ (null))
  const secret = useSignal(/** @type {{ token: string, from: Key | null } | null} */ (null))
  const revoking = useSignal(/** @type {Key | null} */ (null))
  /** @type {Key[]} */
  const all = data?.nodes ?? []
  const button = html`
    <button
      class="button primary"
      id="new-key"
      onClick=${() => {
        begun.value = { from: null }
      }}
    >
      ${icon('plus')}
      ${t('newKey')}
    </button>
  `
  return html`
    ${problem && !data
      ? html`<${Failed} problem=${problem} retry=${reload} />`
      : !data
        ? html`<${Skeleton}>${skeletonRows(3)}<//>`
        : all.length === 0
          ? html`
              <${Empty} icon="key-round" title=${t('noKeys')} text=${t('keysText')}>${button}<//>
            `
          : html`
              <div class="row spread top-aligned">
                <p class="quiet small grow">${t('keysText')}</p>
                ${button}
              </div>
              <ul class="card list" id="keys">
                ${all.map((apiKey) => html`
                  <li class="section" key=${apiKey._id} data-key=${apiKey._id}>
                    <div class="row spread">
                      <b class="grow" lang=${langOf(apiKey.label)}>${nameOf(apiKey)}</b>
                      ${isExpired(apiKey) && html`
                        <span class="status-pill bad">${t('expired')}</span>
                      `}
                    </div>
                    <details>
                      <summary class="link small row">
                        ${scopesOf(apiKey)}
                        ${apiKey.scopes?.[0] !== '*' && icon('chevron-down', 'mini')}
                      </summary>
                      <p class="mono small" lang="en">${(apiKey.scopes ?? []).join(', ')}</p>
                    </details>
                    <p class="small quiet">
                      ${[
                        apiKey.lastUsedAt
                          ? t('used', { age: ago(apiKey.lastUsedAt) })
                          : t('neverUsed'),
                        apiKey.expiresAt && !isExpired(apiKey)
                          ? t('expires', { day: date(apiKey.expiresAt) })
                          : '',
                        apiKey.createdBy?.name
                          ? t('createdBy', {
                              day: date(apiKey.createdAt),
                              name: apiKey.createdBy.name,
                            })
                          : t('created', { day: date(apiKey.createdAt) }),
                      ]
                        .filter(Boolean)
                        .join(' · ')}
                    </p>
                    <div class="row wraps act-row">
                      <button
                        class="button mini"
                        onClick=${() => {
                          begun.value = { from: apiKey }
                        }}
                      >
                        ${icon('rotate-cw', 'mini')}
                        ${t('replace')}
                      </button>
                      <button
                        class="button mini bad"
                        onClick=${() => {
                          revoking.value = apiKey
                        }}
                      >
                        ${t('revoke')}
                      </button>
                    </div>
                  </li>
                `)}
              </ul>
            `}
    ${begun.value && html`
      <${KeyDialog}
        from=${begun.value.from}
        close=${() => {
          begun.value = null
        }}
        done=${(/** @type {string} */ token) => {
          secret.value = { token, from: begun.value?.from ?? null }
          begun.value = null
          changed()
        }}
      />
    `}
    ${secret.value && html`
      <${SecretDialog}
        title=${t('secretKey')}
        secret=${secret.value.token}
        close=${() => {
          secret.value = null
        }}
      />
    `}
    ${revoking.value && html`
      <${Confirm}
        title=${t('askRevoke', { name: nameOf(revoking.value) })}
        text=${t('askRevokeText')}
        button=${t('revoke')}
        close=${() => {
          revoking.value = null
        }}
        run=${async () => {
          await act('keys/' + revoking.value?._id, {}, { method: 'DELETE', label: t('revoke') })
          showToast(t('revoked'))
          changed()
        }}
      />
    `}
  `
}

const scopesOf = (/** @type {Key} */ apiKey) =>
  apiKey.scopes?.[0] === '*'
    ? t('allScopes')
    : t('fewScopes', { count: apiKey.scopes?.length ?? 0 })

/** Returns how long a key that replaces another is valid: about as long as that one. */
function lifeOf(/** @type {Key | null} */ from) {
  if (!from?.expiresAt) return '0'
  return Date.parse(from.expiresAt) - Date.parse(from.createdAt) > 180 * 86_400_000 ? '365' : '90'
}

/**
 * @param {{ from: Key | null, close: () => void, done: (token: string) => void }} props from: the
 *   key that the new one replaces
 */
function KeyDialog({ from, close, done }) {
  const some = useSignal(from !== null && from.scopes?.[0] !== '*')
  const scopes = useSignal(/** @type {string[]} */ (some.value ? (from?.scopes ?? []) : []))
  const days = useSignal(lifeOf(from))
  const openedAt = useSignal(Date.now()).value // so that what is sent again is the same
  const { form, errors, busy, onSubmit } = useForm(
    ['label', 'scopes'],
    async ({ label }, keyOf) => {
      if (some.value && scopes.value.length === 0) {
        throw new Problem(422, {
          errors: [{ field: 'scopes', code: 'none', message: t('scopeNone') }],
        })
      }
      const expiresAt =
        days.value === '0'
          ? undefined
          : new Date(openedAt + Number(days.value) * 86_400_000).toISOString()
      const body = { label, scopes: some.value ? scopes.value : ['*'], expiresAt }
      done((await act('keys', body, { label: t('newKey'), key: keyOf(body) })).token)
    },
  )
  const words = t.dynamic
  return html`
    <${Dialog}
      title=${from ? t('replaceTitle', { name: nameOf(from) }) : t('newKey')}
      text=${t(from ? 'replaceText' : 'neverOwner')}
      close=${close}
      id="key"
    >
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="label"
          label=${t('label')}
          hint=${t('labelHint')}
          value=${from?.label}
          errors=${errors.value}
          maxlength="100"
          autocomplete="off"
        />
        <${Segments}
          name="some"
          label=${t('scopes')}
          value=${some.value ? 'some' : 'all'}
          onChange=${(/** @type {string} */ to) => {
            some.value = to === 'some'
          }}
          choices=${['all', 'some'].map((scope) => [scope, words('scope_' + scope)])}
        />
        ${some.value && html`
          <${Names}
            label=${t('scope_some')}
            all=${possible()}
            chosen=${scopes.value}
            error=${errors.value.scopes}
            onChange=${(/** @type {string[]} */ to) => {
              scopes.value = to
            }}
          />
        `}
        <${Segments}
          name="days"
          label=${t('lasts')}
          value=${days.value}
          onChange=${(/** @type {string} */ to) => {
            days.value = to
          }}
          choices=${['0', '90', '365'].map((days) => [days, words('lasts_' + days)])}
        />
        <${Submit} busy=${busy.value}>${t('create')}<//>
      </form>
    <//>
  `
}
