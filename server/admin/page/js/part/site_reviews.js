// Reviews of products, which staff publish or reject: those to check first.

import { html } from '../html.js'
import { act } from '../api.js'
import { dateTime, digits } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { route, to, withQuery } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/site.js'
import { Pages } from './pages.js'
import { small } from './picture.js'
import { attempt } from './product_change.js'
import { Empty, Failed, Skeleton, skeletonRows } from './states.js'
import { showToast } from './toast.js'

/** @typedef {import('../api.js').Schemas['Review']} Review */

const statuses = ['pending', 'published', 'rejected']

const paths = { published: 'publish', rejected: 'reject' }

/** Publishes or rejects what the person has read: the buyer may have replaced it. */
const moderate = (/** @type {Review} */ review, /** @type {'published' | 'rejected'} */ status) =>
  act(
    `reviews/${encodeURIComponent(review._id)}/${paths[status]}`,
    {},
    { ifMatch: `"${review.version}"`, label: review.productTitle },
  )

/**
 * Publishes or rejects a review. The toast about a rejected one has no undo unless it was
 * published: it would publish a text that nobody wanted to publish. With a photo there is none,
 * since rejecting deletes the photo.
 *
 * @param {Review} review @param {'published' | 'rejected'} status
 */
async function decide(review, status) {
  await attempt(async () => {
    await moderate(review, status)
    const isPublished = status === 'published'
    const rejected = review.photo ? 'reviewRejectedPhoto' : 'reviewRejected'
    showToast(t(isPublished ? 'reviewPublished' : rejected), {
      lasts: 8000,
      ...(!review.photo &&
        (isPublished || review.status === 'published') && {
          action: {
            text: common('undo'),
            run: () =>
              attempt(async () => {
                await moderate(review, isPublished ? 'rejected' : 'published')
                changed()
              }),
          },
        }),
    })
  })
  changed()
}

export function ReviewsView() {
  const { query } = route.value
  const wanted = query.get('status') ?? ''
  const status = statuses.includes(wanted) ? wanted : 'pending'
  const { data, problem, loading, reload } = useGet('reviews', {
    status,
    page: query.get('page') ?? undefined,
  })
  /** @type {Review[]} */
  const all = data?.nodes ?? []
  return html`
    <p class="quiet small">${t('reviewsText')}</p>
    <nav class="views" aria-label=${t('reviews')}>
      ${statuses.map((choice) => html`
        <a
          href=${withQuery({ status: choice === 'pending' ? null : choice, page: null })}
          aria-current=${choice === status ? 'page' : undefined}
        >
          ${t.dynamic('reviews_' + choice)}
        </a>
      `)}
    </nav>
    ${problem && !data
      ? html`<${Failed} problem=${problem} retry=${reload} />`
      : !data
        ? html`<${Skeleton}>${skeletonRows(3)}<//>`
        : all.length === 0
          ? html`<${Empty} icon="message-square-text" title=${t.dynamic('noReviews_' + status)} />`
          : html`
              <div aria-busy=${loading}>
                <ul class="card list" id="reviews">
                  ${all.map((review) => html`<${Row} key=${review._id} review=${review} />`)}
                </ul>
                <${Pages} meta=${data.meta} label=${t('reviews')} />
              </div>
            `}
  `
}

/** @param {{ review: Review }} props */
function Row({ review }) {
  return html`
    <li class="section stack">
      <p>
        <span role="img" aria-label=${t('stars', { n: review.rating })}>
          ${'★'.repeat(review.rating) + '☆'.repeat(5 - review.rating)}
        </span>
        ${' '}
        <a href=${to('product', review.productId)}>
          <b>${review.productTitle}</b>
        </a>
      </p>
      ${review.text && html`<p class="noted">${review.text}</p>`}
      ${review.photo && html`
        <a class="review-photo" href=${review.photo.url} target="_blank" rel="noopener">
          <img
            src=${small(review.photo, 320)}
            width=${review.photo.width}
            height=${review.photo.height}
            alt=${t('reviewPhoto')}
            loading="lazy"
          />
        </a>
      `}
      <p class="small quiet">
        ${review.name || t('aBuyer')} · ${dateTime(review.sentAt)} ·${' '}
        <a href=${to('order', review.orderId)}>#${digits(review.orderNumber)}</a>
      </p>
      ${can('site.write') && html`
        <div class="row wraps">
          ${review.status !== 'published' && html`
            <button
              type="button"
              class="button primary"
              data-do="publish"
              onClick=${() => decide(review, 'published')}
            >
              ${t('publishReview')}
            </button>
          `}
          ${review.status !== 'rejected' && html`
            <button
              type="button"
              class="button"
              data-do="reject"
              onClick=${() => decide(review, 'rejected')}
            >
              ${t(review.status === 'published' ? 'hideReview' : 'rejectReview')}
            </button>
          `}
        </div>
      `}
    </li>
  `
}
