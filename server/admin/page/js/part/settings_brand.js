// The shop's logo, uploaded or at an address, and its colour.

import { html } from '../html.js'
import { get } from '../api.js'
import { enter, session } from '../session.js'
import { ownPath } from '../router.js'
import { t } from '../strings/settings.js'
import { Field } from './form.js'
import { icon } from './icon.js'
import { small } from './picture.js'
import { PictureChoice } from './picture_choice.js'
import { SettingCard } from './setting_card.js'

/** @typedef {import('./setting_card.js').Loaded} Loaded */
/** @typedef {{ logoId: string, logoUrl: string, colour: string }} Draft */

/** Where images are that were uploaded here. @type {Map<string, string>} */
const uploaded = new Map()

/** @param {{ loaded: Loaded, reload: () => Promise<Loaded> }} props */
export function Brand(props) {
  const { brand } = props.loaded.settings
  const shown = (/** @type {Draft} */ d) =>
    d.logoId === ''
      ? /^https:\/\/./.test(d.logoUrl)
        ? d.logoUrl
        : ''
      : (uploaded.get(d.logoId) ??
        (d.logoId === brand.logoId ? (ownPath(session.value?.shop.logoUrl) ?? '') : ''))
  return html`
    <${SettingCard}
      ...${props}
      id="set-brand"
      title=${t('brand')}
      text=${t('brandText')}
      fields=${['logoId', 'logoUrl', 'colour']}
      draftOf=${(/** @type {any} */ s) => ({
        logoId: s.brand.logoId,
        logoUrl: s.logoUrl,
        colour: s.brand.colour,
      })}
      bodyOf=${(/** @type {Draft} */ d) => ({
        logoUrl: d.logoUrl.trim(),
        brand: { logoId: d.logoId, colour: d.colour },
      })}
      lines=${(/** @type {Draft} */ d) => [
        [t('logo'), d.logoId ? t('uploaded') : d.logoUrl],
        [t('colour'), d.colour],
      ]}
      onSaved=${async () => enter(await get('session'))}
      form=${(
        /** @type {Draft} */ d,
        /** @type {(to: Partial<Draft>) => void} */ change,
        /** @type {Record<string, string>} */ errors,
      ) => html`
        <${Logo}
          url=${shown(d)}
          error=${errors.logoId}
          change=${(/** @type {string} */ logoId) =>
            change({ logoId, ...(logoId === '' && { logoUrl: '' }) })}
        />
        <details open=${d.logoId === '' && d.logoUrl !== ''}>
          <summary class="fold inset">
            <span class="grow">${t('logoElsewhere')}</span>
            ${icon('chevron-down', 'mini')}
          </summary>
          <${Field}
            name="logoUrl"
            type="url"
            label=${t('logoAddress')}
            hint=${t('logoHint')}
            value=${d.logoUrl}
            errors=${errors}
            placeholder="https://"
            autocomplete="off"
            onInput=${(/** @type {FieldEvent} */ event) =>
              change({ logoUrl: event.target.value, logoId: '' })}
          />
        </details>
        <div class="field">
          <label for="colour">${t('colour')}</label>
          <div class="row">
            <input
              type="color"
              id="colour"
              class="swatch"
              value=${d.colour || '#14695f'}
              onInput=${(/** @type {FieldEvent} */ event) => change({ colour: event.target.value })}
            />
            <span class="mono grow">${d.colour || t('noColour')}</span>
            ${d.colour && html`
              <button type="button" class="button mini" onClick=${() => change({ colour: '' })}>
                ${t('remove')}
              </button>
            `}
          </div>
          ${errors.colour && html`<p class="error">${errors.colour}</p>`}
        </div>
      `}
    />
  `
}

/**
 * @param {{ url: string, error?: string, change: (id: string) => void }} props change: '' removes
 *   the logo
 */
const Logo = ({ url, error, change }) => html`
  <div class="field" role="group" aria-labelledby="logo-label">
    <span class="label" id="logo-label">${t('logo')}</span>
    ${url && html`<img class="logo-seen" src=${url} alt=${t('logo')} />`}
    <${PictureChoice}
      text=${t(url ? 'changeLogo' : 'uploadLogo')}
      removeText=${t('remove')}
      uploading=${t('uploading')}
      error=${error}
      input=${{ id: 'logo' }}
      removed=${url ? () => change('') : null}
      chosen=${(/** @type {import('./upload.js').Media} */ media) => {
        uploaded.set(media._id, small(media, 320) ?? media.url)
        change(media._id)
      }}
    />
  </div>
`
