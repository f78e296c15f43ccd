import { texts } from '../i18n.js'

export const t = texts({
  sms: ['SMS', 'এসএমএস'],
  mail: ['E-mail', 'ই-মেইল'],
  gateway: ['SMS gateway', 'এসএমএস গেটওয়ে'],
  server: ['Mail server', 'মেইল সার্ভার'],
  smsText: [
    'For the codes with which buyers sign in, and messages about their orders.',
    'ক্রেতার সাইন ইনের কোড ও অর্ডারের বার্তার জন্য।',
  ],
  smsNow: [
    'Messages are sent by {name}. Saving replaces it, with its key.',
    'বার্তা যায় {name} দিয়ে। সেভ করলে কি-সহ বদলে যাবে।',
  ],
  company: ['Company', 'কোম্পানি'],
  optional: ['May stay empty.', 'খালি রাখা যায়।'],
  mailText: [
    'For messages to buyers who leave an e-mail address.',
    'যেসব ক্রেতা ই-মেইল দেন তাঁদের বার্তার জন্য।',
  ],
  from: ['Sender’s address', 'প্রেরকের ই-মেইল'],
  fromHint: ['Buyers see it and answer to it.', 'ক্রেতা এটি দেখেন, উত্তরও এখানে আসে।'],
  fromName: ['Sender’s name', 'প্রেরকের নাম'],
  fromNameHint: ['Empty: the shop’s name.', 'খালি থাকলে দোকানের নাম।'],
  host: ['Server', 'সার্ভার'],
  port: ['Port', 'পোর্ট'],
  security: ['Encryption', 'এনক্রিপশন'],
  starttls: ['STARTTLS', 'STARTTLS'],
  tls: ['TLS', 'TLS'],
  none: ['None', 'নেই'],
  username: ['User name', 'ইউজার নাম'],
  password: ['Password', 'পাসওয়ার্ড'],
  passwordAgain: ['Enter it again to save.', 'সেভ করতে আবার লিখুন।'],
  remove: ['Remove', 'সরান'],
  removeSMS: ['Remove the SMS gateway', 'এসএমএস গেটওয়ে সরান'],
  removeSMSText: [
    'The shop then sends no text messages, and buyers cannot sign in by phone.',
    'এরপর দোকান থেকে এসএমএস যাবে না, ক্রেতারা ফোনে সাইন ইন করতে পারবেন না।',
  ],
  removeMail: ['Remove the mail server', 'মেইল সার্ভার সরান'],
  removeMailText: ['The shop then sends no e-mails.', 'এরপর দোকান থেকে ই-মেইল যাবে না।'],
  test: ['Send a test', 'পরীক্ষা করুন'],
  testSMSText: ['It costs as much as any message.', 'এতে সাধারণ বার্তার সমান খরচ হয়।'],
  testMailText: ['A short e-mail to see that it arrives.', 'পৌঁছায় কি না দেখতে একটি ছোট ই-মেইল।'],
  testPhone: ['Your phone number', 'আপনার ফোন নম্বর'],
  testEmail: ['Your e-mail address', 'আপনার ই-মেইল'],
  send: ['Send', 'পাঠান'],
  sent_sent: ['Sent. It should arrive within a minute.', 'পাঠানো হয়েছে। এক মিনিটে পৌঁছাবে।'],
  sent_unknown: ['Nobody answered whether it was sent.', 'গিয়েছে কি না জানা যায়নি।'],
  sent_failed: ['It was not sent.', 'পাঠানো যায়নি।'],
  readOnly: ['Only an owner can change this.', 'শুধু মালিক এটি বদলাতে পারেন।'],
})

/** @type {Record<string, [string, string]>} */
const params = {
  field_apiKey: ['API key', 'API Key'],
  field_apiToken: ['API token', 'API Token'],
  field_authToken: ['Auth token', 'Auth Token'],
  field_accountSid: ['Account SID', 'Account SID'],
  field_username: ['User name', 'ইউজার নাম'],
  field_sender: ['Approved sender', 'অনুমোদিত সেন্ডার আইডি'],
}

const named = texts(params)

/** Returns the name of a gateway's parameter, undefined if it has none here. */
export const paramLabel = (/** @type {string} */ name) =>
  Object.hasOwn(params, 'field_' + name) ? named('field_' + name) : undefined
