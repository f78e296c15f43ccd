// The announcements to shops: a card of the defaults.

import { html, useSignal } from '../html.js'
import { act } from '../api.js'
import { dateTime, instant, langOf, timeZone } from '../i18n.js'
import { changed } from '../resource.js'
import { t } from '../strings/announcement.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { Choice } from './setting_card.js'
import { showToast } from './toast.js'

const kinds = ['maintenance', 'version', 'information']

const save = async (/** @type {any[]} */ announcements, /** @type {string} */ message) => {
  await act('defaults', { announcements }, { method: 'PATCH' })
  changed()
  showToast(message)
}

/** @param {{ all: any[], mayChange: boolean }} props */
export function Announcements({ all, mayChange }) {
  const isOpen = useSignal(false)
  return html`
    <section class="card section stack" id="default-announcements">
      <h2>${t('announcements')}</h2>
      <p class="quiet small">${t('announcementsText')}</p>
      ${all.length === 0
        ? html`<div>${t('none')}</div>`
        : html`
            <ul class="plain stack">
              ${all.map((one) => html`
                <li key=${one.id} class="row spread wraps">
                  <span>
                    ${[one.en, one.bn].filter(Boolean).map((text, i) => html`
                      ${i > 0 && html`<br />`}
                      <span lang=${langOf(text)}>${text}</span>
                    `)}
                    <br />
                    <span class="small quiet">
                      ${[
                        t.dynamic('kind_' + one.kind),
                        one.from && t('from') + ' ' + dateTime(one.from),
                        one.until && t('until') + ' ' + dateTime(one.until),
                        one.plan,
                        one.shops?.join(', '),
                      ]
                        .filter(Boolean)
                        .join(' · ')}
                    </span>
                  </span>
                  ${mayChange && html`
                    <button
                      class="button mini"
                      onClick=${() =>
                        save(
                          all.filter((other) => other !== one),
                          t('removed'),
                        )}
                    >
                      ${t('remove')}
                    </button>
                  `}
                </li>
              `)}
            </ul>
          `}
      ${mayChange && html`
        <div class="row wraps">
          <button
            class="button"
            id="announce"
            onClick=${() => {
              isOpen.value = true
            }}
          >
            ${icon('plus')} ${t('announce')}
          </button>
        </div>
      `}
    </section>
    ${isOpen.value && html`
      <${AnnouncementForm}
        all=${all}
        close=${() => {
          isOpen.value = false
        }}
      />
    `}
  `
}

const fields = ['en', 'bn', 'from', 'until', 'plan', 'shops']

/** @param {{ all: any[], close: () => void }} props */
function AnnouncementForm({ all, close }) {
  const kind = useSignal('maintenance')
  /** @type {Record<string, string>} */
  const hints = {
    from: t('fromHint', { zone: timeZone.value }),
    until: t('untilHint', { zone: timeZone.value }),
    plan: t('planHint'),
    shops: t('shopsHint'),
  }
  const path = `announcements[${all.length}].`
  const { form, errors, busy, onSubmit } = useForm(
    fields.map((name) => path + name),
    async (values) => {
      const typed = (/** @type {string} */ name) => values[path + name].trim()
      const time = (/** @type {string} */ name) => {
        const [day, hour] = typed(name).split('T')
        return day ? instant(day, hour).toISOString() : null
      }
      const one = {
        kind: kind.value,
        en: typed('en'),
        bn: typed('bn'),
        from: time('from'),
        until: time('until'),
        plan: typed('plan') || null,
        shops: typed('shops') ? typed('shops').split(/[\s,]+/) : [],
      }
      await save([...all, one], t('published'))
      close()
    },
  )
  return html`
    <${Dialog}
      title=${t('announce')}
      text=${t('announcementsText')}
      close=${close}
      id="announcement-form"
    >
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Choice}
          id="kind"
          label=${t('kind')}
          value=${kind.value}
          choices=${kinds.map((name) => [name, t.dynamic('kind_' + name)])}
          onChange=${(/** @type {string} */ to) => {
            kind.value = to
          }}
        />
        ${fields.map((name) => html`
          <${Field}
            key=${name}
            name=${path + name}
            label=${t.dynamic(name)}
            hint=${hints[name]}
            type=${/from|until/.test(name) ? 'datetime-local' : 'text'}
            lang=${name.length === 2 ? name : undefined}
            maxlength=${name.length === 2 ? '300' : undefined}
            errors=${errors.value}
            autocomplete="off"
          />
        `)}
        <${Submit} busy=${busy.value}>${t('publish')}<//>
      </form>
    <//>
  `
}
