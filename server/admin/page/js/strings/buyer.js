import { texts } from '../i18n.js'

// What is shown of an order's buyer, in several views.
export const t = texts({
  greeting: ['Hello {name}, about your order #{number} of {amount} at {shop}:',
    'আসসালামু আলাইকুম {name}, {shop}-এ আপনার {amount} টাকার অর্ডার #{number} নিয়ে:'],
  calls: ['{outcome} {times}', '{outcome} {times}'],
  and: [' and ', ' ও '],
  duplicate: ['Perhaps the same order:', 'সম্ভবত একই অর্ডার:'],
  alsoOpen: ['Also open:', 'আরও খোলা আছে:'],
  blockedAll: ['This buyer is blocked.', 'এই ক্রেতা ব্লক করা।'],
  blockedCash: ['No cash on delivery for this buyer.', 'এই ক্রেতাকে ক্যাশ অন ডেলিভারি নয়।'],
})
