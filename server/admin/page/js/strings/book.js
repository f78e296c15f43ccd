import { texts } from '../i18n.js'

export const t = texts({
  title: ['Book {count} shipments', '{count}টি পার্সেল বুক করুন'],
  title_one: ['Book {count} shipment', '{count}টি পার্সেল বুক করুন'],
  toCollect: ['{amount} to collect', 'আদায় {amount}'],
  courier: ['Courier', 'কুরিয়ার'],
  doubtful: ['{courier} may reject {count}', '{courier} {count}টি ফিরিয়ে দিতে পারে'],
  doubtfulText: ['Complete the address with the buyer, or book anyway.', 'ক্রেতার কাছ থেকে ঠিকানা পূর্ণ করুন, অথবা এভাবেই বুক করুন।'],
  ready: ['{count} ready', '{count}টি প্রস্তুত'],
  left: ['left in To pack', 'প্যাক তালিকায় থাকবে'],
  cash: ['Cash', 'ক্যাশ'],
  paid: ['paid', 'পরিশোধিত'],
  book: ['Book {count}', '{count}টি বুক করুন'],
  leaves: ['leave {count} in To pack', '{count}টি প্যাক তালিকায় থাকবে'],
  handOver: ['To hand over', 'কুরিয়ারে দিন'],
  none: ['Nothing to book', 'বুক করার কিছু নেই'],
  noneText: ['Confirmed orders without a shipment can be booked.', 'পার্সেল ছাড়া নিশ্চিত অর্ডার বুক করা যায়।'],
  notLoaded: ['The orders could not be loaded', 'অর্ডার লোড করা যায়নি'],
  atMost: ['These are the first {count}. Book them, then the rest.', 'এগুলো প্রথম {count}টি। আগে এগুলো বুক করুন, তারপর বাকিগুলো।'],
  selectOne: ['Book order {number}', 'অর্ডার {number} বুক করুন'],
})
