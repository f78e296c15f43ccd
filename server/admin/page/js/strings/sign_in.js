import { texts } from '../i18n.js'

export const t = texts({
  title: ['Sign in', 'সাইন ইন'],
  titleTo: ['Sign in to {shop}', '{shop}-এ সাইন ইন'],
  shop: ['Shop', 'দোকান'],
  shopHint: ['The short name in the link that you received.', 'যে লিংক পেয়েছেন তাতে থাকা ছোট নাম।'],
  noShop: [
    'This server has no shop yet. Open the link that it printed at its start.',
    'এই সার্ভারে এখনো দোকান নেই। চালু হওয়ার সময় যে লিংক দেখিয়েছে তা খুলুন।',
  ],
  user: ['E-mail or phone number', 'ই-মেইল বা ফোন নম্বর'],
  forgot: ['Forgot password?', 'পাসওয়ার্ড ভুলে গেছেন?'],
  codeTitle: ['Enter the code', 'কোড দিন'],
  lostFactor: [
    'Have you neither? An owner of the shop can send you a link from Team. It needs no code.',
    'কোনোটিই নেই? দোকানের মালিক টিম থেকে আপনাকে একটি লিংক পাঠাতে পারেন। তাতে কোড লাগে না।',
  ],
  back: ['Back to signing in', 'সাইন ইনে ফিরুন'],
  forgotTitle: ['A new password', 'নতুন পাসওয়ার্ড'],
  forgotText: [
    'A code of six digits is sent to your phone by SMS. Without a phone number in your account, an owner of the shop can send you a link.',
    'আপনার ফোনে এসএমএসে ছয় সংখ্যার একটি কোড যাবে। অ্যাকাউন্টে ফোন নম্বর না থাকলে দোকানের মালিকের কাছে লিংক চান।',
  ],
  sendCode: ['Send the code', 'কোড পাঠান'],
  sent: [
    'If {user} is known here, a code is on its way. It is valid for ten minutes.',
    '{user} এখানে থাকলে একটি কোড যাচ্ছে। কোডটি দশ মিনিট চলবে।',
  ],
  smsCode: ['Code from the SMS', 'এসএমএসের কোড'],
  newPassword: ['New password', 'নতুন পাসওয়ার্ড'],
  passwordHint: [
    'At least 8 characters. Four words are a good password.',
    'অন্তত ৮টি অক্ষর। চারটি শব্দ মিলে ভালো পাসওয়ার্ড হয়।',
  ],
  setPassword: ['Set password and sign in', 'পাসওয়ার্ড দিয়ে সাইন ইন করুন'],
  inviteTitle: ['Welcome to {shop}', '{shop}-এ স্বাগতম'],
  inviteText: [
    'You are invited as {role}. Choose a password to sign in with.',
    'আপনাকে {role} হিসেবে আমন্ত্রণ জানানো হয়েছে। পরেরবারের জন্য একটি পাসওয়ার্ড বেছে নিন।',
  ],
  inviteBy: [
    '{name} invites you as {role}. Choose a password to sign in with.',
    '{name} আপনাকে {role} হিসেবে আমন্ত্রণ জানিয়েছেন। পরেরবারের জন্য একটি পাসওয়ার্ড বেছে নিন।',
  ],
  resetTitle: ['A new password for {shop}', '{shop}-এর নতুন পাসওয়ার্ড'],
  resetText: ['All earlier sessions end.', 'আগের সব সেশন শেষ হয়ে যাবে।'],
  name: ['Your name', 'আপনার নাম'],
  start: ['Start', 'শুরু করুন'],
  demoTitle: ['Opening the demo shop…', 'ডেমো দোকান খোলা হচ্ছে…'],
  linkTitle: ['This link does not work', 'এই লিংকটি কাজ করছে না'],
  linkText: [
    'It was used, has expired or is incomplete. Request a new one from the person who sent it, or sign in.',
    'এটি ব্যবহৃত, মেয়াদোত্তীর্ণ বা অসম্পূর্ণ। নতুন একটি চান, অথবা সাইন ইন করুন।',
  ],
  setUpTitle: ['Open your shop', 'আপনার দোকান খুলুন'],
  setUpText: [
    'First the shop, then you. All but the currency can be changed later.',
    'আগে দোকান, তারপর আপনি। মুদ্রা ছাড়া সবই পরে বদলানো যায়।',
  ],
  shopName: ['Name of the shop', 'দোকানের নাম'],
  country: ['Country', 'দেশ'],
  currency: ['Currency', 'মুদ্রা'],
  currencyHint: [
    'Of all prices. It cannot be changed once the shop has products.',
    'সব দামের মুদ্রা। পণ্য যোগ করার পর আর বদলানো যায় না।',
  ],
  openShop: ['Open the shop', 'দোকান খুলুন'],
  setUpOver: ['This link does not work', 'এই লিংকটি কাজ করছে না'],
  setUpOverText: [
    'If the shop is there already, sign in. Otherwise restart the server: it prints a new link.',
    'দোকান আগেই খোলা হয়ে থাকলে সাইন ইন করুন। না হলে সার্ভার আবার চালু করুন, নতুন লিংক দেখা যাবে।',
  ],
  as: ['Signing in as {name}', '{name} হিসেবে সাইন ইন'],
  forgetShop: ['Remove {shop} from this device', 'এই ডিভাইস থেকে {shop} সরান'],
  known: ['On this device', 'এই ডিভাইসে'],
})
