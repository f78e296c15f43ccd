import { texts } from '../i18n.js'

// Couriers and payment gateways. Names of settings are those of the couriers' panels.
export const t = texts({
  couriersText: [
    'Connected couriers are booked from an order, and report where the shipment is.',
    'যুক্ত কুরিয়ারে অর্ডার থেকেই বুক করা যায়, পার্সেল কোথায় তা-ও জানা যায়।',
  ],
  paymentsText: [
    'Cash on delivery always works. With a gateway buyers also pay online.',
    'ক্যাশ অন ডেলিভারি সব সময় চলে। গেটওয়ে থাকলে ক্রেতা অনলাইনেও দাম দিতে পারেন।',
  ],
  practiceCourier: [
    'Without a test account you practise: a booking reaches nobody and is “delivered” in a minute. “Update from the courier” shows it.',
    'টেস্ট অ্যাকাউন্ট ছাড়া এটি অনুশীলন: বুকিং কারও কাছে যায় না, এক মিনিটে “পৌঁছে” যায়। “কুরিয়ারের কাছ থেকে জানুন” চাপলে দেখা যাবে।',
  ],
  practiceGateway: [
    'Without a test account you practise: a payment “succeeds” at once, and no money moves.',
    'টেস্ট অ্যাকাউন্ট ছাড়া এটি অনুশীলন: পেমেন্ট সঙ্গে সঙ্গে “সফল” হয়, কোনো টাকা যায় না।',
  ],
  practise: ['No account yet? Practise with test orders first:', 'অ্যাকাউন্ট নেই? আগে অনুশীলন করুন:'],
  toMode: ['Sandbox', 'স্যান্ডবক্স'],
  sandboxAccount: [
    'The shop is in sandbox mode: enter the test account.',
    'দোকান স্যান্ডবক্সে আছে: পরীক্ষামূলক অ্যাকাউন্টের তথ্য দিন।',
  ],
  account: ['Your account', 'আপনার অ্যাকাউন্ট'],
  about_courier_a: [
    'Client ID and client secret are in Pathao’s merchant panel under Developers API. Use the user name and password of the panel.',
    'Client ID ও Client Secret পাঠাও মার্চেন্ট প্যানেলের Developers API পাতায় আছে। ইউজার নাম ও পাসওয়ার্ড ওই প্যানেলেরই।',
  ],
  about_courier_b: [
    'Both keys are in Steadfast’s panel on the page API.',
    'দুটি কী-ই স্টেডফাস্ট প্যানেলের API পাতায় আছে।',
  ],
  about_gateway_a: [
    'SSLCommerz sends both when it opens your store.',
    'স্টোর চালু করার সময় এসএসএলকমার্জ দুটিই পাঠায়।',
  ],
  about_gateway_b: [
    'bKash sends all four when it opens your merchant account.',
    'মার্চেন্ট অ্যাকাউন্ট চালু করার সময় বিকাশ চারটিই পাঠায়।',
  ],
  address: ['The address for its updates', 'আপডেট পাঠানোর ঠিকানা'],
  addressText: [
    'Copy it into the webhook field of {name}’s panel.',
    'এটি {name} প্যানেলের ওয়েবহুক ঘরে বসান।',
  ],
  gatewayAddress: ['The address for its notifications', 'নোটিফিকেশনের ঠিকানা'],
  gatewayAddressText: [
    'Copy it into {name}’s panel if it has a field for it.',
    '{name} প্যানেলে চাইলে এটি বসান।',
  ],
  secret: ['A shared secret', 'গোপন কোড'],
  secretText: [
    'The same one here and in {name}’s panel: it proves who sends updates.',
    'এখানে ও {name} প্যানেলে একই কোড দিন: আপডেট কে পাঠায় তা এতে বোঝা যায়।',
  ],
  createSecret: ['Create one', 'নতুন কোড বানান'],
  copySecret: [
    'Copy it into the panel, then save here. It is not shown again.',
    'প্যানেলে বসিয়ে এখানে সেভ করুন। এটি আর দেখা যাবে না।',
  ],
  handshake: ['The courier’s first message', 'কুরিয়ারের প্রথম বার্তা'],
  waiting: [
    'Waiting. Save the panel of the courier; it arrives here by itself.',
    'অপেক্ষা চলছে। কুরিয়ারের প্যানেলে সেভ করলে নিজেই আসবে।',
  ],
  arrived: ['The last message arrived {time}.', 'সর্বশেষ বার্তা এসেছে {time}।'],
  refused: [
    'At {time} a message had another secret. Compare both.',
    '{time} টায় অন্য কোডসহ বার্তা এসেছে। দুটি মিলিয়ে দেখুন।',
  ],
  rare: ['Rarely needed', 'খুব কম লাগে'],
  saveCheck: ['Save and check', 'সেভ ও যাচাই করুন'],
  isSet: ['Set. Leave it empty to keep it.', 'দেওয়া আছে। না বদলালে খালি রাখুন।'],
  readOnly: ['Only an owner can change this.', 'শুধু মালিক এটি বদলাতে পারেন।'],
  fails_webhook: ['Updates cannot be received yet', 'আপডেট এখনো নেওয়া যাবে না'],
  fails_booking: ['Shipments cannot be booked yet', 'পার্সেল এখনো বুক করা যাবে না'],
  fails_payment: ['Payments cannot be started yet', 'পেমেন্ট এখনো শুরু করা যাবে না'],
  missing: ['Missing: {list}', 'বাকি: {list}'],
  saved: ['Saved and checked.', 'সেভ ও যাচাই হয়েছে।'],
  savedButCheck: ['Saved, but not all of it works:', 'সেভ হয়েছে, তবে সব ঠিক নেই:'],
  check_webhook: ['Updates can be received', 'আপডেট নেওয়া যাবে'],
  check_booking: ['Shipments can be booked', 'পার্সেল বুক করা যাবে'],
  check_payment: ['Payments can be started', 'পেমেন্ট শুরু করা যাবে'],
})

/** @type {Record<string, [string, string]>} */
const labels = {
  field_webhook_secret: ['Webhook secret', 'ওয়েবহুক সিক্রেট'],
  field_webhook_token: ['Auth token', 'Auth Token'],
  field_client_id: ['Client ID', 'Client ID'],
  field_client_secret: ['Client secret', 'Client Secret'],
  field_username: ['User name', 'ইউজার নাম'],
  field_password: ['Password', 'পাসওয়ার্ড'],
  field_store_id: ['Store ID', 'স্টোর আইডি'],
  field_store_password: ['Store password', 'স্টোর পাসওয়ার্ড'],
  field_api_key: ['API key', 'API Key'],
  field_secret_key: ['Secret key', 'Secret Key'],
  field_app_key: ['App key', 'App Key'],
  field_app_secret: ['App secret', 'App Secret'],
  field_header_prefix: ['Prefix of header names', 'হেডার নামের শুরু'],
  field_integration_secret: ['Integration secret', 'ইন্টিগ্রেশন সিক্রেট'],
  hint_integration_secret: [
    'Only if it differs from the webhook secret.',
    'ওয়েবহুক সিক্রেট থেকে আলাদা হলে।',
  ],
  field_require_signature: ['Require signatures', 'স্বাক্ষর বাধ্যতামূলক'],
  hint_require_signature: ['true or false', 'true বা false'],
  field_cod_basis_points: ['Share of the collected cash', 'আদায় করা টাকার ভাগ'],
  hint_cod_basis_points: [
    'In hundredths of a per cent: 100 is 1 %.',
    'শতাংশের শত ভাগে: ১০০ মানে ১%।',
  ],
}

const named = texts(labels)

const of = (/** @type {string} */ key) => (Object.hasOwn(labels, key) ? named(key) : undefined)

/** Returns the name of a setting, undefined if it has none here. */
export const label = (/** @type {string} */ name) => of('field_' + name)

/** Returns what a setting needs to be, undefined if nothing is to be said. */
export const hint = (/** @type {string} */ name) => of('hint_' + name)
