// All shops of the server, and one of them with what an operator does with it.

import { html, useRef, useSignal } from '../html.js'
import { act } from '../api.js'
import { ago, clock, dateTime, langOf, language, name as inLanguage, number } from '../i18n.js'
import { changed, useGet } from '../resource.js'
import { open, route, to, withQuery } from '../router.js'
import { t } from '../strings/console.js'
import { t as home } from '../strings/home.js'
import { t as plans } from '../strings/plan.js'
import { NewLink, refusedShop } from './console_link.js'
import { AssignPlan } from './console_plans.js'
import { Many, most } from './console_many.js'
import { Dialog } from './dialog.js'
import { Field, formError, Submit, useForm } from './form.js'
import { icon } from './icon.js'
import { Later } from './later.js'
import { Pages } from './pages.js'
import { Uses } from './plan_use.js'
import { Empty, Failed, Skeleton, skeletonRows } from './states.js'
import { showToast } from './toast.js'

const loadWork = () => import('../part/console_work.js')

const states = ['open', 'closed', 'suspended', 'failing']

/** @type {Record<string, string>} */
const tones = { open: 'done', closed: 'off', suspended: 'bad', failing: 'bad' }

const stateOf = (/** @type {string} */ state) => html`
  <span class="status-pill ${tones[state]}">${t.dynamic('state_' + state)}</span>
`

const size = (/** @type {number | null} */ bytes) =>
  bytes === null ? '' : number(Math.max(1, Math.round(bytes / 1e5)) / 10) + ' MB'

/** @param {{ can: (permission: string) => boolean }} props */
export function Shops({ can }) {
  const { query } = route.value
  const [search, state] = [query.get('search') ?? '', query.get('state') ?? '']
  const [plan, near] = [query.get('plan') ?? '', query.get('near') ?? '']
  const work = query.get('work') ?? ''
  const timer = useRef(0)
  const creating = useSignal(false)
  const created = useSignal(/** @type {any} */ (null))
  const { data, problem, reload } = useGet('shops', {
    search,
    state,
    plan,
    nearLimit: near && 'true',
    work: work && 'true',
    page: query.get('page'),
  })
  /** UIDs, also of other pages; null: nothing is being selected. */
  const chosen = useSignal(/** @type {string[] | null} */ (null))
  const many = useSignal(/** @type {'' | 'suspend' | 'resume' | 'plan'} */ (''))
  const isFiltered = search + state + plan + near + work !== ''
  const button = can('shops.write') && html`
    <button
      class="button primary"
      id="create"
      onClick=${() => {
        creating.value = true
      }}
    >
      ${icon('plus')}
      ${t('create')}
    </button>
  `
  return html`
    <div class="stack">
      <div class="head first row spread">
        <h1 tabindex="-1">${t('shops')}</h1>
        ${(isFiltered || data?.nodes.length > 0) && html`
          <div class="row console-actions">
            ${can('shops.write') && !chosen.value && html`
              <button
                class="button"
                id="select"
                onClick=${() => {
                  chosen.value = []
                }}
              >
                ${icon('check')}
                ${t('select')}
              </button>
            `}
            ${button}
          </div>
        `}
      </div>
      <div class="input">
        ${icon('search')}
        <input
          type="search"
          id="search"
          aria-label=${t('search')}
          placeholder=${t('search')}
          defaultValue=${search}
          onInput=${(/** @type {any} */ { target }) => {
            clearTimeout(timer.current)
            timer.current = setTimeout(
              () => open(withQuery({ search: target.value, page: null }), { replace: true }),
              250,
            )
          }}
        />
      </div>
      <nav class="chips" aria-label=${t('state')}>
        ${['', ...states].map((choice) => html`
          <a
            class=${choice === state ? 'chip on' : 'chip'}
            key=${choice}
            href=${withQuery({ state: choice, page: null })}
            aria-current=${choice === state ? 'true' : undefined}
          >
            ${choice === '' ? t('all') : t.dynamic('state_' + choice)}
          </a>
        `)}
        <a
          class=${near ? 'chip on' : 'chip'}
          id="near"
          href=${withQuery({ near: near ? null : '1', page: null })}
          aria-current=${near ? 'true' : undefined}
        >
          ${plans('near')}
        </a>
        <a
          class=${work ? 'chip on' : 'chip'}
          id="work"
          href=${withQuery({ work: work ? null : '1', page: null })}
          aria-current=${work ? 'true' : undefined}
        >
          ${t('work')}
        </a>
        ${plan && html`
          <a class="chip on" href=${withQuery({ plan: null, page: null })} aria-current="true">
            ${plans('plan')}: ${plan === '-' ? plans('noPlan') : plan} ${icon('x', 'mini')}
          </a>
        `}
      </nav>
      ${chosen.value && html`
        <${Selection} chosen=${chosen} rows=${data?.nodes ?? []} many=${many} can=${can} />
      `}
      ${problem && !data
        ? html`<${Failed} problem=${problem} retry=${reload} />`
        : !data
          ? html`<${Skeleton}>${skeletonRows(6)}<//>`
          : data.nodes.length === 0
            ? html`
                <${Empty}
                  icon="store"
                  title=${t(isFiltered ? 'noneFound' : 'noShops')}
                  text=${t(isFiltered ? 'noneFoundText' : 'noShopsText')}
                >
                  ${!isFiltered && button}
                <//>
              `
            : html`
                <p class="small quiet" role="status">
                  ${t('count', { count: data.meta.totalCount })}
                </p>
                <ul class="card list" id="shops">
                  ${data.nodes.map((/** @type {any} */ shop) => html`
                    <${Row} key=${shop.uid} shop=${shop} chosen=${chosen} />
                  `)}
                </ul>
                <${Pages} meta=${data.meta} label=${t('shops')} />
              `}
    </div>
    ${creating.value && html`
      <${Create}
        close=${() => {
          creating.value = false
        }}
        done=${(/** @type {any} */ link) => {
          creating.value = false
          created.value = link
          changed()
        }}
      />
    `}
    ${created.value && html`
      <${NewLink}
        name=${created.value.owner.name}
        link=${created.value.link}
        address=${created.value.uid}
        close=${() => {
          created.value = null
        }}
      />
    `}
  `
}

/** @param {{ shop: any, chosen: { value: string[] | null } }} props */
function Row({ shop, chosen }) {
  const inside = html`
    <span class="grow">
      <b lang=${langOf(inLanguage(shop.name))}>${inLanguage(shop.name)}</b>
      <br />
      <span class="small quiet">
        ${[
          shop.domains[0] ?? shop.uid,
          shop.plan,
          t('weekOrders', { count: shop.orders }),
          size(shop.bytes),
          ago(shop.lastWriteAt),
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </span>
    ${shop.planPercent > 0 && html`
      <span class="status-pill ${shop.planPercent === 100 ? 'bad' : 'wait'}">
        ${plans(shop.planPercent === 100 ? 'full' : 'near')}
      </span>
    `}
    ${shop.certificate?.state === 'failed' && html`
      <span class="status-pill bad">${t('certificateFailed')}</span>
    `}
    ${shop.findings > 0 && html`<span class="status-pill wait">${t('work')}</span>`}
    ${shop.state !== 'open' && stateOf(shop.state)}
  `
  if (!chosen.value)
    return html`
      <li>
        <a class="fold" href=${to('shop', shop.uid)} data-shop=${shop.uid}>
          ${inside}
          ${icon('chevron-right', 'mini')}
        </a>
      </li>
    `
  const on = chosen.value.includes(shop.uid)
  return html`
    <li>
      <label class=${on ? 'fold selected' : 'fold'} data-pick=${shop.uid}>
        <span class=${on ? 'tick on' : 'tick'}>${icon('check', 'large')}</span>
        <input
          class="visually-hidden"
          type="checkbox"
          checked=${on}
          aria-label=${inLanguage(shop.name)}
          onChange=${() => {
            const others = chosen.value?.filter((uid) => uid !== shop.uid) ?? []
            chosen.value = on ? others : [...others, shop.uid]
          }}
        />
        ${inside}
      </label>
    </li>
  `
}

/**
 * The shops that are selected, and what can be done with them.
 * @param {{ chosen: { value: string[] | null }, rows: any[], many: { value: '' | 'suspend' |
 *   'resume' | 'plan' }, can: (permission: string) => boolean }} props
 */
function Selection({ chosen, rows, many, can }) {
  const uids = chosen.value ?? []
  const end = () => {
    many.value = ''
    chosen.value = null
  }
  const cannot = uids.length === 0 || uids.length > most
  const action = (/** @type {'suspend' | 'resume' | 'plan'} */ kind) => html`
    <button
      class="button"
      id=${kind + '-many'}
      disabled=${cannot}
      onClick=${() => {
        many.value = kind
      }}
    >
      ${kind === 'plan' ? plans('plan') : t.dynamic(kind)}
    </button>
  `
  return html`
    <div class="card section row console-actions console-bar" id="selection">
      <b class="grow" role="status">
        ${uids.length > most ? t('tooMany', { most }) : t('selected', { count: uids.length })}
      </b>
      <button
        class="button"
        id="select-page"
        onClick=${() => {
          chosen.value = [...new Set([...uids, ...rows.map((row) => row.uid)])]
        }}
      >
        ${t('selectPage')}
      </button>
      ${action('suspend')}
      ${action('resume')}
      ${can('plans.write') && action('plan')}
      <button class="button" id="select-end" onClick=${end}>${t('cancel')}</button>
    </div>
    ${many.value && html`
      <${Many}
        key=${many.value}
        action=${many.value}
        uids=${uids}
        close=${() => {
          many.value = ''
        }}
        end=${end}
      />
    `}
  `
}

/** @param {{ close: () => void, done: (created: any) => void }} props */
function Create({ close, done }) {
  const fields = ['name', 'uid', 'currency', 'country', 'ownerName', 'ownerUser', 'like']
  const withCatalogue = useSignal(false)
  const { form, errors, busy, onSubmit } = useForm(fields, async (values) => {
    try {
      done(
        await act('shops', {
          uid: values.uid,
          name: values.name,
          currency: values.currency.toUpperCase(),
          country: values.country.toUpperCase(),
          language: language.value,
          owner: { name: values.ownerName, user: values.ownerUser },
          like: values.like || undefined,
          withCatalogue: (values.like && withCatalogue.value) || undefined,
        }),
      )
    } catch (/** @type {any} */ error) {
      for (const fault of error.errors ?? []) {
        if (fault.field === 'owner.name') fault.field = 'ownerName'
        else if (/^(owner\.user|email|phoneNumber)$/.test(fault.field)) fault.field = 'ownerUser'
      }
      throw refusedShop(error)
    }
  })
  const field = (
    /** @type {string} */ name,
    /** @type {string} */ label,
    /** @type {any} */ rest,
  ) => html`
    <${Field} name=${name} label=${label} errors=${errors.value} autocomplete="off" ...${rest} />
  `
  return html`
    <${Dialog} title=${t('create')} text=${t('createText')} close=${close} id="create-shop">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        ${field('name', t('name'), { autofocus: true })}
        ${field('uid', t('uid'), { hint: t('uidHint'), autocapitalize: 'none', spellcheck: false })}
        ${field('currency', t('currency'), { value: 'BDT' })}
        ${field('country', t('country'), { value: 'BD' })}
        ${field('ownerName', t('ownerName'), {})}
        ${field('ownerUser', t('ownerUser'), { autocapitalize: 'none' })}
        ${field('like', t('like'), { hint: t('likeHint'), autocapitalize: 'none' })}
        <label class="row">
          <input
            type="checkbox"
            class="checkbox"
            id="withCatalogue"
            onChange=${(/** @type {any} */ { target }) => {
              withCatalogue.value = target.checked
            }}
          />
          ${t('withCatalogue')}
        </label>
        <${Submit} busy=${busy.value}>${t('create')}<//>
      </form>
    <//>
  `
}

/** @param {{ uid: string, can: (permission: string) => boolean }} props */
export function ShopView({ uid, can }) {
  const path = 'shops/' + encodeURIComponent(uid)
  const { data: shop, problem, reload } = useGet(path)
  const dialog = useSignal(/** @type {'' | 'enter' | 'suspend' | 'owner' | 'plan'} */ (''))
  const link = useSignal(/** @type {any} */ (null))
  if (problem && !shop) return html`<${Failed} problem=${problem} retry=${reload} />`
  if (!shop) return html`<${Skeleton}>${skeletonRows(3)}<//>`
  const close = () => {
    dialog.value = ''
  }
  const button = (
    /** @type {'enter' | 'suspend' | 'owner' | 'plan'} */ kind,
    /** @type {string} */ text,
    look = '',
  ) => html`
    <button
      class="button ${look}"
      id=${kind}
      onClick=${() => {
        dialog.value = kind
      }}
    >
      ${text}
    </button>
  `
  const certificate = (/** @type {any} */ { state, expiresAt }, /** @type {number} */ i) =>
    t.dynamic('certificate_' + state, {
      name: shop.domains[i],
      day: expiresAt && dateTime(expiresAt),
    })
  /** @type {[string, any][]} */
  const facts = [
    [t('uid'), shop.uid],
    [t('domains'), shop.domains.join(', ') || t('none')],
    [t('certificates'), shop.certificates.map(certificate).join(', ') || t('none')],
    [t('orders'), number(shop.orders)],
    [t('lastWrite'), ago(shop.lastWriteAt)],
    [t('backup'), shop.backupAt ? ago(shop.backupAt) : t('noBackup')],
    [t('size'), size(shop.bytes) || t('none')],
    [t('place'), t.dynamic('place_' + shop.place)],
    [t('mode'), t.dynamic('mode_' + shop.mode)],
    [plans('plan'), shop.plan ?? plans('noPlan')],
    [
      t('owners'),
      shop.owners.map((/** @type {any} */ owner) => `${owner.name} (${owner.user})`).join(', ') ||
        t('none'),
    ],
  ]
  return html`
    <div class="stack">
      <div class="head first row spread">
        <h1 tabindex="-1" lang=${langOf(inLanguage(shop.name))}>${inLanguage(shop.name)}</h1>
        ${stateOf(shop.state)}
      </div>
      ${(shop.suspension || shop.problem) && html`
        <p class="banner bad rounded" id="why">
          ${icon('circle-alert')}
          <span>
            ${shop.problem ?? shop.suspension.reason}
            ${shop.deleteAt && html`
              ${' '}
              <b id="delete-at">${t('willBeDeleted', { time: dateTime(shop.deleteAt) })}</b>
            `}
          </span>
        </p>
      `}
      ${shop.visits.map((/** @type {any} */ visit) => html`
        <p class="banner info rounded" key=${visit._id}>
          ${icon('info')}
          <span>
            ${t('inShop')}: ${t('visit', {
              name: visit.operator,
              time: clock(visit.expiresAt),
              reason: visit.reason,
            })}
          </span>
        </p>
      `)}
      <dl class="card section console-facts">
        ${facts.map(([label, value]) => html`
          <div key=${label}>
            <dt class="small quiet">${label}</dt>
            <dd>${value}</dd>
          </div>
        `)}
      </dl>
      ${shop.summary.health.length > 0 && html`
        <section class="card list" id="health">
          <div class="section">
            <h2>${t('work')}</h2>
          </div>
          ${shop.summary.health.map((/** @type {any} */ finding) => html`
            <div class="section row" key=${finding.code}>
              <span class="tone-warn">${icon('triangle-alert')}</span>
              <span class="grow">
                ${home.dynamic('finding_' + finding.code, { count: finding.count })}
              </span>
            </div>
          `)}
        </section>
      `}
      ${shop.planUse.uses.length > 0 && html`<${Uses} uses=${shop.planUse.uses} />`}
      <div class="row console-actions">
        ${can('shops.enter') && button('enter', t('enter'), 'primary')}
        ${can('shops.enter') && button('owner', t('ownerLink'))}
        ${can('plans.write') && button('plan', plans('changePlan'))}
        ${can('shops.write') &&
          (shop.suspension
            ? html`
                <button
                  class="button"
                  id="resume"
                  onClick=${async () => {
                    await act(path + '/resume')
                    showToast(t('resumed'))
                    changed()
                  }}
                >
                  ${t('resume')}
                </button>
              `
            : button('suspend', t('suspend')))}
      </div>
      <${Later} load=${loadWork} shop=${shop} path=${path} can=${can} />
    </div>
    ${dialog.value === 'enter' && html`
      <${Reason}
        title=${t('enter')}
        text=${t('enterText')}
        close=${close}
        run=${async (/** @type {string} */ reason) => {
          await act(path + '/visits', { reason })
          location.hash = `#/${encodeURIComponent(uid)}/home`
          location.reload()
        }}
      />
    `}
    ${dialog.value === 'suspend' && html`
      <${Reason}
        title=${t('suspend')}
        text=${t('suspendText')}
        close=${close}
        run=${async (/** @type {string} */ reason) => {
          await act(path + '/suspend', { reason })
          close()
          changed()
        }}
      />
    `}
    ${dialog.value === 'plan' && html`
      <${AssignPlan} uid=${uid} plan=${shop.plan} close=${close} />
    `}
    ${dialog.value === 'owner' && html`
      <${OwnerLink}
        path=${path}
        close=${close}
        done=${(/** @type {any} */ created) => {
          close()
          link.value = created
        }}
      />
    `}
    ${link.value && html`
      <${NewLink}
        name=${link.value.owner.name}
        link=${link.value.link}
        address=${uid}
        close=${() => {
          link.value = null
          changed()
        }}
      />
    `}
  `
}

/**
 * @param {{ title: string, text: string, close: () => void, run: (reason: string) => Promise<void>
 *   }} props
 */
function Reason({ title, text, close, run }) {
  const { form, errors, busy, onSubmit } = useForm(['reason'], ({ reason }) => run(reason))
  return html`
    <${Dialog} title=${title} text=${text} close=${close} id="reason-dialog">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="reason"
          label=${t('reason')}
          errors=${errors.value}
          autocomplete="off"
          maxlength="200"
          autofocus
        />
        <${Submit} busy=${busy.value}>${title}<//>
      </form>
    <//>
  `
}

/** @param {{ path: string, close: () => void, done: (created: any) => void }} props */
function OwnerLink({ path, close, done }) {
  const { form, errors, busy, onSubmit } = useForm(['name', 'user'], async ({ name, user }) => {
    done(await act(path + '/owner-link', { name, user }))
  })
  return html`
    <${Dialog} title=${t('ownerLink')} text=${t('ownerLinkText')} close=${close} id="owner-link">
      <form ref=${form} onSubmit=${onSubmit} class="stack" novalidate>
        ${formError(errors.value)}
        <${Field}
          name="name"
          label=${t('ownerName')}
          errors=${errors.value}
          autocomplete="off"
          autofocus
        />
        <${Field}
          name="user"
          label=${t('ownerUser')}
          errors=${errors.value}
          autocomplete="off"
          autocapitalize="none"
        />
        <${Submit} busy=${busy.value}>${t('createLink')}<//>
      </form>
    <//>
  `
}
