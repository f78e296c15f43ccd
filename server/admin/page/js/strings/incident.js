import { texts } from '../i18n.js'

export const t = texts({
  incidents: ['Status', 'অবস্থা'],
  toPage: ['Public page', 'সবার জন্য পাতা'],
  none: ['No incidents in the last 90 days', 'গত ৯০ দিনে কোনো সমস্যা নেই'],
  noneText: [
    'Everybody reads on the status page what works, and what you announce here.',
    'কী চলছে আর আপনি এখানে কী জানান, তা সবাই অবস্থার পাতায় পড়ে।',
  ],
  open: ['Announce an incident', 'সমস্যা জানান'],
  openText: [
    'Everybody can read it within seconds. Do not name shops or people.',
    'কয়েক সেকেন্ডেই সবাই পড়তে পারবে। দোকান বা মানুষের নাম দেবেন না।',
  ],
  update: ['Update', 'হালনাগাদ'],
  remove: ['Remove', 'বাদ দিন'],
  removeText: [
    'Remove “{title}” from the page? Resolve what is over instead.',
    '“{title}” পাতা থেকে বাদ দেবেন? সমস্যা মিটে গেলে “ঠিক হয়েছে” দিন।',
  ],
  title: ['Title', 'শিরোনাম'],
  text: ['Text', 'লেখা'],
  state: ['State', 'অবস্থা'],
  affected: ['Affected', 'যা আক্রান্ত'],
  publish: ['Publish', 'প্রকাশ করুন'],
  state_investigating: ['Investigating', 'খোঁজা হচ্ছে'],
  state_identified: ['Identified', 'কারণ পাওয়া গেছে'],
  state_monitoring: ['Monitoring', 'নজরে রাখা হচ্ছে'],
  state_resolved: ['Resolved', 'ঠিক হয়েছে'],
  part_api: ['Storefront API', 'স্টোরফ্রন্ট এপিআই'],
  part_dashboard: ['Dashboard', 'ড্যাশবোর্ড'],
  part_site: ['Shop pages', 'দোকানের পাতা'],
  part_messages: ['SMS and e-mail', 'এসএমএস ও ই-মেইল'],
  part_webhooks: ['Webhooks', 'ওয়েবহুক'],
  part_backups: ['Backups', 'ব্যাকআপ'],
})
