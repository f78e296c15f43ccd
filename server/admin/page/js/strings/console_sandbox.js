// Texts about the sandbox of a shop.

import { texts } from '../i18n.js'

export const t = texts({
  make: ['Sandbox for developers', 'ডেভেলপারের স্যান্ডবক্স'],
  makeText: [
    'A shop with the products, design and settings of this one, and invented buyers. Nothing in it reaches anybody. It replaces an earlier one.',
    'পাশে আরেকটি দোকান: একই পণ্য, ডিজাইন ও সেটিংস, ক্রেতা কাল্পনিক। সেখান থেকে কারও কাছে কিছু যায় না। আগেরটির জায়গায় বসে।',
  ],
  made: ['{uid} is ready', '{uid} তৈরি'],
  madeText: [
    'It has {orders} orders by invented buyers. The key is shown once. It permits everything in the sandbox, and nothing elsewhere.',
    'এতে কাল্পনিক ক্রেতার {orders}টি অর্ডার আছে। কী একবারই দেখানো হয়। এটি দিয়ে স্যান্ডবক্সে সব করা যায়, অন্য কোথাও কিছু নয়।',
  ],
  key: ['API key', 'API কী'],
  done: ['Done', 'হয়েছে'],
})
