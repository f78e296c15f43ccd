import { texts } from '../i18n.js'

export const t = texts({
  title: ['Payments to check', 'যাচাই করার পেমেন্ট'],
  search: ['Order number or transaction ID', 'অর্ডার নম্বর বা ট্রানজ্যাকশন আইডি'],
  lists: ['Lists of payments', 'পেমেন্টের তালিকা'],
  waiting: ['To check', 'যাচাই করুন'],
  confirmed: ['Confirmed', 'নিশ্চিত'],
  refused: ['Refused', 'নেওয়া হয়নি'],
  none_waiting: ['Nothing to check', 'যাচাই করার কিছু নেই'],
  text_waiting: [
    'Advances that buyers have sent to your wallets appear here.',
    'ক্রেতারা ওয়ালেটে অগ্রিম পাঠালে এখানে আসে।',
  ],
  none_confirmed: ['Nothing confirmed', 'কিছু নিশ্চিত হয়নি'],
  text_confirmed: ['Payments that you have confirmed are here.', 'নিশ্চিত করা পেমেন্ট এখানে থাকে।'],
  none_refused: ['Nothing refused', 'কিছু বাদ যায়নি'],
  text_refused: ['Payments that did not arrive are here.', 'যে টাকা আসেনি তা এখানে থাকে।'],
  total: [
    '{waiting} to check · {today} confirmed today · {all} in all',
    '{waiting} যাচাই বাকি · আজ নিশ্চিত {today} · মোট {all}',
  ],
  order: ['Order #{number}', 'অর্ডার #{number}'],
  copy: ['Copy', 'কপি'],
  from: ['from {sender}', '{sender} থেকে'],
  differs: ['The order awaits {due}.', 'অর্ডারে {due} বাকি।'],
  confirm: ['The money arrived', 'টাকা এসেছে'],
  refuse: ['Not found', 'পাওয়া যায়নি'],
  done_confirmed: ['{amount} confirmed', '{amount} নিশ্চিত হয়েছে'],
  done_refused: ['#{number}: refused', '#{number}: বাদ দেওয়া হয়েছে'],
  askRefuse: ['Did {amount} not arrive?', '{amount} কি আসেনি?'],
  askRefuseText: [
    'The buyer reads the reason and can send another transaction.',
    'ক্রেতা কারণটি দেখবেন এবং আবার জানাতে পারবেন।',
  ],
  reason: ['Reason', 'কারণ'],
  usualReason: ['We did not find this transaction.', 'এই ট্রানজ্যাকশন পাওয়া যায়নি।'],
})
