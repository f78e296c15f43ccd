import { texts } from '../i18n.js'

// Orders in doubt: duplicates and short addresses.
export const t = texts({
  sameAs: ['Same as #{number}', '#{number}-এর মতোই'],
  askCancel: ['Cancel #{number}?', '#{number} বাতিল করবেন?'],
  cancelText: [
    '#{other} of the same buyer stays. The goods of this one return to the stock.',
    'একই ক্রেতার #{other} থাকবে। এটির পণ্য স্টকে ফিরবে।',
  ],
  reason: ['Reason, for the staff', 'কারণ, কর্মীদের জন্য'],
  cancelNumber: ['Cancel #{number}', '#{number} বাতিল করুন'],
  cancelled: ['#{number} cancelled, #{other} stays', '#{number} বাতিল, #{other} আছে'],
  askMerge: ['Merge #{other} into #{number}', '#{other} মিলিয়ে দিন #{number}-এ'],
  mergeText: [
    'The goods of both are sent together, with one delivery charge. #{other} is cancelled, and the buyer gets no message about it.',
    'দুটির পণ্য একসঙ্গে যাবে, ডেলিভারি চার্জ একবার। #{other} বাতিল হবে, ক্রেতা এর কোনো বার্তা পাবেন না।',
  ],
  merge: ['Merge', 'মিলিয়ে দিন'],
  merged: ['#{other} merged into #{number}', '#{other} মিলেছে #{number}-এ'],
  preparing: ['Calculating…', 'হিসাব হচ্ছে…'],
  withDelivery: ['To collect, with delivery of {amount}', 'আদায়, ডেলিভারি {amount} সহ'],
  shortTitle: ['Is the address complete?', 'ঠিকানা কি পুরো?'],
  shortText: [
    'Couriers refuse addresses as short as this one. It needs house, road and area.',
    'এত ছোট ঠিকানা কুরিয়ার নেয় না। ক্রেতার কাছে বাড়ি, রাস্তা ও এলাকা জেনে নিন।',
  ],
  correct: ['Complete the address', 'ঠিকানা পুরো করুন'],
  confirmAsItIs: ['Confirm all the same', 'তবু নিশ্চিত করুন'],
})
