import { announce, h } from '../dom.js'
import { t } from '../language.js'

/** Buttons that copy a link, and share it with the browser's own dialog, or else by WhatsApp. */
export function sharing(url, text) {
  const share = navigator.share
    ? h(
        'button',
        {
          class: 'button button-quiet',
          type: 'button',
          id: 'share',
          // the buyer closed the dialog
          onclick: () => navigator.share({ title: text, url }).catch(() => {}),
        },
        t('share'),
      )
    : h(
        'a',
        {
          class: 'button button-quiet',
          id: 'share',
          target: '_blank',
          rel: 'noopener',
          href: 'https://wa.me/?text=' + encodeURIComponent(text + ' ' + url),
        },
        t('shareWhatsApp'),
      )
  const copied = h('p', { class: 'quiet', id: 'copied' })
  return h(
    'div',
    { class: 'sharing' },
    h(
      'div',
      { class: 'actions' },
      h(
        'button',
        {
          class: 'button button-quiet',
          type: 'button',
          id: 'copy-link',
          onclick: async () => {
            // Browsers have a clipboard on https and localhost only; elsewhere the link is shown,
            // to be copied by hand.
            const done = await navigator.clipboard?.writeText(url).then(
              () => true,
              () => false,
            )
            copied.textContent = done ? t('linkCopied') : url
            if (done) announce(t('linkCopied'))
          },
        },
        t('copyLink'),
      ),
      share,
    ),
    copied,
  )
}
