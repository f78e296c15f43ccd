// Redirects from addresses of an earlier site: one by one, or from a CSV file.

import { html, useSignal } from '../html.js'
import { act, Problem } from '../api.js'
import { changed, useGet } from '../resource.js'
import { route } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { explain } from '../strings/problem.js'
import { t } from '../strings/site.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
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

const mostShown = 50

/** The import of a file, first as a dry run. @param {{ close: () => void }} props */
function Import({ close }) {
  const file = useSignal(/** @type {File | null} */ (null))
  const plan = useSignal(/** @type {Report | null} */ (null))
  const problem = useSignal(
    /** @type {{ text: string, lines: { line: number, message: string }[] } | null} */ (null),
  )
  const busy = useSignal(false)
  async function send(/** @type {boolean} */ dryRun) {
    if (!file.value || busy.value) return
    busy.value = true
    problem.value = null
    try {
      const report = await act('imports/redirects', file.value, {
        type: 'text/csv',
        query: { dryRun: dryRun || undefined },
        label: t('importRedirects'),
        ...(dryRun && { key: '' }), // a preview can be repeated
      })
      if (dryRun) plan.value = report
      else {
        changed()
        showToast(t('redirectsImported', { count: report.created + report.changed }))
        close()
      }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      plan.value = null
      problem.value = {
        text: error.errors.length > 0 ? t('fileProblems') : explain(error),
        lines: error.errors.map(({ field, message }) => ({
          line: Number(/^line\[(\d+)\]/.exec(field)?.[1] ?? 1),
          message,
        })),
      }
    } finally {
      busy.value = false
    }
  }
  const found = plan.value
  const count = found ? found.created + found.changed : 0
  return html`
    <${Dialog}
      title=${t('importRedirects')}
      text=${t('importText')}
      close=${close}
      id="redirect-file"
    >
      <label class="button file">
        <input
          type="file"
          class="visually-hidden"
          id="file"
          accept=".csv,text/csv,text/plain"
          disabled=${busy.value}
          onChange=${(/** @type {FieldEvent} */ event) => {
            file.value = event.target.files?.[0] ?? null
            event.target.value = ''
            plan.value = null
            send(true)
          }}
        />
        ${icon(busy.value ? 'loader' : 'file-up', busy.value ? 'spin' : '')}
        ${file.value ? file.value.name : t('chooseFile')}
      </label>
      <div role="status">
        ${found && html`
          <p>
            ${t('plan', {
              created: found.created,
              changed: found.changed,
              unchanged: found.unchanged,
            })}
          </p>
        `}
      </div>
      ${problem.value && html`
        <div class="banner bad rounded" role="alert">
          ${icon('circle-alert')}
          <div class="grow">
            ${problem.value.text}
            <ul class="small">
              ${problem.value.lines.slice(0, mostShown).map(({ line, message }) => html`
                <li>
                  ${t('line', { n: line })} <span lang="en">${message}</span>
                </li>
              `)}
            </ul>
          </div>
        </div>
      `}
      ${count > 0 && html`
        <button
          type="button"
          class="button primary big"
          id="run"
          aria-busy=${busy.value}
          onClick=${() => send(false)}
        >
          ${t('importNow', { count })}
        </button>
      `}
    <//>
  `
}
