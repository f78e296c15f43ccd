import { texts } from '../i18n.js'

export const t = texts({
  title: ['Set up your shop', 'দোকান সাজান'],
  done: ['{done} of {all} done', '{all}টির মধ্যে {done}টি শেষ'],
  isDone: ['Done', 'শেষ'],
  start: ['Start', 'শুরু করুন'],
  hide: ['Hide these steps', 'এই ধাপগুলো লুকান'],
  logo: ['Add your logo', 'লোগো যোগ করুন'],
  text_logo: ['It is on the storefront, invoices and labels.', 'এটি দোকান, চালান ও লেবেলে থাকে।'],
  product: ['Add a product with a photo', 'ছবিসহ একটি পণ্য যোগ করুন'],
  text_product: [
    'Buyers see products once they are published.',
    'প্রকাশ করলে ক্রেতারা পণ্য দেখতে পান।',
  ],
  deliveryCharge: ['Set delivery charges', 'ডেলিভারি চার্জ ঠিক করুন'],
  text_deliveryCharge: ['Until then delivery is free.', 'তার আগে ডেলিভারি ফ্রি থাকবে।'],
  courier: ['Connect a courier', 'কুরিয়ার যুক্ত করুন'],
  text_courier: [
    'Shipments are then booked and tracked from here.',
    'তখন এখান থেকেই পার্সেল বুক ও ট্র্যাক করা যায়।',
  ],
  design: ['Make the site your own', 'সাইট নিজের মতো সাজান'],
  text_design: [
    'A design, a colour and a large picture, in three minutes.',
    'একটি ডিজাইন, রং ও বড় ছবি, তিন মিনিটেই।',
  ],
  payment: ['Accept payments online', 'অনলাইনে পেমেন্ট নিন'],
  text_payment: ['Cash on delivery works without it.', 'এটি ছাড়াও ক্যাশ অন ডেলিভারি চলে।'],
  sms: ['Connect an SMS gateway', 'এসএমএস গেটওয়ে যুক্ত করুন'],
  text_sms: [
    'For codes to sign in and messages about orders.',
    'সাইন ইনের কোড ও অর্ডারের বার্তার জন্য।',
  ],
  secondFactor: ['Protect the owner’s account', 'মালিকের অ্যাকাউন্ট সুরক্ষিত করুন'],
  text_secondFactor: [
    'With a code from an app, in addition to the password.',
    'পাসওয়ার্ডের সঙ্গে অ্যাপের কোড দিয়ে।',
  ],
  domain: ['Use your own domain', 'নিজের ডোমেইন ব্যবহার করুন'],
  text_domain: [
    'Point it to this server; certificates follow by themselves.',
    'এটি এই সার্ভারে নির্দেশ করুন; সার্টিফিকেট নিজে থেকেই আসে।',
  ],
  testOrder: ['Place a first order', 'প্রথম অর্ডার করুন'],
  text_testOrder: [
    'For example one of your own, to see how it works.',
    'যেমন নিজের একটি, কীভাবে চলে তা দেখতে।',
  ],
})
