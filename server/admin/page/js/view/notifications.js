// What the person was notified of, and how: devices, events by channel, quiet hours, Telegram.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { act, Problem } from '../api.js'
import { markSeen } from '../bell.js'
import { ago, language } from '../i18n.js'
import { useGet } from '../resource.js'
import { route, to } from '../router.js'
import { can } from '../session.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/notifications.js'
import { explain } from '../strings/problem.js'
import { Choices, Quiet } from '../part/notify_choices.js'
import { Devices } from '../part/notify_devices.js'
import { ShopChannels, Telegram } from '../part/notify_telegram.js'
import { icon } from '../part/icon.js'
import { skeletonRows, Failed, Skeleton } from '../part/states.js'
import { showToast } from '../part/toast.js'

/** @typedef {import('../api.js').Schemas['Recent']} RecentEvents */

const maxShown = 10

const fail = (/** @type {unknown} */ error) => {
  if (!(error instanceof Problem)) throw error
  showToast(explain(error), { bad: true })
}

export function view() {
  const { data, problem, reload, set } = useGet('notifications')
  const last = useRef(Promise.resolve())
  const turn = useRef(0)
  // Changes are sent one after another, and the response to the last of them is shown.
  const change = (/** @type {any} */ body) => {
    const n = ++turn.current
    const sent = last.current
      .then(() => act('notifications', body, { method: 'PATCH' }))
      .then((saved) => {
        if (n === turn.current) set(saved)
      })
    last.current = sent.catch(() => {})
    return sent
  }
  return html`
    <div class="stack narrow notifications">
      <div class="head first">
        <h1 tabindex="-1">${common('notifications')}</h1>
      </div>
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : html`<${Newest} />`}
      ${!data
        ? !problem && html`<${Skeleton}>${skeletonRows(4)}<//>`
        : html`
            <${Devices} preferences=${data} reload=${reload} />
            <${Choices} preferences=${data} change=${change} fail=${fail} />
            <${Quiet} preferences=${data} change=${change} fail=${fail} />
            <${Telegram} preferences=${data} set=${set} reload=${reload} fail=${fail} />
            ${can('providers.write') && html`<${ShopChannels} reload=${reload} fail=${fail} />`}
          `}
    </div>
  `
}

function Newest() {
  const recent = useGet('notifications/recent', { lang: language.value })
  const all = /** @type {RecentEvents | undefined} */ (recent.data)
  const fresh = useSignal(/** @type {Set<number>} */ (new Set()))
  const newest = all?.events[0]?.seq ?? 0
  useEffect(() => {
    // what was new when the screen was opened stays marked
    if (!all?.unseen) return
    fresh.value = new Set([
      ...fresh.value,
      ...all.events.filter((event) => event.new).map((event) => event.seq),
    ])
    markSeen(newest).catch((error) => {
      if (!(error instanceof Problem)) throw error
    })
  }, [newest])
  const row = (/** @type {RecentEvents['events'][number]} */ event) => html`
    <a
      class="fold"
      key=${event.seq}
      href=${event.path
        ? '#/' + encodeURIComponent(route.value.shop) + '/' + event.path
        : to('home')}
    >
      <span class="grow">
        <b>${event.title}</b>
        ${fresh.value.has(event.seq) && html`
          ${' '}
          <span class="tag">${t('isNew')}</span>
        `}
        <br />
        <span class="small quiet">${[event.body, ago(event.at)].filter(Boolean).join(' · ')}</span>
      </span>
      ${icon('chevron-right', 'mini')}
    </a>
  `
  return html`
    <section class="card list" id="recent">
      <div class="section">
        <h2>${t('recent')}</h2>
      </div>
      ${recent.problem && !all
        ? html`<${Failed} problem=${recent.problem} retry=${recent.reload} />`
        : !all
          ? html`<${Skeleton}>${skeletonRows(3)}<//>`
          : all.events.length === 0
            ? html`<p class="section quiet">${t('none')}</p>`
            : all.events.slice(0, maxShown).map(row)}
    </section>
  `
}
