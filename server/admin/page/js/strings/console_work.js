import { texts } from '../i18n.js'

export const t = texts({
  copy: ['Copy to try something', 'পরীক্ষার জন্য কপি'],
  copyText: [
    'The copy is closed to buyers and in sandbox mode: nothing reaches couriers or gateways. It has the customers too: delete it afterwards.',
    'কপিটি ক্রেতাদের জন্য বন্ধ ও স্যান্ডবক্স মোডে থাকে: কুরিয়ার বা গেটওয়েতে কিছু যায় না। এতে গ্রাহকও থাকে, তাই পরে মুছে দিন।',
  ],
  restore: ['Restore to a time', 'আগের সময়ে ফেরান'],
  uid: ['UID of the copy', 'কপির আইডি'],
  copying: ['The shop is being copied', 'দোকান কপি হচ্ছে'],
  copied: ['The copy is ready', 'কপি তৈরি'],
  openCopy: ['Open the copy', 'কপিটি দেখুন'],
  move_postgres: ['Move to PostgreSQL', 'PostgreSQL-এ সরান'],
  move_files: ['Move to a file', 'ফাইলে সরান'],
  moveText: [
    'Pages are shown as usual, and orders wait for some seconds. If they would wait longer than 5 seconds, nothing is moved.',
    'পাতা আগের মতোই দেখা যায়, অর্ডার কয়েক সেকেন্ড অপেক্ষা করে। ৫ সেকেন্ডের বেশি লাগলে কিছুই সরানো হয় না।',
  ],
  moving: ['The shop is being moved', 'দোকান সরানো হচ্ছে'],
  there: ['It was there already.', 'আগে থেকেই সেখানে ছিল।'],
  moved: ['The shop is moved', 'দোকান সরানো হয়েছে'],
  workText: [
    'You can close this: it continues on the server.',
    'এটা বন্ধ করতে পারেন: সার্ভারে কাজ চলতে থাকবে।',
  ],
  failed: ['It did not work', 'হয়নি'],
  remove: ['Delete the shop', 'দোকান মুছুন'],
  removeText: [
    'Buyers cannot order from now on. Its staff read the reason and the day, and save their data until then. Resuming the shop calls it off.',
    'এখন থেকে ক্রেতা অর্ডার দিতে পারবে না। স্টাফ কারণ ও তারিখ দেখবে, ততদিন তথ্য সেভ করতে পারবে। দোকান চালু করলে মোছা হবে না।',
  ],
  days: ['Days until then', 'কত দিন পরে'],
  reason: ['Reason', 'কারণ'],
  close: ['Close', 'বন্ধ করুন'],
})
