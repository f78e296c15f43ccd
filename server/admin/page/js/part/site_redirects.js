// Redirects from addresses of an earlier site: one by one, or from a CSV file.

import { html, useSignal } from '../html.js'
import { act } from '../api.js'
import { changed, useGet } from '../resource.js'
import { route } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/site.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { ImportFile } from './import_file.js'
import { Pages } from './pages.js'
import { attempt } from './product_change.js'
import { SearchField } from './product_filters.js'
import { skeletonRows, Empty, Failed, Skeleton } from './states.js'
import { showToast } from './toast.js'

/** @typedef {{ from: string, to: string }} Redirect */
/** @typedef {import('../api.js').Schemas['RedirectImport']} Report */

export function RedirectsView() {
  const { query } = route.value
  const search = query.get('search') ?? ''
  const opened = useSignal(/** @type {'' | 'new' | 'import' | Redirect} */ (''))
  const { data, problem, loading, reload } = useGet('redirects', {
    search,
    page: query.get('page') ?? undefined,
  })
  const mayChange = can('site.write')
  const close = () => {
    opened.value = ''
  }
  /** @type {Redirect[]} */
  const all = data?.nodes ?? []
  const buttons = mayChange && html`
    <div class="row wraps">
      <button
        type="button"
        class="button primary"
        id="add-redirect"
        onClick=${() => {
          opened.value = 'new'
        }}
      >
        ${icon('plus')}
        ${t('addRedirect')}
      </button>
      <button
        type="button"
        class="button"
        id="import-redirects"
        onClick=${() => {
          opened.value = 'import'
        }}
      >
        ${icon('file-up')}
        ${t('importRedirects')}
      </button>
    </div>
  `
  const remove = (/** @type {Redirect} */ redirect) =>
    attempt(async () => {
      await act(
        'redirects',
        {},
        {
          method: 'DELETE',
          query: { from: redirect.from },
          label: redirect.from,
        },
      )
      changed()
      showToast(t('redirectRemoved', { from: redirect.from }), {
        lasts: 8000,
        action: {
          text: common('undo'),
          run: () =>
            attempt(async () => {
              await act('redirects', redirect, { method: 'PUT', label: redirect.from })
              changed()
            }),
        },
      })
    })
  return html`
    <p class="quiet small">${t('redirectsText')}</p>
    ${(all.length > 0 || search) && html`
      <${SearchField} hint=${t('findRedirect')} />
      ${buttons}
    `}
    ${problem && !data
      ? html`<${Failed} problem=${problem} retry=${reload} />`
      : !data
        ? html`<${Skeleton}>${skeletonRows(4)}<//>`
        : all.length === 0
          ? search
            ? html`<${Empty} icon="search" title=${t('noneFound')} />`
            : html`<${Empty} icon="undo-2" title=${t('noRedirects')}>${buttons}<//>`
          : html`
              <div aria-busy=${loading}>
                <ul class="card list" id="redirects">
                  ${all.map((redirect) => html`
                    <li key=${redirect.from} class="row spread redirect">
                      <span class="grow mono small">
                        <b>${redirect.from}</b>
                        <br />
                        <span class="quiet">→ ${redirect.to}</span>
                      </span>
                      ${mayChange && html`
                        <button
                          type="button"
                          class="icon-button"
                          aria-label=${t('editRedirect', { from: redirect.from })}
                          onClick=${() => {
                            opened.value = redirect
                          }}
                        >
                          ${icon('pencil')}
                        </button>
                        <button
                          type="button"
                          class="icon-button"
                          aria-label=${t('removeRedirect', { from: redirect.from })}
                          onClick=${() => remove(redirect)}
                        >
                          ${icon('trash')}
                        </button>
                      `}
                    </li>
                  `)}
                </ul>
                <${Pages} meta=${data.meta} label=${t('redirects')} />
              </div>
            `}
    ${opened.value === 'import'
      ? html`<${Import} close=${close} />`
      : opened.value && html`
          <${Form} close=${close} redirect=${opened.value === 'new' ? null : opened.value} />
        `}
  `
}

/** @param {{ close: () => void, redirect: Redirect | null }} props */
function Form({ close, redirect }) {
  const { form, errors, busy, onSubmit } = useForm(['from', 'to'], async ({ from, to }, keyOf) => {
    const body = { from: redirect?.from ?? from, to }
    await act('redirects', body, { method: 'PUT', label: body.from, key: keyOf(body) })
    changed()
    showToast(common('saved'))
    close()
  })
  return html`
    <${Dialog} title=${redirect ? redirect.from : t('addRedirect')} close=${close} id="redirect">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        ${!redirect && html`
          <${Field}
            name="from"
            label=${t('from')}
            hint=${t('fromHint')}
            errors=${errors.value}
            autocomplete="off"
            autocapitalize="none"
            spellcheck=${false}
            autofocus
          />
        `}
        <${Field}
          name="to"
          label=${t('to')}
          hint=${t('toHint')}
          errors=${errors.value}
          value=${redirect?.to}
          autocomplete="off"
          autocapitalize="none"
          spellcheck=${false}
        />
        <${Submit} busy=${busy.value}>${common('save')}<//>
      </form>
    <//>
  `
}

/** The import of a file. @param {{ close: () => void }} props */
const Import = ({ close }) => html`
  <${ImportFile}
    id="redirect-file"
    path="imports/redirects"
    title=${t('importRedirects')}
    text=${t('importText')}
    choose=${t('chooseFile')}
    problems=${t('fileProblems')}
    line=${(/** @type {number} */ n) => t('line', { n })}
    plan=${(/** @type {Report} */ { created, changed, unchanged }) =>
      t('plan', { created, changed, unchanged })}
    action=${(/** @type {Report} */ { created, changed }) =>
      created + changed > 0 ? t('importNow', { count: created + changed }) : ''}
    done=${(/** @type {Report} */ { created, changed }) =>
      t('redirectsImported', { count: created + changed })}
    close=${close}
  />
`
