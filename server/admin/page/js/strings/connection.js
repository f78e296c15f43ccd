import { texts } from '../i18n.js'

// Whether providers, text messages and e-mails work.
export const t = texts({
  state_incomplete: ['Not connected', 'যুক্ত নয়'],
  state_practice: ['Practice', 'অনুশীলন'],
  state_unchecked: ['Not checked yet', 'যাচাই হয়নি'],
  state_works: ['Works', 'চলছে'],
  state_refused: ['Refused', 'নেয়নি'],
  state_unreached: ['Not reached', 'পৌঁছানো যায়নি'],
  text_unchecked: [
    'Nothing has proved yet that this account works.',
    'এই অ্যাকাউন্ট চলে কি না এখনো জানা যায়নি।',
  ],
  text_works: ['{name} accepted the account, {time}.', '{name} অ্যাকাউন্টটি নিয়েছে, {time}।'],
  text_refused: [
    '{name} has refused. Compare what you entered with its panel.',
    '{name} নেয়নি। যা লিখেছেন তা তাদের প্যানেলের সঙ্গে মিলিয়ে দেখুন।',
  ],
  text_unreached: ['{name} could not be reached.', '{name}-এ পৌঁছানো যায়নি।'],
  again: [
    'You need to do nothing: it is checked again {time}.',
    'আপনার কিছু করতে হবে না: আবার যাচাই হবে {time}।',
  ],
  nextMessage: ['The next message tries it again.', 'পরের বার্তায় আবার চেষ্টা হবে।'],
  byHand: ['Check again later.', 'পরে আবার যাচাই করুন।'],
})
