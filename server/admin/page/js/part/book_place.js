// Where a courier delivers, by its own lists: what orders' addresses name, and what is chosen
// instead.

import { html, useEffect, useRef, useSignal } from '../html.js'
import { get, Problem } from '../api.js'
import { digits, langOf } from '../i18n.js'
import { useGet } from '../resource.js'
import { t as common } from '../strings/common.js'
import { t } from '../strings/book.js'
import { explain } from '../strings/problem.js'
import { icon } from './icon.js'
import { word } from './status.js'

/** @typedef {import('../api.js').Schemas['NamedPlace']} Named */
/** @typedef {Pick<import('../api.js').Schemas['OrderRow'], '_id' | 'orderNumber'>} OrderRow */
/** @typedef {'city' | 'zone' | 'area' | 'station'} Kind */
/** @typedef {Partial<Record<Kind, Named>>} Place */

/** Reports whether a courier quotes a price to a place that was chosen from its lists. */
export const quotes = (/** @type {string} */ courier) => courier === 'courier_a'

/** The lists of each courier, each a part of the one before. @type {Record<string, Kind[]>} */
const lists = { courier_a: ['city', 'zone', 'area'], courier_b: ['station'] }

// requests at once, with a pause after each: the lists are cached, and booking comes first
const maxRequests = 2
const pause = 100 // milliseconds

/**
 * Returns what a suggestion names, without what the courier does not deliver to.
 * @returns {Place}
 */
const placeOf = (/** @type {string} */ provider, /** @type {any} */ suggestion) =>
  Object.fromEntries(
    lists[provider]
      .filter((kind) => suggestion[kind]?.active)
      .map((kind) => [kind, suggestion[kind]]),
  )

/** Reports whether a place names enough for somebody to rely on it. */
const isSure = (/** @type {Place | null | undefined} */ place) =>
  Boolean(place?.station || place?.zone)

/** Returns a place by its numbers, as a booking has it. */
const numbersOf = (/** @type {Place} */ place) =>
  Object.fromEntries(Object.entries(place).map(([kind, place]) => [kind, place._id]))

const labelOf = (/** @type {Named} */ { name, in: within }) =>
  within ? `${name}, ${within}` : name
const labels = (/** @type {Place} */ place) => Object.values(place).map(labelOf).join(' › ')

/**
 * The places of orders' shipments with a courier: suggested by their addresses, and chosen. Nothing
 * is sent that nobody has chosen.
 * @param {OrderRow[]} rows
 * @param {string} provider
 */
export function usePlaces(rows, provider) {
  const suggested = useSignal(/** @type {Record<string, Place | Problem>} */ ({}))
  const chosen = useSignal(/** @type {Record<string, Place>} */ ({}))
  const turn = useSignal(0)
  const keyOf = (/** @type {string} */ id) => provider + ' ' + id
  useEffect(() => {
    const abort = new AbortController()
    const waiting = rows.map((row) => row._id).filter((id) => !(keyOf(id) in suggested.peek()))
    let answers = 0,
      failures = 0
    const work = async () => {
      for (
        let id = waiting.shift();
        id && !(answers === 0 && failures >= maxRequests);
        id = waiting.shift()
      ) {
        let result
        try {
          result = placeOf(
            provider,
            await get(`orders/${id}/courier-place`, { provider }, { signal: abort.signal }),
          )
          answers++
        } catch (error) {
          if (abort.signal.aborted) return
          if (!(error instanceof Problem)) throw error
          result = error
          failures++
        }
        suggested.value = { ...suggested.value, [keyOf(id)]: result }
        await new Promise((resolve) => setTimeout(resolve, pause))
        if (abort.signal.aborted) return
      }
    }
    for (let i = 0; i < maxRequests; i++) work()
    return () => abort.abort()
  }, [provider, rows.map((row) => row._id).join(), turn.value])
  const results = rows.map((row) => suggested.value[keyOf(row._id)]).filter(Boolean)
  const failed = results.filter((result) => result instanceof Problem)
  /** @returns {Place | undefined} */
  const suggestionFor = (/** @type {string} */ id) => {
    const places = suggested.value[keyOf(id)]
    return places instanceof Problem ? {} : places
  }
  return {
    provider,
    suggestionFor,
    chosenFor: (/** @type {string} */ id) => chosen.value[keyOf(id)],
    problem:
      failed.length > 0 && failed.length === results.length
        ? /** @type {Problem} */ (failed[0])
        : null,
    choose: (/** @type {string} */ id, /** @type {Place | null} */ place) => {
      const { [keyOf(id)]: _, ...others } = chosen.value
      chosen.value = place ? { ...others, [keyOf(id)]: place } : others
    },
    chooseAll: (/** @type {string[]} */ ids) => {
      chosen.value = {
        ...chosen.value,
        ...Object.fromEntries(ids.map((id) => [keyOf(id), suggestionFor(id) ?? {}])),
      }
    },
    clear: () => {
      chosen.value = Object.fromEntries(
        Object.entries(chosen.value).filter(([key]) => !key.startsWith(provider + ' ')),
      )
    },
    retry: () => {
      suggested.value = Object.fromEntries(
        Object.entries(suggested.value).filter(([, places]) => !(places instanceof Problem)),
      )
      turn.value++
    },
    /** What a booking of these orders sends; undefined: nothing. */
    toSend: (/** @type {OrderRow[]} */ all) => {
      const some = all.filter((row) => chosen.value[keyOf(row._id)])
      return some.length > 0
        ? Object.fromEntries(some.map((row) => [row._id, numbersOf(chosen.value[keyOf(row._id)])]))
        : undefined
    },
  }
}

/** @typedef {ReturnType<typeof usePlaces>} Places */

/** What is known of all orders, and one button for those that are certain.
 * @param {{ places: Places, rows: OrderRow[] }} props */
export function PlaceSummary({ places, rows }) {
  const { provider, problem } = places
  const ids = rows.map((row) => row._id)
  const picked = ids.filter((id) => places.chosenFor(id))
  const sure = ids.filter((id) => !picked.includes(id) && isSure(places.suggestionFor(id)))
  const compared = ids.filter((id) => places.suggestionFor(id))
  const unsure =
    compared.length - compared.filter((id) => picked.includes(id) || sure.includes(id)).length
  const title = html`<h2>${t('where')}</h2>`
  if (problem) {
    return html`
      <div class="card section stack" id="places">
        ${title}
        <p class="error" role="status">
          ${icon(problem.status === 0 ? 'wifi-off' : 'circle-alert', 'mini')}
          <span>${t('placesFailed', { courier: word(provider) })} ${explain(problem)}</span>
        </p>
        <div class="row spread wraps">
          <span class="small quiet">${t('placesOptional')}</span>
          <button type="button" class="button" id="places-retry" onClick=${places.retry}>
            ${icon('rotate-cw')}
            ${common('tryAgain')}
          </button>
        </div>
      </div>
    `
  }
  const isLoading = compared.length < ids.length
  return html`
    <div class="card section stack" id="places" aria-busy=${isLoading}>
      ${title}
      <p class="small" role="status">
        ${isLoading
          ? html`
              <span class="quiet row">
                ${icon('loader', 'mini spin')}
                ${t('comparing', { done: compared.length, count: ids.length })}
              </span>
            `
          : html`
              ${picked.length > 0 && html`
                <b class="tone-good row">
                  ${icon('check', 'mini')}
                  ${t('chosen', { count: picked.length })}
                </b>
              `}
              ${sure.length > 0 && html`
                <span class="row">
                  ${icon('map-pin', 'mini')}
                  ${t('found', { count: sure.length })}
                </span>
              `}
              ${unsure > 0 && html`
                <b class="tone-warn row">
                  ${icon('map-pin-off', 'mini')}
                  ${t('unsure', { count: unsure })}
                </b>
              `}
            `}
      </p>
      <p class="small quiet">${t('placesText')}</p>
      ${!isLoading && (sure.length > 0 || picked.length > 0) && html`
        <div class="row wraps">
          ${sure.length > 0 && html`
            <button
              type="button"
              class="button"
              id="places-use"
              onClick=${() => places.chooseAll(sure)}
            >
              ${icon('check')}
              ${t('useFound', { count: sure.length })}
            </button>
          `}
          ${picked.length > 0 && html`
            <button type="button" class="button" id="places-clear" onClick=${places.clear}>
              ${t('clear')}
            </button>
          `}
        </div>
      `}
    </div>
  `
}

/** The place of one order: a line that opens to the courier's lists.
 * @param {{ places: Places, row: OrderRow }} props */
export function PlaceFold({ places, row }) {
  const isOpen = useSignal(false)
  const summary = useRef(/** @type {HTMLElement | null} */ (null))
  const picked = places.chosenFor(row._id)
  const suggestion = places.suggestionFor(row._id)
  const current = picked ?? suggestion
  const isUnsure = current !== undefined && !picked && !isSure(current)
  const text = current && labels(current)
  const done = (/** @type {Place | null} */ place) => {
    places.choose(row._id, place)
    isOpen.value = false
    summary.current?.focus()
  }
  if (places.problem && !picked) return null // nothing to choose from
  return html`
    <details
      class="place"
      id=${'place-' + row._id}
      open=${isOpen.value}
      onToggle=${(/** @type {{ target: HTMLDetailsElement }} */ { target }) => {
        isOpen.value = target.open
      }}
    >
      <summary class="fold small" ref=${summary}>
        ${picked
          ? icon('check', 'mini tone-good')
          : isUnsure
            ? icon('map-pin-off', 'mini quiet')
            : icon('map-pin', 'mini quiet')}
        <span class="grow">
          <span class="visually-hidden">
            ${t('whereOf', { number: digits(row.orderNumber) })}: </span>
          ${text && html`
            <span class=${picked ? 'bold' : 'quiet'} lang=${langOf(text)}>${text}</span>
          `}
          ${isUnsure && html`
            ${text && ' · '}
            <span class="quiet">${t(text ? 'rest' : 'byAddress')}</span>
          `}
          ${current === undefined && html`<span class="quiet">${t('where')}</span>`}
        </span>
        ${icon('chevron-down', 'mini')}
      </summary>
      ${isOpen.value && html`
        <${Fields}
          key=${places.provider}
          id=${'place-' + row._id}
          provider=${places.provider}
          start=${current ?? {}}
          isPicked=${Boolean(picked)}
          done=${done}
        />
      `}
    </details>
  `
}

/**
 * @param {{ id: string, provider: string, start: Place, isPicked: boolean, done: (place: Place |
 *   null) => void }} props
 */
function Fields({ id, provider, start, isPicked, done }) {
  const draft = useSignal(start)
  // what is typed and in no list
  const wrong = useSignal(/** @type {Partial<Record<Kind, boolean>>} */ ({}))
  const kinds = lists[provider]
  const set = (
    /** @type {Kind} */ kind,
    /** @type {Named | null} */ place,
    /** @type {boolean} */ isWrong,
  ) => {
    // what was chosen within another place is no part of this one
    const before = kinds.slice(0, kinds.indexOf(kind))
    const isSame = place && place._id === draft.value[kind]?._id
    if (!isSame) {
      draft.value = Object.fromEntries(
        [...before.map((earlier) => [earlier, draft.value[earlier]]), [kind, place]].filter(
          ([, chosen]) => chosen,
        ),
      )
    }
    wrong.value = { ...wrong.value, [kind]: isWrong }
  }
  const [first] = kinds
  const isWrong = kinds.some((kind) => wrong.value[kind])
  const onSubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault()
    if (draft.value[first] && !isWrong) done(draft.value)
  }
  return html`
    <form class="section stack" onSubmit=${onSubmit} novalidate>
      ${kinds.map((kind, i) => {
        const within = i === 0 ? 0 : draft.value[kinds[i - 1]]?._id
        return (
          within !== undefined && html`
            <${Choice}
              key=${kind + within}
              id=${id + '-' + kind}
              provider=${provider}
              kind=${kind}
              of=${within}
              place=${draft.value[kind]}
              choose=${(/** @type {Named | null} */ place, isBad = false) =>
                set(kind, place, isBad)}
            />
          `
        )
      })}
      <div class="row wraps">
        <button class="button primary" disabled=${!draft.value[first] || isWrong}>
          ${icon('check')}
          ${t('usePlace')}
        </button>
        ${isPicked && html`
          <button type="button" class="button" onClick=${() => done(null)}>
            ${t('byAddress')}
          </button>
        `}
      </div>
    </form>
  `
}

/** A place of one list, which typing searches.
 * @param {{ id: string, provider: string, kind: Kind, of: number, place: Named | undefined,
 *   choose: (place: Named | null, isWrong?: boolean) => void }} props */
function Choice({ id, provider, kind, of, place, choose }) {
  const { data, problem, loading, reload } = useGet(`providers/${provider}/places`, {
    kind,
    of: of || undefined,
  })
  const text = useSignal(place ? labelOf(place) : '')
  const error = useSignal(false)
  /** @type {Named[]} */
  const all = (data?.nodes ?? []).filter((/** @type {Named} */ place) => place.active)
  const select = (/** @type {Named} */ place) => {
    text.value = labelOf(place)
    error.value = false
    choose(place)
  }
  const enter = (/** @type {string} */ now) => {
    text.value = now
    error.value = false
    const same = all.find((place) => labelOf(place).toLowerCase() === now.trim().toLowerCase())
    if (same) select(same)
    else choose(null, now.trim() !== '')
  }
  /** Completes what was typed, if it is the beginning of one place only, or its name in Bangla. */
  const complete = async () => {
    const now = text.value.trim()
    if (now === '' || all.some((place) => labelOf(place) === text.value)) return
    try {
      const { nodes } = await get(`providers/${provider}/places`, {
        kind,
        of: of || undefined,
        search: now,
      })
      if (text.value.trim() !== now) return
      if (nodes.length === 1 && nodes[0].active) select(nodes[0])
      else error.value = true
    } catch (failed) {
      if (!(failed instanceof Problem)) throw failed
      error.value = true
    }
  }
  const isOptional = kind === 'zone' || kind === 'area'
  if (data && all.length === 0 && isOptional) return null // such as a zone without areas
  const failed = problem && !data ? explain(problem) : error.value ? t('fromList') : ''
  return html`
    <div class="field">
      <label for=${id}>
        ${t(kind)}
        ${isOptional && html`
          ${' '}
          <span class="quiet small">${t('optional')}</span>
        `}
      </label>
      <div class=${failed ? 'input bad' : 'input'}>
        <input
          id=${id}
          list=${id + '-list'}
          value=${text.value}
          autocomplete="off"
          spellcheck=${false}
          lang=${langOf(text.value)}
          disabled=${!data}
          aria-invalid=${failed ? 'true' : undefined}
          aria-describedby=${failed ? id + '-error' : undefined}
          onInput=${(/** @type {FieldEvent} */ event) => enter(event.target.value)}
          onChange=${complete}
        />
        ${!data && loading && icon('loader', 'mini spin')}
      </div>
      <datalist id=${id + '-list'}>
        ${all.map((place) => html`<option key=${place._id} value=${labelOf(place)} />`)}
      </datalist>
      ${failed && html`
        <p class="error" id=${id + '-error'}>
          ${icon('circle-alert', 'mini')}
          <span class="grow">${failed}</span>
          ${!data && html`
            <button type="button" class="link" onClick=${reload}>${common('tryAgain')}</button>
          `}
        </p>
      `}
    </div>
  `
}
