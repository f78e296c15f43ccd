// The way to the import of products, and their export.

import { html } from '../html.js'
import { dayOfShop } from '../i18n.js'
import { shopUID, to } from '../router.js'
import { can } from '../session.js'
import { t } from '../strings/import.js'
import { Dialog } from './dialog.js'
import { download } from './download.js'
import { icon } from './icon.js'
import { attempt } from './product_change.js'
import { showToast } from './toast.js'

/** @param {{ close: () => void }} props */
export const ProductFiles = ({ close }) => html`
  <${Dialog} title=${t('files')} close=${close} id="product-files">
    <ul class="options">
      ${can('products.write') && html`
        <li>
          <a class="option" id="to-import" href=${to('import')} onClick=${close}>
            ${icon('file-up')}
            <span class="grow">
              ${t('title')}
              <br />
              <span class="small quiet">${t('importText')}</span>
            </span>
          </a>
        </li>
      `}
      <li>
        <button
          class="option"
          id="export-products"
          onClick=${() => {
            close()
            attempt(async () => {
              await download('exports/products', {}, `products-${shopUID.value}-${dayOfShop()}.csv`)
              showToast(t('exported'))
            })
          }}
        >
          ${icon('save')}
          <span class="grow">
            ${t('export')}
            <br />
            <span class="small quiet">${t('exportText')}</span>
          </span>
        </button>
      </li>
    </ul>
  <//>
`
