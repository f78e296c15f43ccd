// What shops inherit: the gateway of text messages, the mail server, the design, legal texts and
// the appearance of the dashboard.

import { html, useSignal } from '../html.js'
import { act } from '../api.js'
import { changed, useGet } from '../resource.js'
import { t } from '../strings/defaults.js'
import { paramLabel } from '../strings/settings_message.js'
import { t as look } from '../strings/site.js'
import { loadBranding } from './branding.js'
import { Announcements } from './console_announcements.js'
import { Confirm } from './console_link.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { Area, Choice } from './setting_card.js'
import { Failed, Skeleton, skeletonRows } from './states.js'
import { showToast } from './toast.js'

const update = (/** @type {any} */ body) => act('defaults', body, { method: 'PATCH' })

/** @param {{ can: (permission: string) => boolean }} props */
export function view({ can }) {
  const { data, problem, reload } = useGet('defaults')
  const dialog = useSignal('')
  const edited = useSignal(/** @type {any} */ (null))
  const close = () => {
    dialog.value = ''
    edited.value = null
  }
  if (problem && !data) return html`<${Failed} problem=${problem} retry=${reload} />`
  if (!data) return html`<${Skeleton}>${skeletonRows(4)}<//>`
  const mayChange = can('defaults.write')
  const renew = () => {
    changed()
    showToast(t('saved'))
  }
  const done = async () => {
    close()
    renew()
  }
  const show = (/** @type {string} */ name) => () => {
    dialog.value = name
  }
  /** A card with what is set, and buttons to change and remove it. */
  const card = (
    /** @type {string} */ key,
    /** @type {any} */ now,
    /** @type {boolean} */ isSet,
    /** @type {any} */ buttons,
  ) => html`
    <section class="card section stack" id=${'default-' + key} key=${key}>
      <h2>${t.dynamic(key)}</h2>
      <p class="quiet small">${t.dynamic(key + 'Text')}</p>
      <div>${now}</div>
      ${mayChange && html`<div class="row wraps">${buttons}</div>`}
      ${isSet && key !== 'branding' && html`
        <label class="row">
          <input
            type="checkbox"
            name=${'lock-' + key}
            disabled=${!mayChange}
            defaultChecked=${data.locked.includes(key)}
            onChange=${async (/** @type {any} */ { target }) => {
              const others = data.locked.filter((/** @type {string} */ other) => other !== key)
              await update({ locked: target.checked ? [...others, key] : others })
              renew() // an opened dialog stays
            }}
          />
          ${t('lock')}
        </label>
      `}
    </section>
  `
  const setOrRemove = (/** @type {string} */ key, /** @type {boolean} */ isSet) => html`
    <button class="button" id=${'set-' + key} onClick=${show(key)}>
      ${t(isSet ? 'change' : 'set')}
    </button>
    ${isSet && html`
      <button class="button" id=${'remove-' + key} onClick=${show('remove-' + key)}>
        ${t('remove')}
      </button>
    `}
  `
  const host = (/** @type {string} */ url) => {
    try {
      return new URL(url).host
    } catch {
      return url
    }
  }
  const { branding } = data
  const contact = [branding.phone, branding.email, branding.url].filter(Boolean).join(' · ')
  const removed = dialog.value.startsWith('remove-') ? dialog.value.slice('remove-'.length) : ''
  return html`
    <div class="stack">
      <div class="head first">
        <h1 tabindex="-1">${t('defaults')}</h1>
        <p class="quiet small">${t('text')}</p>
      </div>
      ${card(
        'branding',
        branding.name || contact
          ? html`
              ${branding.logo && html`<img src=${branding.logo} alt="" height="28" />`}
              <b>${branding.name}</b>
              <br />
              <span class="small quiet">${contact}</span>
            `
          : t('none'),
        true,
        html`
          <button class="button" id="set-branding" onClick=${show('branding')}>
            ${t('change')}
          </button>
        `,
      )}
      ${card(
        'sms',
        data.sms ? host(data.sms.url) : t('none'),
        !!data.sms,
        setOrRemove('sms', !!data.sms),
      )}
      ${card(
        'mail',
        data.mail ? data.mail.host + ' · ' + data.mail.from : t('none'),
        !!data.mail,
        setOrRemove('mail', !!data.mail),
      )}
      ${card(
        'design',
        data.design
          ? look.dynamic(data.design.design) + ' ' + (data.design.tokens.seed ?? '')
          : t('program'),
        !!data.design,
        setOrRemove('design', !!data.design),
      )}
      ${card(
        'policies',
        data.policies.length === 0
          ? t('none')
          : html`
              <ul class="plain stack">
                ${data.policies.map((/** @type {any} */ policy, /** @type {number} */ at) => html`
                  <li key=${policy.slug} class="row spread wraps">
                    <span>${[policy.en.title, policy.bn.title].filter(Boolean).join(' · ')}</span>
                    ${mayChange && html`
                      <button
                        class="button mini"
                        onClick=${() => {
                          edited.value = { ...policy, at }
                        }}
                      >
                        ${t('change')}
                      </button>
                    `}
                  </li>
                `)}
              </ul>
            `,
        data.policies.length > 0,
        html`
          <button
            class="button"
            id="new-policy"
            onClick=${() => {
              const at = data.policies.length
              edited.value = { slug: '', en: {}, bn: {}, at }
            }}
          >
            ${icon('plus')} ${t('newPolicy')}
          </button>
        `,
      )}
      <${Announcements} all=${data.announcements} mayChange=${mayChange} />
    </div>
    ${dialog.value === 'branding' && html`
      <${BrandingForm} branding=${branding} close=${close} done=${done} />
    `}
    ${dialog.value === 'sms' && html`<${SMSForm} close=${close} done=${done} />`}
    ${dialog.value === 'mail' && html`
      <${MailForm} config=${data.mail ?? {}} close=${close} done=${done} />
    `}
    ${dialog.value === 'design' && html`
      <${DesignForm} theme=${data.design} close=${close} done=${done} />
    `}
    ${edited.value && html`
      <${PolicyForm} policy=${edited.value} all=${data.policies} close=${close} done=${done} />
    `}
    ${removed && html`
      <${Confirm}
        title=${t.dynamic(removed)}
        text=${t('removeText')}
        action=${t('remove')}
        close=${close}
        run=${async () => {
          await (removed === 'design'
            ? update({ design: null })
            : act('defaults/' + removed, {}, { method: 'DELETE' }))
          await done()
        }}
      />
    `}
  `
}

/** @typedef {{ close: () => void, done: () => Promise<void> }} Closing */

const brandingFields = ['name', 'phone', 'email', 'url', 'colour']

const dataURL = (/** @type {File} */ file) =>
  /** @type {Promise<string>} */ (
    new Promise((resolve, reject) => {
      const reader = new FileReader()
      reader.onload = () => resolve(String(reader.result))
      reader.onerror = () => reject(reader.error)
      reader.readAsDataURL(file)
    })
  )

/** @param {{ branding: any } & Closing} props */
function BrandingForm({ branding, close, done }) {
  const logo = useSignal(branding.logo ?? '')
  const named = (/** @type {string} */ name) => 'branding.' + name
  const { form, errors, busy, onSubmit } = useForm(
    [...brandingFields, 'logo'].map(named),
    async (values) => {
      const body = Object.fromEntries(brandingFields.map((name) => [name, values[named(name)]]))
      await update({ branding: { ...body, logo: logo.value } })
      await loadBranding(true)
      await done()
    },
  )
  return html`
    <${Dialog} title=${t('branding')} text=${t('brandingText')} close=${close} id="branding-form">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        ${brandingFields.map((name) => html`
          <${Field}
            key=${name}
            name=${named(name)}
            label=${t.dynamic(name)}
            hint=${name === 'colour' ? t('colourHint') : undefined}
            value=${branding[name]}
            errors=${errors.value}
            autocomplete="off"
          />
        `)}
        <${Field}
          name="branding.logo"
          type="file"
          accept="image/png,image/jpeg,image/webp"
          label=${t('logo')}
          hint=${t('logoHint')}
          errors=${errors.value}
          onChange=${async (/** @type {any} */ { target }) => {
            if (target.files[0]) logo.value = await dataURL(target.files[0])
          }}
        />
        ${logo.value && html`
          <div class="row wraps">
            <img src=${logo.value} alt="" height="28" />
            <button
              type="button"
              class="button mini"
              onClick=${() => {
                logo.value = ''
              }}
            >
              ${t('removeLogo')}
            </button>
          </div>
        `}
        <${Submit} busy=${busy.value}>${t('save')}<//>
      </form>
    <//>
  `
}

/** @param {Closing} props */
function SMSForm({ close, done }) {
  const { data, problem, reload } = useGet('defaults/sms/presets')
  return html`
    <${Dialog} title=${t('sms')} text=${t('smsText')} close=${close} id="sms-form">
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows(2)}<//>`
          : html`<${Gateway} presets=${data.nodes} done=${done} />`}
    <//>
  `
}

/** @param {{ presets: any[], done: () => Promise<void> }} props */
function Gateway({ presets, done }) {
  const name = useSignal(presets[0].name)
  const chosen = presets.find((preset) => preset.name === name.value) ?? presets[0]
  const params = /** @type {any[]} */ (chosen.params ?? [])
  const { form, errors, busy, onSubmit } = useForm(
    params.map((param) => param.name),
    async (values) => {
      const filled = params.filter((param) => values[param.name] !== '')
      const body = Object.fromEntries(filled.map((param) => [param.name, values[param.name]]))
      await act('defaults/sms', { preset: chosen.name, params: body }, { method: 'PUT' })
      await done()
    },
  )
  return html`
    <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
      ${formError(errors.value)}
      <${Choice}
        id="preset"
        label=${t('company')}
        value=${name.value}
        choices=${presets.map((preset) => [preset.name, preset.title])}
        onChange=${(/** @type {string} */ to) => {
          name.value = to
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
          spellcheck=${false}
          type=${/key|token|password/i.test(param.name) ? 'password' : 'text'}
        />
      `)}
      <${Submit} busy=${busy.value}>${t('save')}<//>
    </form>
  `
}

const mailFields = ['from', 'host', 'username', 'password']

/** @param {{ config: any } & Closing} props */
function MailForm({ config, close, done }) {
  const { form, errors, busy, onSubmit } = useForm(mailFields, async (values) => {
    const filled = Object.entries(values).filter(([, value]) => value !== '')
    await act('defaults/mail', Object.fromEntries(filled), { method: 'PUT' })
    await done()
  })
  return html`
    <${Dialog} title=${t('mail')} text=${t('mailText')} close=${close} id="mail-form">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        ${mailFields.map((name) => html`
          <${Field}
            key=${name}
            name=${name}
            label=${t.dynamic(name)}
            value=${name === 'password' ? '' : (config[name] ?? '')}
            type=${name === 'password' ? 'password' : 'text'}
            errors=${errors.value}
            autocomplete="off"
            spellcheck=${false}
          />
        `)}
        <${Submit} busy=${busy.value}>${t('save')}<//>
      </form>
    <//>
  `
}

/** @param {{ theme: any } & Closing} props */
function DesignForm({ theme, close, done }) {
  const name = useSignal(theme?.design ?? 'angan')
  const seed = 'design.tokens.seed'
  const { form, errors, busy, onSubmit } = useForm([seed], async (values) => {
    const tokens = { ...theme?.tokens, seed: values[seed] || undefined }
    await update({ design: { design: name.value, tokens } })
    await done()
  })
  return html`
    <${Dialog} title=${t('design')} text=${t('designText')} close=${close} id="design-form">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Choice}
          id="design"
          label=${t('design')}
          value=${name.value}
          choices=${['angan', 'haat', 'alo', 'mela'].map((design) => [
            design,
            look.dynamic(design),
          ])}
          onChange=${(/** @type {string} */ to) => {
            name.value = to
          }}
        />
        <${Field}
          name=${seed}
          label=${t('seed')}
          hint=${t('seedHint')}
          value=${theme?.tokens.seed ?? ''}
          errors=${errors.value}
          autocomplete="off"
        />
        <${Submit} busy=${busy.value}>${t('save')}<//>
      </form>
    <//>
  `
}

/** @param {{ policy: any, all: any[] } & Closing} props */
function PolicyForm({ policy, all, close, done }) {
  const path = `policies[${policy.at}].`
  const names = ['slug', 'en.title', 'en.bodyHtml', 'bn.title', 'bn.bodyHtml'].map(
    (name) => path + name,
  )
  const save = async (/** @type {any[]} */ entries) => {
    const policies = all.map(({ slug, en, bn }) => ({ slug, en, bn }))
    policies.splice(policy.at, 1, ...entries)
    await update({ policies })
    await done()
  }
  const { form, errors, busy, onSubmit } = useForm(names, (values) => {
    const text = (/** @type {string} */ language) => ({
      title: values[`${path}${language}.title`],
      bodyHtml: values[`${path}${language}.bodyHtml`],
    })
    return save([{ slug: values[path + 'slug'], en: text('en'), bn: text('bn') }])
  })
  const isNew = policy.at === all.length
  return html`
    <${Dialog} title=${t('policies')} text=${t('policiesText')} close=${close} id="policy-form">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name=${path + 'slug'}
          label=${t('slug')}
          hint=${t('slugHint')}
          value=${policy.slug}
          errors=${errors.value}
          autocomplete="off"
        />
        ${['en', 'bn'].map((language) => html`
          <${Field}
            key=${language}
            name=${`${path}${language}.title`}
            label=${t.dynamic('title_' + language)}
            value=${policy[language].title ?? ''}
            errors=${errors.value}
            lang=${language}
            autocomplete="off"
          />
          <${Area}
            name=${`${path}${language}.bodyHtml`}
            label=${t.dynamic('text_' + language)}
            value=${policy[language].bodyHtml ?? ''}
            errors=${errors.value}
            lang=${language}
            rows="6"
          />
        `)}
        <div class="row wraps">
          <${Submit} busy=${busy.value}>${t('save')}<//>
          ${!isNew && html`
            <button type="button" class="button" id="remove-policy" onClick=${() => save([])}>
              ${t('remove')}
            </button>
          `}
        </div>
      </form>
    <//>
  `
}
