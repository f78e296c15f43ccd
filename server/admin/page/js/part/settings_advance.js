// When buyers of cash orders pay in advance, and the wallets that they send it to.

import { html, useSignal } from '../html.js'
import { Problem } from '../api.js'
import { digits, langOf, majorUnits, name, plainDigits, signOf, typedAmount } from '../i18n.js'
import { session } from '../session.js'
import { t } from '../strings/advance.js'
import { Field } from './form.js'
import { icon } from './icon.js'
import { Choice, SettingCard } from './setting_card.js'
import { word } from './status.js'

/** @typedef {import('./setting_card.js').Loaded} Loaded */
/** @typedef {import('../api.js').Schemas['RecordLevel']} Level */
/**
 * @typedef {{ deliveryChargeIds: string[], minTotal: string, records: Level[], share: string,
 *   percent: string, maxDelivered: string }} Rule
 */
/** @typedef {{ _id: string, method: string, kind: string, number: string, note: string }} Wallet */
/** @typedef {{ rules: Rule[], wallets: Wallet[] }} Draft */

const currency = () => session.value?.shop.currency ?? ''
const shares = ['delivery', 'percent', 'total']
const methods = ['bkash', 'nagad', 'rocket', 'upay', 'bank']

/** @type {Record<string, Level[]>} */
const records = {
  all: [],
  new: ['new'],
  risky: ['watch', 'bad'],
  unproven: ['new', 'watch', 'bad'],
}
const recordsOf = (/** @type {Level[]} */ levels) =>
  Object.keys(records).find((key) => records[key].join() === levels.join())

/** @type {Rule} */
const newRule = {
  deliveryChargeIds: [],
  minTotal: '',
  records: [],
  share: 'delivery',
  percent: '',
  maxDelivered: '',
}
/** @type {Wallet} */
const newWallet = { _id: '', method: 'bkash', kind: 'personal', number: '', note: '' }

/** @returns {Draft} */
const draftOf = (/** @type {any} */ { advance }) => ({
  rules: (advance.rules ?? []).map((/** @type {any} */ rule) => ({
    ...rule,
    minTotal:
      rule.minTotal > 0
        ? majorUnits({ amount: rule.minTotal, currency: currency(), formatted: '' })
        : '',
    percent: rule.percent > 0 ? String(rule.percent) : '',
    maxDelivered: rule.maxDelivered > 0 ? String(rule.maxDelivered) : '',
  })),
  wallets: advance.wallets ?? [],
})

/** Returns the body of the request. It throws a Problem if an amount or a percentage is none. */
function bodyOf(/** @type {Draft} */ { rules, wallets }) {
  /** @type {import('../api.js').FieldError[]} */
  const errors = []
  const sent = rules.map(({ minTotal, percent, maxDelivered, ...rest }, i) => {
    const amount = typedAmount(minTotal, currency())
    if (Number.isNaN(amount)) {
      const message = t('noAmount', { text: minTotal })
      errors.push({ field: `advance.rules[${i}].minTotal`, code: 'amount', message })
    }
    const percentage = (/** @type {string} */ text, /** @type {string} */ field) => {
      const part = Number(plainDigits(text.trim()))
      if (!Number.isInteger(part) || part < 1 || part > 100)
        errors.push({
          field: `advance.rules[${i}].${field}`,
          code: 'amount',
          message: t('noPercent'),
        })
      return part
    }
    return {
      ...rest,
      minTotal: amount ?? 0,
      percent: rest.share === 'percent' ? percentage(percent, 'percent') : 0,
      maxDelivered: maxDelivered.trim() ? percentage(maxDelivered, 'maxDelivered') : 0,
    }
  })
  if (errors.length > 0) throw new Problem(422, { errors })
  const own = wallets.map(({ _id, ...wallet }) => ({ ...wallet, ...(_id && { _id }) }))
  return { advance: { rules: sent, wallets: own } }
}

const shareOf = (/** @type {Rule} */ { share, percent }) =>
  share === 'percent' ? `${digits(percent)}%` : t.dynamic('share_' + share)

/** @returns {[string, string][]} */
const lines = (/** @type {Draft} */ { rules, wallets }) => [
  .../** @type {[string, string][]} */ (
    rules.map((rule, i) => [t('rule', { n: i + 1 }), shareOf(rule)])
  ),
  .../** @type {[string, string][]} */ (
    wallets.map((wallet) => [word('by_' + wallet.method), wallet.number])
  ),
]

export const summary = (/** @type {any} */ { advance }) =>
  t('summary', { rules: advance.rules?.length ?? 0, wallets: advance.wallets?.length ?? 0 })

const fields = Array.from({ length: 10 }, (_, i) => [
  ...['minTotal', 'percent', 'maxDelivered', 'share', 'deliveryChargeIds[0]', 'records'].map(
    (field) => `advance.rules[${i}].${field}`,
  ),
  ...['number', 'note', 'kind', 'method', '_id'].map((field) => `advance.wallets[${i}].${field}`),
]).flat()

/** @param {{ loaded: Loaded, reload: () => Promise<Loaded> }} props */
export function Advance(props) {
  const removed = useSignal(0) // so far; a field that stayed would keep the text of another one
  return html`
    <${SettingCard}
      ...${props}
      id="set-advance"
      title=${t('title')}
      text=${t('titleText')}
      fields=${fields}
      draftOf=${draftOf}
      bodyOf=${bodyOf}
      lines=${lines}
      form=${(
        /** @type {Draft} */ d,
        /** @type {(to: Partial<Draft>) => void} */ change,
        /** @type {Record<string, string>} */ errors,
      ) => html`
        <p class="hint row">${icon('info')}${t('law')}</p>
        ${d.rules.length === 0 && html`<p>${t('noRules')}</p>`}
        ${d.rules.map((rule, i) => html`
          <${RuleForm}
            key=${removed.value + '-' + i}
            at=${i}
            rule=${rule}
            charges=${props.loaded.settings.deliveryCharges}
            looksUpBuyers=${props.loaded.settings.courierRecords || rule.maxDelivered !== ''}
            errors=${errors}
            change=${(/** @type {Partial<Rule>} */ to) =>
              change({ rules: d.rules.map((one, j) => (j === i ? { ...one, ...to } : one)) })}
            remove=${() => {
              removed.value++
              change({ rules: d.rules.filter((_, j) => j !== i) })
            }}
          />
        `)}
        ${d.rules.length < 10 && html`
          <button
            type="button"
            class="button"
            id="add-rule"
            onClick=${() => change({ rules: [...d.rules, newRule] })}
          >
            ${icon('plus')}
            ${t('addRule')}
          </button>
        `}
        <h3>${t('wallets')}</h3>
        <p class="quiet small">${t('walletsText')}</p>
        ${d.wallets.length === 0 && html`<p>${t('noWallets')}</p>`}
        ${d.wallets.map((wallet, i) => html`
          <${WalletForm}
            key=${removed.value + '-' + i}
            at=${i}
            wallet=${wallet}
            errors=${errors}
            change=${(/** @type {Partial<Wallet>} */ to) =>
              change({ wallets: d.wallets.map((one, j) => (j === i ? { ...one, ...to } : one)) })}
            remove=${() => {
              removed.value++
              change({ wallets: d.wallets.filter((_, j) => j !== i) })
            }}
          />
        `)}
        ${d.wallets.length < 10 && html`
          <button
            type="button"
            class="button"
            id="add-wallet"
            onClick=${() => change({ wallets: [...d.wallets, newWallet] })}
          >
            ${icon('plus')}
            ${t('addWallet')}
          </button>
        `}
      `}
    />
  `
}

/**
 * @param {{ at: number, rule: Rule, charges: { _id: string, name: string }[], looksUpBuyers:
 *   boolean, errors: Record<string, string>, change: (to: Partial<Rule>) => void,
 *   remove: () => void }} props
 */
function RuleForm({ at, rule, charges, looksUpBuyers, errors, change, remove }) {
  const path = `advance.rules[${at}]`
  const own = recordsOf(rule.records)
  return html`
    <fieldset class="charge stack">
      <legend class="row spread wraps">
        <b>${t('rule', { n: at + 1 })}</b>
        <button type="button" class="button mini" onClick=${remove}>
          ${icon('trash', 'mini')}
          ${t('remove')}
        </button>
      </legend>
      <${Choice}
        id=${path + '.share'}
        label=${t('share')}
        value=${rule.share}
        choices=${shares.map((share) => [share, t.dynamic('share_' + share)])}
        onChange=${(/** @type {string} */ share) => change({ share })}
      />
      ${rule.share === 'percent' && html`
        <${Field}
          name=${path + '.percent'}
          label=${t('percent')}
          errors=${errors}
          value=${rule.percent}
          inputmode="numeric"
          autocomplete="off"
          onInput=${(/** @type {FieldEvent} */ event) => change({ percent: event.target.value })}
        />
      `}
      ${charges.length > 0 && html`
        <div class="field" role="group" aria-label=${t('areas')}>
          <span class="label">${t('areas')}</span>
          <div class="row wraps">
            ${charges.map(({ _id, name: charge }) => html`
              <label class="chip">
                <input
                  type="checkbox"
                  checked=${rule.deliveryChargeIds.includes(_id)}
                  onChange=${(/** @type {FieldEvent} */ event) =>
                    change({
                      deliveryChargeIds: event.target.checked
                        ? [...rule.deliveryChargeIds, _id]
                        : rule.deliveryChargeIds.filter((id) => id !== _id),
                    })}
                />
                <span lang=${langOf(name(charge))}>${name(charge)}</span>
              </label>
            `)}
          </div>
        </div>
      `}
      <${Field}
        name=${path + '.minTotal'}
        label=${t('minTotal')}
        hint=${t('minTotalHint')}
        errors=${errors}
        value=${rule.minTotal}
        prefix=${signOf(currency())}
        inputmode="decimal"
        autocomplete="off"
        onInput=${(/** @type {FieldEvent} */ event) => change({ minTotal: event.target.value })}
      />
      <${Choice}
        id=${path + '.records'}
        label=${t('records')}
        value=${own ?? 'own'}
        choices=${[
          ...Object.keys(records).map((key) => [key, t.dynamic('records_' + key)]),
          ...(own ? [] : [['own', rule.records.join(', ')]]),
        ]}
        onChange=${(/** @type {string} */ key) => change({ records: records[key] ?? rule.records })}
      />
      ${looksUpBuyers && html`
        <${Field}
          name=${path + '.maxDelivered'}
          label=${t('maxDelivered')}
          hint=${t('maxDeliveredHint')}
          errors=${errors}
          value=${rule.maxDelivered}
          inputmode="numeric"
          autocomplete="off"
          onInput=${(/** @type {FieldEvent} */ event) =>
            change({ maxDelivered: event.target.value })}
        />
      `}
    </fieldset>
  `
}

/**
 * @param {{ at: number, wallet: Wallet, errors: Record<string, string>, change: (to:
 *   Partial<Wallet>) => void, remove: () => void }} props
 */
function WalletForm({ at, wallet, errors, change, remove }) {
  const path = `advance.wallets[${at}]`
  return html`
    <fieldset class="charge stack">
      <legend class="row spread wraps">
        <b>${wallet.number || t('newWallet')}</b>
        <button type="button" class="button mini" onClick=${remove}>
          ${icon('trash', 'mini')}
          ${t('remove')}
        </button>
      </legend>
      <${Choice}
        id=${path + '.method'}
        label=${t('method')}
        value=${wallet.method}
        choices=${methods.map((method) => [method, word('by_' + method)])}
        onChange=${(/** @type {string} */ method) => change({ method })}
      />
      ${wallet.method !== 'bank' && html`
        <${Choice}
          id=${path + '.kind'}
          label=${t('kind')}
          value=${wallet.kind}
          choices=${['personal', 'merchant'].map((kind) => [kind, t.dynamic('kind_' + kind)])}
          onChange=${(/** @type {string} */ kind) => change({ kind })}
        />
      `}
      <${Field}
        name=${path + '.number'}
        label=${t('number')}
        errors=${errors}
        value=${wallet.number}
        maxlength="40"
        autocomplete="off"
        onInput=${(/** @type {FieldEvent} */ event) => change({ number: event.target.value })}
      />
      <${Field}
        name=${path + '.note'}
        label=${t('note')}
        hint=${t('noteHint')}
        errors=${errors}
        value=${wallet.note}
        maxlength="200"
        autocomplete="off"
        onInput=${(/** @type {FieldEvent} */ event) => change({ note: event.target.value })}
      />
    </fieldset>
  `
}
