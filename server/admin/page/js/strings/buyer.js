import { texts } from '../i18n.js'

// What is shown of an order's buyer, in several views.
export const t = texts({
  contact: ['Buyer', 'ক্রেতা'],
  contactTitle: ['Buyer {phone}', 'ক্রেতা {phone}'],
  contactText: [
    'This applies to every order with this phone number. Buyers do not see it.',
    'এই ফোন নম্বরের সব অর্ডারে থাকবে। ক্রেতা এর কিছুই দেখেন না।',
  ],
  contactNote: ['Note', 'নোট'],
  contactNoteHint: ['Shown before each call and booking.', 'প্রতিটি কল ও বুকিংয়ের আগে দেখানো হয়।'],
  tags: ['Tags', 'ট্যাগ'],
  tagsHint: ['Type one and press Enter, at most 10.', 'লিখে এন্টার চাপুন, সর্বোচ্চ ১০টি।'],
  block: ['Block', 'ব্লক'],
  block_none: ['None', 'নেই'],
  block_cash: ['No cash', 'ক্যাশ নয়'],
  block_all: ['No orders', 'অর্ডার নয়'],
  blockReason: ['Reason', 'কারণ'],
  blockReasonHint: ['For the staff.', 'কর্মীদের জন্য।'],
  greeting: [
    'Hello {name}, about your order #{number} of {amount} at {shop}:',
    'আসসালামু আলাইকুম {name}, {shop}-এ আপনার {amount} টাকার অর্ডার #{number} নিয়ে:',
  ],
  calls: ['{outcome} {times}', '{outcome} {times}'],
  and: [' and ', ' ও '],
  duplicate: ['Perhaps the same order:', 'সম্ভবত একই অর্ডার:'],
  cancelThis: ['Cancel this one', 'এটি বাতিল করুন'],
  merge: ['Merge', 'মিলিয়ে দিন'],
  alsoOpen: ['Also open:', 'আরও খোলা আছে:'],
  blockedAll: ['This buyer is blocked.', 'এই ক্রেতা ব্লক করা।'],
  blockedCash: ['No cash on delivery for this buyer.', 'এই ক্রেতাকে ক্যাশ অন ডেলিভারি নয়।'],
})
