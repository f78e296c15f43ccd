// What the API refuses, in Bangla. {0}, {1} are what it names, and … is anything; a status among
// them is put into words.

import { digits } from '../i18n.js'
import { t as status } from './status.js'

/** @type {Record<string, [string, string]>} */
const all = {
  reason_1: ['The order is already confirmed.', 'অর্ডারটি আগেই নিশ্চিত করা হয়েছে।'],
  reason_2: ['The order is already cancelled.', 'অর্ডারটি আগেই বাতিল হয়েছে।'],
  reason_3: ['The order is completed.', 'অর্ডারটি সম্পন্ন হয়ে গেছে।'],
  reason_4: ['The order has expired.', 'অর্ডারটির মেয়াদ শেষ।'],
  reason_5: ['The order was returned.', 'অর্ডারটি ফেরত এসেছে।'],
  reason_6: ['The order was delivered.', 'অর্ডারটি পৌঁছে গেছে।'],
  reason_7: ['The order was shipped.', 'অর্ডারটি পাঠানো হয়ে গেছে।'],
  reason_8: ['The shipment has already been picked up.', 'কুরিয়ার পার্সেলটি নিয়ে গেছে।'],
  reason_9: [
    'The order awaits its online payment, which will confirm it.',
    'অর্ডারটি অনলাইন পেমেন্টের অপেক্ষায়: পেমেন্ট হলেই নিশ্চিত হবে।',
  ],
  reason_10: [
    'The address is too short for couriers: check it first.',
    'কুরিয়ারের জন্য ঠিকানাটি খুব ছোট: আগে দেখে নিন।',
  ],
  reason_11: [
    'The order is not confirmed: confirm it first.',
    'অর্ডারটি নিশ্চিত নয়: আগে নিশ্চিত করুন।',
  ],
  reason_12: ['The order is {0}: it was not shipped.', 'অর্ডারটি এখন “{0}”: পাঠানো হয়নি।'],
  reason_13: [
    'The order is {0}: its stock was released.',
    'অর্ডারটি এখন “{0}”: পণ্য স্টকে ফিরে গেছে।',
  ],
  reason_14: [
    'The order is {0}: its credits cannot be removed.',
    'অর্ডারটি এখন “{0}”: ছাড় সরানো যায় না।',
  ],
  reason_15: [
    'The order is {0}: its items can be changed while it is pending or confirmed.',
    'অর্ডারটি এখন “{0}”: পাঠানোর আগে পর্যন্তই পণ্য বদলানো যায়।',
  ],
  reason_16: ['The order is {0}.', 'অর্ডারটি এখন “{0}”।'],
  reason_17: [
    'The order is {0} and cannot become {1}.',
    'অর্ডারটি এখন “{0}”, তাই “{1}” করা যায় না।',
  ],
  reason_18: [
    'The payment is {0} and cannot become {1}.',
    'পেমেন্ট এখন “{0}”, তাই “{1}” করা যায় না।',
  ],
  reason_19: [
    'The delivery is {0} and cannot become {1}.',
    'ডেলিভারি এখন “{0}”, তাই “{1}” করা যায় না।',
  ],
  reason_20: [
    'The shipment is {0} and cannot become {1}.',
    'পার্সেল এখন “{0}”, তাই “{1}” করা যায় না।',
  ],
  reason_21: [
    'The payment attempt is {0} and cannot become {1}.',
    'পেমেন্টটি এখন “{0}”, তাই “{1}” করা যায় না।',
  ],
  reason_22: [
    'The order is paid online: advances are for cash orders.',
    'দাম অনলাইনে দেওয়া: আগাম শুধু ক্যাশ অন ডেলিভারির জন্য।',
  ],
  reason_23: [
    'The order is paid online: its items cannot be changed.',
    'দাম অনলাইনে দেওয়া: পণ্য বদলানো যায় না।',
  ],
  reason_24: [
    'The order was paid online: refund its payment attempts instead.',
    'দাম অনলাইনে দেওয়া: পেমেন্ট থেকে ফেরত দিন।',
  ],
  reason_25: [
    'The payment of the order is {0}: its items cannot be changed.',
    'অর্ডারের পেমেন্ট “{0}”: পণ্য বদলানো যায় না।',
  ],
  reason_26: [
    'The payment of the order is {0}: no refund is due.',
    'অর্ডারের পেমেন্ট “{0}”: ফেরত দেওয়ার কিছু নেই।',
  ],
  reason_27: [
    'The payment of the order is {0}: there is nothing to refund.',
    'অর্ডারের পেমেন্ট “{0}”: ফেরত দেওয়ার কিছু নেই।',
  ],
  reason_28: ['The payment of the order is {0}.', 'অর্ডারের পেমেন্ট “{0}”।'],
  reason_29: ['The payment was refunded.', 'টাকা আগেই ফেরত দেওয়া হয়েছে।'],
  reason_30: [
    'The payment is {0}. It must be {1} or {2}.',
    'পেমেন্ট “{0}”, হতে হবে “{1}” বা “{2}”।',
  ],
  reason_31: ['The payment is {0}. It must be {1}.', 'পেমেন্ট “{0}”, হতে হবে “{1}”।'],
  reason_32: [
    'The payment is not due for refund. Cancel or return its order first, or name the amount to refund.',
    'ফেরত দেওয়ার কিছু নেই। আগে অর্ডার বাতিল করুন বা ফেরত নিন, অথবা অঙ্কটি লিখুন।',
  ],
  reason_33: ['The refund is {0}.', 'ফেরতটি এখন “{0}”।'],
  reason_34: [
    'The refund is {0}: there is nothing to resolve.',
    'ফেরতটি এখন “{0}”: ঠিক করার কিছু নেই।',
  ],
  reason_35: [
    'A request for this refund was sent less than {0} minutes ago. Retry later.',
    'এই ফেরত {0} মিনিটের মধ্যেই পাঠানো হয়েছে। একটু পরে আবার চেষ্টা করুন।',
  ],
  reason_36: [
    'A refund of {0} was made at {1}. To refund the same amount once more, confirm the duplicate.',
    '{1} সময়ে {0} ফেরত দেওয়া হয়েছে। একই অঙ্ক আবার দিতে চাইলে তা নিশ্চিত করুন।',
  ],
  reason_37: [
    'At most {0} of the payment can still be refunded; {1} was refunded or is being refunded.',
    'এই পেমেন্টের আর সর্বোচ্চ {0} ফেরত দেওয়া যায়; {1} ফেরত দেওয়া হয়েছে বা পথে আছে।',
  ],
  reason_38: [
    'The result of refund … of {0} is open; …',
    '{0}-এর আগের ফেরতের ফল এখনো জানা নেই; আরেকবার দিলে ক্রেতা দুবার টাকা পেতে পারেন। অপেক্ষা করুন, বা ফলটি জানান।',
  ],
  reason_39: [
    'The buyer was refunded {0} for this credit, or it is on its way: the credit cannot be removed.',
    'এর জন্য ক্রেতাকে {0} ফেরত দেওয়া হয়েছে বা পথে আছে: তাই সরানো যায় না।',
  ],
  reason_40: [
    'The order is not delivered: units cannot be refunded alone.',
    'অর্ডারটি পৌঁছায়নি: আলাদা করে পণ্যের টাকা ফেরত দেওয়া যায় না।',
  ],
  reason_41: ['The order has no credits.', 'অর্ডারে সরানোর মতো ছাড় নেই।'],
  reason_42: [
    'The order already has {0} advances, the maximum.',
    'অর্ডারে {0}টি আগাম আছে, এর বেশি হয় না।',
  ],
  reason_43: [
    'The order has the maximum of {0} notes and calls. Delete old notes.',
    'অর্ডারে {0}টি নোট ও কল আছে, এর বেশি হয় না। পুরোনো নোট মুছুন।',
  ],
  reason_44: [
    'Calls cannot be deleted. Add a note about the mistake instead.',
    'কল মোছা যায় না। ভুল হলে একটি নোট লিখুন।',
  ],
  reason_45: [
    'A payment of the order is being processed. Try again in a minute.',
    'একটি পেমেন্ট চলছে। এক মিনিট পরে আবার চেষ্টা করুন।',
  ],
  reason_46: [
    'A shipment of this order is being booked with {0}. Try again in a minute.',
    '{0}-এ পার্সেল বুক হচ্ছে। এক মিনিট পরে আবার চেষ্টা করুন।',
  ],
  reason_47: [
    'The shipment is being booked, or a booking was requested a moment ago. Try again in a minute.',
    'পার্সেলটি বুক হচ্ছে। এক মিনিট পরে আবার চেষ্টা করুন।',
  ],
  reason_48: [
    'A shipment of this order is booked with {0}: cancel it first.',
    '{0}-এ পার্সেল বুক করা আছে: আগে সেটি বাতিল করুন।',
  ],
  reason_49: [
    'A shipment of this order is already under way with {0} ({1}). If it was deleted in the courier…s panel, cancel it first.',
    '{0}-এ ({1}) একটি পার্সেল আছে। কুরিয়ারের প্যানেলে মুছে থাকলে আগে বাতিল করুন।',
  ],
  reason_50: [
    'It is unknown whether {0} has a shipment of this order. Book with … again to look it up, or search for {1} in its panel. …',
    '{0}-এ এই অর্ডারের পার্সেল আছে কি না জানা নেই। আবার বুক করলে খোঁজা হবে, বা প্যানেলে {1} খুঁজুন। না থাকলে আরেকটি বুক করুন।',
  ],
  reason_51: [
    'The order has {0} open shipments. Name one by its consignment ID.',
    'অর্ডারে {0}টি পার্সেল চলছে: কোনটি তা বেছে নিন।',
  ],
  reason_52: ['No shipment of the order is under way.', 'অর্ডারটির কোনো পার্সেল পথে নেই।'],
  reason_53: ['Order {0} already has this shipment.', 'অর্ডার {0}-এ এই পার্সেল আগেই আছে।'],
  reason_54: [
    '{0} has no shipment {1}, and never picked it up. If it was deleted in the courier…s panel, cancel the shipment, and book another one.',
    '{0} পার্সেল {1} চেনে না, নেয়ওনি। প্যানেলে মুছে থাকলে বাতিল করে আরেকটি বুক করুন।',
  ],
  reason_55: ['{0} has no shipment {1}.', '{0} পার্সেল {1} চেনে না।'],
  reason_56: ['{0} does not support prices before booking.', '{0} বুক করার আগে খরচ জানায় না।'],
  reason_57: [
    'The account of {0} is not complete: enter it in the settings.',
    '{0}-এর অ্যাকাউন্ট অসম্পূর্ণ: সেটিংসে লিখুন।',
  ],
  reason_58: ['The courier would refuse the shipment: {0}.', 'কুরিয়ার পার্সেলটি নেবে না: {0}।'],
  reason_59: [
    'Some of the returned units of {0} have been sold: count the stock first.',
    'ফেরত আসা {0}-এর কিছু বিক্রি হয়ে গেছে: আগে স্টক গুনুন।',
  ],
  reason_60: [
    'The orders are not of the same buyer: they have different phone numbers.',
    'অর্ডার দুটি এক ক্রেতার নয়: ফোন নম্বর আলাদা।',
  ],
  reason_61: [
    'Order {0} is {1}: only cash orders that are not confirmed can be merged.',
    'অর্ডার {0} এখন “{1}”: নিশ্চিত না হওয়া ক্যাশ অর্ডারই শুধু এক করা যায়।',
  ],
  reason_62: [
    'Money was received for order {0}: only unpaid orders can be merged.',
    'অর্ডার {0}-এর টাকা পাওয়া গেছে: শুধু বাকি অর্ডার এক করা যায়।',
  ],
  reason_63: ['It is too late to undo this change.', 'এটি আর ফেরানো যায় না: সময় শেষ।'],
  reason_64: ['This change was undone.', 'এটি আগেই ফেরানো হয়েছে।'],
  reason_65: ['The order has been changed since.', 'এর পরে অর্ডারটি বদলেছে।'],
  reason_66: ['The coupon was used up since.', 'এর মধ্যে কুপনটি শেষ হয়ে গেছে।'],
  reason_67: ['The order…s tags are unchanged.', 'অর্ডারের ট্যাগ একই আছে।'],
  reason_68: [
    'Another job retries the failed items already: see its results.',
    'আরেকটি কাজ এগুলো আবার চেষ্টা করছে: তার ফল দেখুন।',
  ],
  reason_69: ['This statement has already been reconciled.', 'এই হিসাব আগেই মেলানো হয়েছে।'],
  reason_70: [
    'Another process has started to reconcile this statement, and records the remaining rows.',
    'এই হিসাব মেলানো শুরু হয়ে গেছে, বাকি লাইনগুলো লেখা হচ্ছে।',
  ],
  reason_71: [
    'Several variants have the SKU {0}: use the _id of one of them.',
    'একাধিক পণ্যের SKU {0}: তালিকা থেকে একটি বেছে নিন।',
  ],
  reason_72: ['The product already has this state.', 'পণ্যটি আগে থেকেই এমন।'],
  reason_73: [
    'The product is active, and only drafts and archived products can be deleted: archive it first.',
    'পণ্যটি চালু আছে: আগে আর্কাইভ করুন, তারপর মুছুন।',
  ],
  reason_74: ['The product…s image has changed in the meantime.', 'এর মধ্যে পণ্যের ছবি বদলেছে।'],
  reason_75: [
    'Orders have used {0}, so it cannot be deleted: disable it instead.',
    '{0} অর্ডারে ব্যবহার হয়েছে: মোছা যায় না, বন্ধ করুন।',
  ],
  reason_76: [
    'The shop shows this image in products or collections, or as its logo: remove it there first.',
    'ছবিটি পণ্য, কালেকশন বা লোগোতে আছে: আগে সেখান থেকে সরান।',
  ],
  reason_77: [
    'Orders show this image: its files are stored for as long as the orders.',
    'ছবিটি অর্ডারে দেখানো হয়: অর্ডার যত দিন আছে, ছবিও থাকবে।',
  ],
  reason_78: [
    'Another import into this shop is under way: wait until it has finished, then try again.',
    'আরেকটি ইমপোর্ট চলছে: শেষ হলে আবার চেষ্টা করুন।',
  ],
  reason_79: [
    'The code has not arrived yet. Open the chat with the bot and press Start, or send the code.',
    'কোডটি এখনো আসেনি। বটের চ্যাট খুলে Start চাপুন, বা কোডটি পাঠান।',
  ],
  reason_80: ['The code has expired: create a new one.', 'কোডের মেয়াদ শেষ: নতুন একটি নিন।'],
  reason_81: [
    'The shop has no Telegram bot. An owner can add one in the settings.',
    'দোকানের Telegram বট নেই। মালিক সেটিংসে যোগ করতে পারেন।',
  ],
  reason_82: [
    'This is the last owner with every permission: promote another staff member first.',
    'ইনিই শেষ মালিক: আগে অন্য কাউকে মালিক করুন।',
  ],
  reason_83: [
    'There is a staff member with this e-mail address or phone number already: create a new link for them instead.',
    'এই ই-মেইল বা ফোনে একজন কর্মী আছেনই: তাঁর জন্য নতুন লিংক বানান।',
  ],
  reason_208: ['The shop cannot store more photos.', 'দোকানে আর ছবি রাখা যাবে না।'],
  reason_84: [
    'The shop has {0} staff members, which is the limit: remove one first.',
    'দোকানে {0} জন কর্মী আছেন, এর বেশি হয় না: আগে একজনকে সরান।',
  ],
  reason_85: [
    'The shop has {0} API keys, which is the limit: revoke one that is no longer used.',
    'দোকানে {0}টি এপিআই কি আছে, এর বেশি হয় না: আগে একটি বন্ধ করুন।',
  ],
  reason_86: [
    'The shop has {0} webhook endpoints, which is the limit: delete one first.',
    'দোকানে {0}টি ওয়েবহুক ঠিকানা আছে, এর বেশি হয় না: আগে একটি মুছুন।',
  ],
  reason_87: [
    'The webhook endpoint is inactive: set it to active first.',
    'ওয়েবহুক ঠিকানাটি বন্ধ: আগে চালু করুন।',
  ],
  reason_88: ['No item of the job has failed.', 'এই কাজে কিছুই বাদ পড়েনি।'],
  reason_89: [
    'No item is left to retry: see the results of the jobs that have retried them.',
    'আবার চেষ্টার কিছু বাকি নেই: আগের চেষ্টার ফল দেখুন।',
  ],
  reason_90: ['The job has ended: every item has a result.', 'কাজটি শেষ: সবগুলোর ফল আছে।'],
  reason_91: [
    'The job has not ended yet: wait for its results.',
    'কাজটি এখনো চলছে: ফলের জন্য অপেক্ষা করুন।',
  ],
  reason_92: [
    'An import that creates {0} is under way: try again when it has finished.',
    '{0} একটি ইমপোর্টে আছে: শেষ হলে আবার চেষ্টা করুন।',
  ],
  reason_93: ['{0} is not configured in … mode.', '{0} এখনো যুক্ত নয়: সেটিংসে যুক্ত করুন।'],
  reason_94: [
    '{0} is not configured, so its webhooks are rejected. Configure it first.',
    '{0} এখনো যুক্ত নয়, তাই বার্তা নেওয়া হয় না। আগে যুক্ত করুন।',
  ],
  reason_95: ['{0} has no list of ….', '{0} এই জায়গার তালিকা দেয় না।'],
  reason_96: [
    'It is unknown whether the courier has this shipment, …',
    'কুরিয়ারের কাছে পার্সেলটি আছে কি না জানা নেই: প্যানেলে দেখে কনসাইনমেন্ট লিখুন।',
  ],
  reason_97: [
    '{0} reported the consignment ID {1}, which order {2} already has. …',
    '{0} কনসাইনমেন্ট {1} দিয়েছে, যা অর্ডার {2}-এ আছে। প্যানেলে দেখে নিন।',
  ],
  reason_98: [
    'Another authenticator app is set up: remove it first.',
    'আরেকটি অথেনটিকেটর অ্যাপ চালু আছে: আগে সেটি সরান।',
  ],
  reason_99: ['No authenticator app is set up.', 'কোনো অথেনটিকেটর অ্যাপ চালু নেই।'],
  reason_100: [
    'There is no authenticator app to confirm: start again.',
    'নিশ্চিত করার মতো অ্যাপ নেই: শুরু থেকে করুন।',
  ],
  reason_101: ['Not enough stock of {0}.', '{0} আর ততগুলো নেই।'],
  reason_102: ['Not enough stock of {0} any more.', '{0} আর ততগুলো নেই।'],
  reason_103: ['An order can have at most {0} of a product.', 'এক অর্ডারে একটি পণ্য সর্বোচ্চ {0}টি।'],
  reason_104: [
    'An order can have at most {0} units: place several orders, or contact the shop.',
    'এক অর্ডারে সর্বোচ্চ {0}টি: কয়েকটি অর্ডার করুন।',
  ],
  reason_105: ['Add {0} to use this coupon.', 'কুপনটির জন্য আরও {0}-এর পণ্য লাগবে।'],
  reason_106: ['Another coupon has the code {0}.', '{0} নামে আরেকটি কুপন আছে।'],
  reason_107: [
    'The stock would be {0}: it must not be below zero unless the variant may be back-ordered.',
    'স্টক {0} হয়ে যাবে: শূন্যের নিচে যেতে পারে না।',
  ],
  reason_108: ['A product must have at most {0} images.', 'একটি পণ্যে সর্বোচ্চ {0}টি ছবি।'],
  reason_109: ['A product must have at most {0} options.', 'একটি পণ্যে সর্বোচ্চ {0}টি অপশন।'],
  reason_110: ['A product must have at most {0} tags.', 'একটি পণ্যে সর্বোচ্চ {0}টি ট্যাগ।'],
  reason_111: ['A product must have at most {0} variants.', 'একটি পণ্যে সর্বোচ্চ {0}টি ভ্যারিয়েন্ট।'],
  reason_112: [
    'A product must be in at most {0} collections.',
    'একটি পণ্য সর্বোচ্চ {0}টি কালেকশনে থাকে।',
  ],
  reason_113: ['There must be at most {0} tags.', 'সর্বোচ্চ {0}টি ট্যাগ।'],
  reason_114: [
    'Must differ from the names of the other options.',
    'অন্য অপশনের নামের চেয়ে আলাদা নাম দিন।',
  ],
  reason_115: [
    'Must not contain a comma: product files separate tags with commas.',
    'কমা দেওয়া যায় না।',
  ],
  reason_116: ['Must be at most {0} characters.', 'সর্বোচ্চ {0} অক্ষর।'],
  reason_117: ['Must not contain control characters.', 'লেখায় এমন চিহ্ন আছে যা নেওয়া যায় না।'],
  reason_118: [
    'Must be an e-mail address such as name@example.com.',
    'ই-মেইল ঠিকানা লিখুন, যেমন name@example.com।',
  ],
  reason_119: [
    'The phone number is not valid: check the digits, and start a foreign number with + and its country code.',
    'ফোন নম্বরটি ঠিক নয়: সংখ্যাগুলো দেখুন। বিদেশি নম্বর + ও দেশের কোড দিয়ে শুরু করুন।',
  ],
  reason_120: ['Must be a whole number from {0} to {1}.', '{0} থেকে {1}-এর মধ্যে পূর্ণসংখ্যা লিখুন।'],
  reason_121: [
    'Must be {0} to {1}, or 0 for the default.',
    '{0} থেকে {1}, অথবা সাধারণ মানের জন্য 0।',
  ],
  reason_122: ['Must be a day such as {0}.', 'তারিখ লিখুন, যেমন {0}।'],
  reason_123: ['Must be a time such as {0}.', 'সময় লিখুন, যেমন {0}।'],
  reason_124: [
    'Must be an http or https URL, or a path that begins with a slash.',
    'http বা https দিয়ে শুরু ঠিকানা লিখুন।',
  ],
  reason_125: ['A template must be {0} to {1} characters.', 'বার্তা {0} থেকে {1} অক্ষর।'],
  reason_126: [
    'Braces must enclose one of the placeholders {0}.',
    '{ }-এর ভেতরে শুধু এগুলো লেখা যায়: {0}।',
  ],
  reason_127: [
    '{0} belongs to another shop: remove it there first.',
    '{0} আরেকটি দোকানের: আগে সেখান থেকে সরান।',
  ],
  reason_128: [
    '{0} is a name of this server: enter a name of the shop.',
    '{0} এই সার্ভারের নাম: দোকানের নিজের নাম লিখুন।',
  ],
  reason_129: ['A shop must have at most {0} domains.', 'একটি দোকানে সর্বোচ্চ {0}টি ডোমেইন।'],
  reason_130: ['The image file must have at most {0} MiB.', 'ছবির ফাইল সর্বোচ্চ {0} MB।'],
  reason_131: ['The image file is empty.', 'ছবির ফাইলটি খালি।'],
  reason_132: [
    'The file must be a JPEG, PNG, WebP or GIF image.',
    'JPEG, PNG, WebP বা GIF ছবি দিন।',
  ],
  reason_133: ['The image file is damaged.', 'ছবির ফাইলটি নষ্ট।'],
  reason_134: ['The image file is incomplete. Send it again.', 'ছবিটি পুরো আসেনি। আবার দিন।'],
  reason_135: [
    'The image has {0} × {1} pixels: each side must have at most {2}.',
    'ছবিটি {0} × {1} পিক্সেল: প্রতি পাশ সর্বোচ্চ {2}।',
  ],
  reason_136: [
    'The image has {0} × {1} pixels, which is too large to process. …',
    'ছবিটি {0} × {1} পিক্সেল, খুব বড়: ছোট করে দিন।',
  ],
  reason_137: [
    'Animated WebP is not supported. Save the image as a JPEG, PNG or GIF.',
    'নড়াচড়া করা WebP নেওয়া যায় না: JPEG, PNG বা GIF দিন।',
  ],
  reason_138: [
    'The image is stored in a form that is not supported. Save it again as an ordinary JPEG or PNG.',
    'ছবিটি এভাবে নেওয়া যায় না: সাধারণ JPEG বা PNG হিসেবে সেভ করে দিন।',
  ],
  reason_139: [
    'The image takes too long to process. …',
    'ছবিটি তৈরি করতে বেশি সময় লাগছে: ছোট JPEG হিসেবে দিন।',
  ],
  reason_140: [
    'Processing the image takes too much memory. Save it as a JPEG or PNG.',
    'ছবিটি খুব ভারী: JPEG বা PNG হিসেবে দিন।',
  ],
  reason_141: [
    'The image is being deleted. Try again in a moment.',
    'ছবিটি মোছা হচ্ছে। একটু পরে আবার চেষ্টা করুন।',
  ],
  reason_142: [
    'The shop has {0} images, the most that it can have. Delete unused images.',
    'দোকানে {0}টি ছবি, এর বেশি হয় না: অব্যবহৃত ছবি মুছুন।',
  ],
  reason_143: [
    'The shop…s images use all of its {0} MiB. Delete unused images.',
    'ছবির জায়গা ({0} MB) শেষ: অব্যবহৃত ছবি মুছুন।',
  ],
  reason_144: ['The file has no rows below its header.', 'ফাইলে শিরোনামের নিচে কোনো লাইন নেই।'],
  reason_145: [
    'The file is an old Excel file or has a password: save it as .xlsx without one, or as CSV UTF-8.',
    'ফাইলটি পুরোনো Excel বা পাসওয়ার্ড দেওয়া: পাসওয়ার্ড ছাড়া .xlsx বা CSV UTF-8 হিসেবে সেভ করে দিন।',
  ],
  reason_146: [
    'The file is encoded in UTF-16: save it as CSV UTF-8.',
    'ফাইলটি CSV UTF-8 হিসেবে সেভ করে দিন।',
  ],
  reason_147: [
    'The file is not a workbook that can be read: …',
    'ফাইলটি পড়া যায় না: .xlsx বা CSV UTF-8 হিসেবে, সর্বোচ্চ ১,০০,০০০ লাইনে দিন।',
  ],
  reason_148: [
    'The workbook has no sheet with a header and one row per shipment.',
    'ফাইলে এমন শিট নেই যার শিরোনাম ও প্রতি পার্সেলে একটি লাইন আছে।',
  ],
  reason_149: [
    'The workbook cannot be read to its end: save it again as .xlsx or CSV UTF-8.',
    'ফাইলটি শেষ পর্যন্ত পড়া যায় না: আবার .xlsx বা CSV UTF-8 হিসেবে সেভ করে দিন।',
  ],
  reason_150: [
    'Line {0} of the workbook cannot be read: save it again as .xlsx or CSV UTF-8.',
    'লাইন {0} পড়া যায় না: আবার .xlsx বা CSV UTF-8 হিসেবে সেভ করে দিন।',
  ],
  reason_151: [
    'The file must be a CSV file or a workbook with a header and one row per shipment.',
    'CSV বা .xlsx ফাইল দিন, যাতে শিরোনাম ও প্রতি পার্সেলে একটি লাইন আছে।',
  ],
  reason_152: [
    'The header must have a consignment column and at least one of: collected, fee, paid. …',
    'কনসাইনমেন্ট, আর আদায়, ফি বা পরিশোধের অন্তত একটি কলাম চাই: কোন কলামে কী তা বেছে নিন।',
  ],
  reason_153: [
    'The consignment must have a column, and so must at least one amount: each has one column at most.',
    'কনসাইনমেন্ট ও অন্তত একটি টাকার কলাম চাই, প্রতিটি একবার।',
  ],
  reason_154: [
    'The column {0} has amounts of an unknown kind. Specify what each column has.',
    '{0} কলামের টাকা কিসের, তা বেছে নিন।',
  ],
  reason_155: [
    'The courier cannot be derived from the statement…s shipments. Specify it.',
    'কোন কুরিয়ারের হিসাব তা বেছে নিন।',
  ],
  reason_156: [
    'The amount that arrived must not be negative or too large.',
    'ব্যাংকে আসা টাকার অঙ্কটি ঠিক নয়।',
  ],
  reason_157: [
    'The statement must not be larger than {0} MiB. Split it and reconcile the parts.',
    'ফাইলটি {0} MB-এর চেয়ে বড়: ভাগ করে দিন।',
  ],
  reason_158: [
    'The statement must have at most 100,000 rows. Split it and reconcile the parts.',
    'ফাইলে ১,০০,০০০-এর বেশি লাইন: ভাগ করে দিন।',
  ],
  reason_159: [
    'The number of columns in line {0} is {1}; in the header it is {2}.',
    'লাইন {0}-এ কলাম {1}টি, শিরোনামে {2}টি।',
  ],
  reason_160: [
    'Line {0}, column {1}: must be valid CSV, with quotes around whole fields.',
    'লাইন {0}, কলাম {1}: CSV ঠিক নেই।',
  ],
  reason_161: ['{0} must be an amount.', '{0} টাকার অঙ্ক হতে হবে।'],
  reason_162: [
    'Must be at most {0} letters, digits, hyphens and underscores, and begin with a letter or digit.',
    'সর্বোচ্চ {0}টি অক্ষর, অঙ্ক, হাইফেন বা আন্ডারস্কোর দিন, শুরুতে অক্ষর বা অঙ্ক।',
  ],
  reason_163: ['Must be active, draft or archived.', 'active, draft বা archived দিন।'],
  reason_164: ['Must be at most {0} bytes.', 'লেখাটি বেশি বড়: সর্বোচ্চ {0} বাইট।'],
  reason_165: ['Must be a JSON object.', 'একটি JSON অবজেক্ট দিন।'],
  reason_166: ['Must be at most {0} bytes of JSON.', 'JSON বেশি বড়: সর্বোচ্চ {0} বাইট।'],
  reason_167: ['The product has no image {0}.', 'পণ্যটিতে {0} ছবি নেই।'],
  reason_168: ['The image {0} does not exist: upload it first.', '{0} ছবিটি নেই: আগে আপলোড করুন।'],
  reason_169: ['The collection {0} does not exist.', '{0} নামে কোনো কালেকশন নেই।'],
  reason_170: ['Another product has the handle {0}.', '{0} ঠিকানায় আরেকটি পণ্য আছে।'],
  reason_171: ['Must be an amount that is not negative.', 'শূন্য বা তার বেশি টাকার অঙ্ক দিন।'],
  reason_172: [
    'The product has no variant {0}, or it is listed twice.',
    'পণ্যটিতে {0} ভ্যারিয়েন্ট নেই, বা এটি দুবার আছে।',
  ],
  reason_173: [
    'The option values must differ from every other variant…',
    'প্রতিটি ভ্যারিয়েন্টের অপশন আলাদা হতে হবে।',
  ],
  reason_174: [
    'The product has no option for this value: add the option or remove the value.',
    'এই মানের জন্য পণ্যে কোনো অপশন নেই: অপশনটি যোগ করুন বা মানটি বাদ দিন।',
  ],
  reason_175: [
    'A file must have at most 10,000 collections that the shop does not have. Split it and import the parts.',
    'একটি ফাইলে সর্বোচ্চ ১০,০০০ নতুন কালেকশন। ফাইলটি ভাগ করে ইমপোর্ট করুন।',
  ],
  reason_176: ['Must have at most {0} entries.', 'সর্বোচ্চ {0}টি দিন।'],
  reason_177: [
    'Must have at most {0} categories, at most {1} above each other.',
    'সর্বোচ্চ {0}টি ক্যাটাগরি, একটির নিচে আরেকটি করে সর্বোচ্চ {1} ধাপ।',
  ],
  reason_178: ['The name must be at most {0} characters.', 'নাম সর্বোচ্চ {0} অক্ষর।'],
  reason_179: [
    'The name must not contain control characters.',
    'নামে এমন চিহ্ন আছে যা নেওয়া যায় না।',
  ],
  reason_187: ['Only landing pages have this section.', 'এই অংশ শুধু ল্যান্ডিং পেজে থাকে।'],
  reason_188: ['Must have each setting once.', 'প্রতিটি সেটিং একবারই দিন।'],
  reason_190: ['Must have at most {0} links.', 'সর্বোচ্চ {0}টি লিংক হতে পারে।'],
  reason_191: ['Choose what the title leads to.', 'শিরোনাম কোথায় নিয়ে যাবে তা দিন।'],
  reason_192: [
    'Must be a path such as /collections/all, or an https URL.',
    '/collections/all-এর মতো ঠিকানা বা https লিংক দিন।',
  ],
  reason_193: [
    'The shop has no second language: choose one in its settings.',
    'দোকানের দ্বিতীয় ভাষা নেই: সেটিংসে একটি বেছে নিন।',
  ],
  reason_194: [
    'The advance was paid online: refund its payment attempt instead.',
    'অগ্রিম অনলাইনে দেওয়া: ওই পেমেন্টটি ফেরত দিন।',
  ],
  reason_195: [
    'The order awaits an advance: confirm its payment, or waive it.',
    'অর্ডারটি অগ্রিমের অপেক্ষায়: পেমেন্ট নিশ্চিত করুন, বা অগ্রিম বাদ দিন।',
  ],
  reason_196: [
    'Order {0} awaits an advance: waive it before the orders are merged.',
    'অর্ডার {0} অগ্রিমের অপেক্ষায়: মেলানোর আগে অগ্রিম বাদ দিন।',
  ],
  reason_197: [
    'This order already has {0} reported payments, the maximum: contact the shop.',
    'এই অর্ডারে {0}টি পেমেন্ট জানানো হয়েছে, এর বেশি নয়: দোকানে যোগাযোগ করুন।',
  ],
  reason_198: [
    'This transaction ID was used before. Each payment counts once.',
    'এই ট্রানজ্যাকশন আইডি আগে ব্যবহার হয়েছে। প্রতিটি পেমেন্ট একবারই ধরা হয়।',
  ],
  reason_199: [
    'Buyers are not looked up at couriers: switch it on in the settings.',
    'কুরিয়ারে ক্রেতার রেকর্ড দেখা বন্ধ আছে: সেটিংসে চালু করুন।',
  ],
  reason_200: ['The phone number of the buyer was erased.', 'ক্রেতার ফোন নম্বর মুছে ফেলা হয়েছে।'],
  reason_201: [
    'The shop has no courier that reports records: enter its account in the settings.',
    'যে কুরিয়ার ক্রেতার রেকর্ড জানায় তার অ্যাকাউন্ট নেই: সেটিংসে লিখুন।',
  ],
  reason_202: [
    'The courier has not responded. Try again in ten minutes.',
    'কুরিয়ার উত্তর দেয়নি। দশ মিনিট পরে আবার চেষ্টা করুন।',
  ],
  reason_203: [
    'The buyer has begun another order, which is open.',
    'ক্রেতা আরেকটি অর্ডার শুরু করেছেন, সেটি খোলা আছে।',
  ],
  reason_204: ['Order {0} has this phone number since.', 'এর পরে এই নম্বরে অর্ডার {0} হয়েছে।'],
  reason_205: ['The incomplete order is closed already.', 'অসম্পূর্ণ অর্ডারটি আগেই বন্ধ হয়েছে।'],
  reason_206: [
    'Only an event that failed can be sent again, within 7 days of its time, and within 48 hours of an attempt with an unknown result.',
    'শুধু ব্যর্থ ইভেন্ট আবার পাঠানো যায়: সময়ের ৭ দিনের মধ্যে, আর অজানা ফলের চেষ্টার ৪৮ ঘণ্টার মধ্যে।',
  ],
  reason_207: [
    'A test needs the ID of the pixel, the access token and the test code of {0}.',
    'টেস্টের জন্য {0}-এর পিক্সেল আইডি, অ্যাক্সেস টোকেন ও টেস্ট কোড লাগবে।',
  ],
  reason_213: [
    'Passkeys require HTTPS and a host name: open the page at its name, not at an IP address.',
    'পাসকির জন্য HTTPS ও একটি নাম লাগে: আইপি ঠিকানায় নয়, নাম দিয়ে পাতাটি খুলুন।',
  ],
  reason_209: [
    'There are already {0} passkeys: remove one that is no longer used.',
    '{0}টি পাসকি আছে: যেটি আর লাগে না সেটি সরান।',
  ],
  reason_210: ['This passkey is already set up.', 'এই পাসকি আগেই যোগ করা আছে।'],
  reason_211: [
    'There is no passkey for {0}: enter your password or a code.',
    '{0}-এর কোনো পাসকি নেই: পাসওয়ার্ড বা কোড দিন।',
  ],
  reason_212: [
    'A second factor is required, and this is the only one: set up another one first.',
    'দ্বিতীয় ধাপ আবশ্যক, আর এটিই একমাত্র: আগে আরেকটি চালু করুন।',
  ],
  reason_189: ['Must have at most {0} KiB in JSON.', 'JSON-এ সর্বোচ্চ {0} KiB হতে পারে।'],
  reason_186: ['Must be the handle of a product.', 'কোনো পণ্যের হ্যান্ডল দিন।'],
  reason_185: [
    'Delete a landing page first: a shop can have {0}.',
    'আগে একটি ল্যান্ডিং পেজ মুছুন: একটি দোকানে {0}টি থাকতে পারে।',
  ],
  reason_180: [
    'Must be quantities and their prices such as 2 for {0}; 3 for {1}.',
    'কয়টির কত দাম তা লিখুন, যেমন 2 for {0}; 3 for {1}।',
  ],
  reason_181: [
    'A product must have at most {0} quantity prices.',
    'একসাথে কেনার দাম সর্বোচ্চ {0}টি দিন।',
  ],
  reason_182: ['Must be more than the quantity before it.', 'আগেরটির চেয়ে বেশি সংখ্যা দিন।'],
  reason_183: ['Must be an amount above zero.', 'শূন্যের বেশি টাকার অঙ্ক দিন।'],
  reason_184: [
    'Must be less than {0} units cost without it.',
    'এটি ছাড়া {0}টির যা দাম, তার চেয়ে কম দিন।',
  ],
  reason_214: ['Choose a time or a copy.', 'একটি সময় বা কপি বেছে নিন।'],
  reason_215: ['The shop has no such copy.', 'দোকানের এমন কোনো কপি নেই।'],
  reason_216: ['There is no copy as old as this.', 'এত পুরোনো কোনো কপি নেই।'],
  reason_217: [
    'A shop in PostgreSQL is not replaced: restore the copy as another shop.',
    'PostgreSQL-এর দোকান বদলানো হয় না: কপিটি আলাদা দোকান হিসেবে ফেরান।',
  ],
  reason_218: [
    'This copy is missing, damaged or of another server: nothing was changed. Choose another copy.',
    'কপিটি নেই, নষ্ট বা অন্য সার্ভারের: কিছুই বদলানো হয়নি। অন্য কপি বেছে নিন।',
  ],
  reason_219: ['Must not be in the future.', 'ভবিষ্যতের সময় দেওয়া যাবে না।'],
}

const patterns = Object.values(all)
  .sort(([a], [b]) => b.length - a.length)
  .map(
    ([english, bangla]) =>
      /** @type {[RegExp, string]} */ ([
        new RegExp(
          '^' +
            english
              .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
              .replace(/\{\d\}/g, '(.+?)')
              .replaceAll('…', '.+') +
            '$',
        ),
        bangla,
      ]),
  )

/** The words of a status in whichever of the tables, or the text with Bangla digits. */
function said(/** @type {string} */ text) {
  const key = ['', 'pay_', 'try_', 'ship_']
    .map((prefix) => prefix + text)
    .find((key) => status.dynamic(key) !== key)
  return key ? status.dynamic(key) : digits(text)
}

/** Returns a sentence of the API in Bangla, '' if there is none for it. */
export function bangla(/** @type {string} */ message) {
  for (const [pattern, text] of patterns) {
    const values = pattern.exec(message)
    if (values) return text.replace(/\{(\d)\}/g, (_, n) => said(values[Number(n) + 1]))
  }
  return ''
}
