import { texts } from '../i18n.js'

export const t = texts({
  refund: ['Refund', 'টাকা ফেরত দিন'],
  refundAgain: ['Refund once more', 'আরেকবার ফেরত দিন'],
  again: [
    'The same amount was refunded within the last hour. Send it once more only if both are meant.',
    'গত এক ঘণ্টায় একই টাকা ফেরত দেওয়া হয়েছে। দুটোই দিতে চাইলে তবেই আরেকবার দিন।',
  ],
  units: ['For which goods?', 'কোন পণ্যের জন্য?'],
  restock: ['They are back in stock', 'পণ্য স্টকে ফিরেছে'],
  amount: ['Amount', 'টাকার পরিমাণ'],
  amountOrShare: ['Amount (empty: what the goods cost)', 'টাকা (খালি রাখলে পণ্যের দাম)'],
  most: ['At most {amount}.', 'সর্বোচ্চ {amount}।'],
  amountWrong: ['Enter an amount up to {amount}.', '{amount} পর্যন্ত একটি পরিমাণ লিখুন।'],
  reason: ['Why', 'কেন'],
  reason_sent_back: ['Sent back', 'ফেরত পাঠিয়েছেন'],
  reason_damaged: ['Damaged', 'নষ্ট'],
  reason_missing: ['Missing', 'পাননি'],
  reason_goodwill: ['Goodwill', 'সৌজন্য'],
  reason_other: ['Other', 'অন্য'],
  done: ['{label}: refund saved', '{label}: ফেরত সেভ হয়েছে'],
})
