import { signal } from '../html.js'
import { language, texts } from '../i18n.js'
import { t as common } from './common.js'
import { t as status } from './status.js'

// What the API refuses, by code. {message} is the API's own, in English, where it names what the
// code does not.
/** @type {Record<string, [string, string]>} */
const all = {
  network: [
    'The server could not be reached. Check the connection.',
    'সার্ভারে পৌঁছানো যায়নি। ইন্টারনেট সংযোগ দেখুন।',
  ],
  stopped: [
    'Stopped. It may have reached the server: check before you repeat it.',
    'থামানো হয়েছে। সার্ভারে পৌঁছে থাকতে পারে: আবার করার আগে দেখে নিন।',
  ],
  internal: [
    'The server has a problem. Try again in a moment.',
    'সার্ভারে সমস্যা হয়েছে। একটু পরে আবার চেষ্টা করুন।',
  ],
  unavailable: [
    'The server or a provider does not respond. Try again in a moment.',
    'সার্ভার বা সেবাদাতা সাড়া দিচ্ছে না। একটু পরে আবার চেষ্টা করুন।',
  ],
  rate_limited: ['Too many attempts. Wait a moment.', 'অনেকবার চেষ্টা হয়েছে। একটু অপেক্ষা করুন।'],
  too_large: ['{message}', 'যা পাঠানো হয়েছে তা খুব বড়। ({message})'],
  malformed: ['{message}', 'অনুরোধটি পড়া যায়নি। ({message})'],
  unsupported_media_type: ['{message}', 'এই ধরনের ফাইল নেওয়া হয় না। ({message})'],
  method_not_allowed: ['{message}', 'এটি এভাবে করা যায় না। ({message})'],

  unauthenticated: [
    'Your session has ended. Sign in again.',
    'আপনার সেশন শেষ হয়েছে। আবার সাইন ইন করুন।',
  ],
  forbidden: ['You have no permission for this.', 'এর জন্য আপনার অনুমতি নেই।'],
  proof_required: ['Enter your password to continue.', 'চালিয়ে যেতে পাসওয়ার্ড দিন।'],
  second_factor_required: [
    'Enter the code of your authenticator app.',
    'অথেনটিকেটর অ্যাপের কোড দিন।',
  ],
  second_factor_setup_required: ['Set up a second factor first.', 'আগে দ্বিতীয় ধাপ চালু করুন।'],
  invalid_credentials: ['User, password or code is wrong.', 'ইউজার, পাসওয়ার্ড বা কোড ভুল।'],
  otp_invalid: ['The code is wrong or has expired.', 'কোডটি ভুল বা মেয়াদ শেষ।'],
  password_rejected: [
    'Too short or too easy to guess. Four words are a good password.',
    'খুব ছোট, বা সহজে অনুমান করা যায়। চারটি শব্দ মিলে ভালো পাসওয়ার্ড হয়।',
  ],
  link_invalid: [
    'This link was used, has expired or is incomplete.',
    'লিংকটি ব্যবহৃত, মেয়াদোত্তীর্ণ বা অসম্পূর্ণ।',
  ],
  shop_exists: [
    'A shop exists here already. Its owner can invite you.',
    'এখানে দোকান আছেই। মালিক আপনাকে আমন্ত্রণ জানাতে পারেন।',
  ],
  https_required: [
    'The dashboard needs HTTPS. Open it with https://.',
    'ড্যাশবোর্ডের জন্য HTTPS দরকার। https:// দিয়ে খুলুন।',
  ],
  tenant_not_found: [
    'No shop has this name here. Check the address.',
    'এই নামে এখানে কোনো দোকান নেই। ঠিকানা দেখুন।',
  ],
  tenant_suspended: ['The shop is temporarily closed.', 'দোকানটি সাময়িকভাবে বন্ধ।'],

  not_found: ['This does not exist any more.', 'এটি আর নেই।'],
  changed_meanwhile: ['Somebody else has changed this.', 'এর মধ্যে অন্য কেউ এটি বদলেছেন।'],
  state_conflict: ['{message}', 'এখন এটি করা যায়নি। ({message})'],
  job_limit: [
    'Too many jobs are running. Try again when one has ended.',
    'অনেক কাজ একসঙ্গে চলছে। একটি শেষ হলে আবার চেষ্টা করুন।',
  ],
  idempotency_key_reused: [
    'Sent before with other values. Reload the page.',
    'এই অনুরোধ আগে অন্য তথ্য দিয়ে পাঠানো হয়েছে। পেজটি আবার খুলুন।',
  ],
  in_use: ['{message}', 'এটি ব্যবহার হচ্ছে। ({message})'],
  setting_locked: ['{message}', 'সার্ভারের অপারেটর সব দোকানের জন্য এটি ঠিক করে দেন। ({message})'],
  plan_limit: ['{message}', 'প্ল্যানের সীমা পূর্ণ। ({message})'],
  quota_reached: ['{message}', 'দোকানের সীমা পূর্ণ। ({message})'],
  image_invalid: ['{message}', 'ছবিটি নেওয়া যায়নি। ({message})'],

  validation_failed: ['{message}', 'কিছু তথ্য ঠিক নেই। ({message})'],
  required: ['Fill this in.', 'এটি পূরণ করুন।'],
  invalid_value: ['{message}', 'এটি ঠিক নেই। ({message})'],
  unknown_field: ['{message}', 'অজানা তথ্য পাঠানো হয়েছে। ({message})'],
  customer_exists: [
    'An account with this phone number or e-mail address exists.',
    'এই ফোন বা ই-মেইলে অ্যাকাউন্ট আছে।',
  ],
  sms_unavailable: [
    'Text messages cannot be sent now. Try again shortly.',
    'এখন SMS পাঠানো যাচ্ছে না। একটু পরে আবার চেষ্টা করুন।',
  ],
  email_unavailable: [
    'E-mail cannot be sent now. Try again shortly.',
    'এখন ই-মেইল পাঠানো যাচ্ছে না। একটু পরে আবার চেষ্টা করুন।',
  ],

  out_of_stock: ['{message}', 'কিছু পণ্য আর ততগুলো নেই। ({message})'],
  price_changed: [
    'Prices have changed. Check the new total.',
    'এর মধ্যে দাম বদলেছে। নতুন মোট দেখে নিন।',
  ],
  phone_required: ['An order needs a phone number.', 'অর্ডারের জন্য ফোন নম্বর দরকার।'],
  quantity_limit: ['{message}', 'একবারে এতগুলো অর্ডার করা যায় না। ({message})'],
  delivery_charge_required: [
    'Choose a delivery charge for the address.',
    'ঠিকানার জন্য ডেলিভারি চার্জ বেছে নিন।',
  ],
  payment_method_unavailable: [
    'This order cannot be paid in this way. Choose another.',
    'এই অর্ডারে এভাবে দাম দেওয়া যায় না। অন্যটি বেছে নিন।',
  ],
  not_cancellable: ['{message}', 'অর্ডারটি আর বাতিল করা যায় না। ({message})'],
  not_payable: ['{message}', 'এই অর্ডারে আর দাম দেওয়া যায় না। ({message})'],

  coupon_not_found: ['No coupon has this code.', 'এই নামে কোনো কুপন নেই।'],
  coupon_inactive: ['The coupon is not active.', 'কুপনটি এখন বন্ধ।'],
  coupon_not_started: ['The coupon is not valid yet.', 'কুপনটি এখনো চালু হয়নি।'],
  coupon_expired: ['The coupon has expired.', 'কুপনটির মেয়াদ শেষ।'],
  coupon_usage_limit: ['The coupon has been used up.', 'কুপনটি শেষ হয়ে গেছে।'],
  coupon_customer_limit: [
    'This buyer has already used the coupon.',
    'এই ক্রেতা কুপনটি আগেই ব্যবহার করেছেন।',
  ],
  coupon_min_subtotal: ['{message}', 'কুপনটির জন্য আরও পণ্য লাগবে। ({message})'],
  coupon_not_applicable: ['The coupon is for other products.', 'কুপনটি অন্য পণ্যের জন্য।'],
  coupon_requires_login: [
    'The coupon is only for buyers who are signed in.',
    'কুপনটি শুধু সাইন ইন করা ক্রেতার জন্য।',
  ],
}

const t = texts(all)

/** Finds the Bangla of a refusal. null: not loaded. */
const refusals = signal(/** @type {((message: string) => string) | null} */ (null))

/** Loads what the refusals say in Bangla, which only its readers need, and only for the first. */
export const loadRefusals = async () => {
  if (language.value === 'bn' && !refusals.value)
    await import('../strings/refusal.js').then(
      ({ bangla }) => {
        refusals.value = bangla
      },
      () => {}, // the English remains
    )
}

function inBangla(/** @type {string} */ message) {
  if (language.value !== 'bn') return ''
  loadRefusals()
  return refusals.value?.(message)
}

/**
 * Returns the text of a problem: of a provider by what happened, otherwise by its code, or the
 * API's for a code that this page does not know.
 */
export const explain = (
  /** @type {{ code: string, message: string, details?: Record<string, any> }} */ {
    code,
    message,
    details,
  },
) =>
  details?.words
    ? common(details.reached ? 'text_refused' : 'text_unreached', {
        name: status.dynamic(details.provider),
      })
    : Object.hasOwn(all, code)
      ? (all[code][0] === '{message}' && inBangla(message)) || t(code, { message })
      : message

/** Returns why an action on an order is not possible now, '' if it is. */
export const reason = (
  /** @type {{ code: string | null, message: string | null }} */ { code, message },
) => (code === null ? '' : explain({ code, message: message ?? '' }))
