import { texts } from '../i18n.js'

// The dialogs for signing in once more, and their fields, which the first form has too.
export const t = texts({
  sessionTitle: ['Your session has ended', 'আপনার সেশন শেষ হয়েছে'],
  sessionText: [
    'Sign in again. What you entered is still here.',
    'আবার সাইন ইন করুন। যা লিখেছেন তা এখানেই আছে।',
  ],
  proveTitle: ['Is it you?', 'আপনিই তো?'],
  proveText: [
    'This needs your password or a code once more.',
    'এর জন্য আপনার পাসওয়ার্ড বা কোড আরেকবার দরকার।',
  ],
  demo: [
    'The demo has no password: open the link again that the server printed at its start.',
    'ডেমোর পাসওয়ার্ড নেই: সার্ভার চালুর সময় যে লিংক দেখিয়েছে সেটি আবার খুলুন।',
  ],
  password: ['Password', 'পাসওয়ার্ড'],
  code: ['Code', 'কোড'],
  codeHint: [
    'Six digits from your authenticator app, or a recovery code.',
    'অথেনটিকেটর অ্যাপের ছয়টি সংখ্যা, অথবা একটি রিকভারি কোড।',
  ],
  continue: ['Continue', 'চালিয়ে যান'],
  signIn: ['Sign in', 'সাইন ইন করুন'],
})
