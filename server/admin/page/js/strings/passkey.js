import { texts } from '../i18n.js'

export const t = texts({
  title: ['Passkeys', 'পাসকি'],
  about: [
    'Sign in with your fingerprint, face or screen lock, without a password. It works only at this address, so no false page can steal it.',
    'পাসওয়ার্ড ছাড়াই আঙুলের ছাপ, মুখ বা স্ক্রিন লক দিয়ে সাইন ইন করুন। পাসকি শুধু এই ঠিকানায় চলে, তাই কেউ ফাঁদ পেতে নিতে পারে না।',
  ],
  signIn: ['Sign in with a passkey', 'পাসকি দিয়ে সাইন ইন করুন'],
  prove: ['Use a passkey', 'পাসকি ব্যবহার করুন'],
  rejected: [
    'This passkey does not sign in here. Use another one, or your password.',
    'এই পাসকি দিয়ে এখানে ঢোকা যায় না। অন্যটি বা পাসওয়ার্ড ব্যবহার করুন।',
  ],
  add: ['Add a passkey', 'পাসকি যোগ করুন'],
  addText: [
    'A name by which you recognize it. Your device then verifies that it is you.',
    'নামটি দেখে পরে চিনতে পারবেন। এরপর আপনার ডিভাইস নিশ্চিত করবে যে এটি আপনিই।',
  ],
  name: ['Name', 'নাম'],
  create: ['Create the passkey', 'পাসকি তৈরি করুন'],
  existing: [
    'This device already has a passkey for this account.',
    'এই ডিভাইসে এই অ্যাকাউন্টের পাসকি আগেই আছে।',
  ],
  failed: [
    'The device did not create a passkey. Turn on its screen lock, then try again.',
    'ডিভাইসটি পাসকি তৈরি করেনি। স্ক্রিন লক চালু করে আবার চেষ্টা করুন।',
  ],
  added: ['Passkey added', 'পাসকি যোগ হয়েছে'],
  rename: ['Rename {name}', '{name}-এর নাম বদলান'],
  remove: ['Remove {name}', '{name} সরান'],
  removeText: [
    'It no longer signs in. Delete it in the settings of your device too.',
    'এটি দিয়ে আর সাইন ইন করা যাবে না। ডিভাইসের সেটিংস থেকেও মুছে ফেলুন।',
  ],
  removed: ['Passkey removed', 'পাসকি সরানো হয়েছে'],
  used: ['last used: {age}', 'শেষ ব্যবহার: {age}'],
  unused: ['not used yet', 'এখনো ব্যবহার হয়নি'],
  offer: [
    'Next time without a password: sign in with your fingerprint or face.',
    'পরেরবার পাসওয়ার্ড ছাড়াই: আঙুলের ছাপ বা মুখ দিয়ে সাইন ইন করুন।',
  ],
  setUp: ['Set up', 'চালু করুন'],
})
