import { texts } from '../i18n.js'

export const t = texts({
  restore: ['Restore to a time', 'আগের সময়ে ফেরান'],
  point: ['State of the shop', 'দোকানের কোন অবস্থা'],
  aTime: ['At a time', 'নির্দিষ্ট সময়ে'],
  kind_backup: ['backup', 'ব্যাকআপ'],
  kind_before_steps: ['before an update of the program', 'প্রোগ্রাম আপডেটের আগে'],
  kind_trash: ['replaced or deleted', 'বদলানো বা মোছা'],
  day: ['Day', 'দিন'],
  time: ['Time', 'সময়'],
  since: ['Possible since {time}', '{time} থেকে সম্ভব'],
  noState: ['There is no copy of this time.', 'এই সময়ের কোনো কপি নেই।'],
  noCopies: [
    'There is no backup and no replica of this shop. Set up backups with serve --backup-dir, or a replica with serve --replica.',
    'এই দোকানের কোনো ব্যাকআপ বা রেপ্লিকা নেই। serve --backup-dir দিয়ে ব্যাকআপ বা serve --replica দিয়ে রেপ্লিকা চালু করুন।',
  ],
  how: ['How', 'কীভাবে'],
  replace: ['Replace the shop', 'দোকান বদলান'],
  beside: ['As another shop', 'আলাদা দোকান হিসেবে'],
  ownersOnly: [
    'You can restore it as another shop. An owner among the operators can replace this one.',
    'আপনি আলাদা দোকান হিসেবে ফেরাতে পারেন। মালিক অপারেটর এটিকেই বদলাতে পারেন।',
  ],
  besideOnly: [
    'A shop in PostgreSQL is not replaced: the copy becomes another shop.',
    'PostgreSQL-এর দোকান বদলানো হয় না: কপিটি আলাদা দোকান হয়।',
  ],
  asOf: ['As of {time}.', '{time}-এর অবস্থা।'],
  lost: [
    'Orders placed since then, which the shop loses: {count}.',
    'এরপরের যত অর্ডার দোকান থেকে চলে যাবে: {count}টি।',
  ],
  later: ['Orders placed since then: {count}.', 'এরপরের অর্ডার: {count}টি।'],
  replaceText: [
    'Its staff sign in again. The present state goes to the trash, and can be restored from this list.',
    'স্টাফদের আবার সাইন ইন করতে হবে। এখনকার অবস্থা ট্র্যাশে থাকবে, এই তালিকা থেকে ফেরানো যাবে।',
  ],
  besideText: [
    'The copy is closed to buyers and in sandbox mode. It has the customers too: delete it afterwards.',
    'কপিটি ক্রেতাদের জন্য বন্ধ ও স্যান্ডবক্স মোডে থাকে। এতে গ্রাহকও থাকে, তাই পরে মুছে দিন।',
  ],
  uid: ['UID of the copy', 'কপির আইডি'],
  reason: ['Reason', 'কারণ'],
  restoring: ['The shop is being restored', 'দোকান ফেরানো হচ্ছে'],
  restored: ['The shop is restored', 'দোকান ফেরানো হয়েছে'],
  copied: ['The copy is ready', 'কপি তৈরি'],
  undo: [
    'The state before is in the trash. Choose it in the same list to undo this.',
    'আগের অবস্থা ট্র্যাশে আছে। বাতিল করতে একই তালিকায় সেটি বেছে নিন।',
  ],
  incomplete: [
    'Images are missing, or records disagree: the log of the server lists them.',
    'কিছু ছবি নেই বা তথ্য মেলেনি: সার্ভারের লগে তালিকা আছে।',
  ],
})
