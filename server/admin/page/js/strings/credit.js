import { texts } from '../i18n.js'

export const t = texts({
  title: [
    'Remove the reduction of {amount} from #{number}?',
    '#{number} থেকে {amount} বাদ দেওয়া তুলে নেবেন?',
  ],
  text: [
    'The buyer has to pay {amount} more, and all sums and reports follow.',
    'ক্রেতাকে আরও {amount} দিতে হবে, আর সব হিসাব ও রিপোর্ট সেভাবে বদলাবে।',
  ],
  stock: ['Out of the stock again: {units}', 'স্টক থেকে আবার কমবে: {units}'],
  remove: ['Remove the reduction', 'বাদ দেওয়া তুলে নিন'],
  refunded: [
    '{amount} was refunded to the buyer for it, or is on its way. It cannot be removed.',
    'এর জন্য ক্রেতাকে {amount} ফেরত দেওয়া হয়েছে বা পাঠানো হচ্ছে। তাই এটি তুলে নেওয়া যাবে না।',
  ],
})
