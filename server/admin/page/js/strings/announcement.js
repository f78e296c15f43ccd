// Texts about messages of the operator of the server to shops.

import { texts } from '../i18n.js'

export const t = texts({
  announcements: ['Announcements', 'ঘোষণা'],
  announcementsText: [
    'A line above the dashboard of shops, until each staff member dismisses it.',
    'দোকানের ড্যাশবোর্ডের ওপরে একটি লাইন; প্রত্যেক কর্মী বন্ধ না করা পর্যন্ত থাকে।',
  ],
  none: ['None', 'নেই'],
  announce: ['New announcement', 'নতুন ঘোষণা'],
  publish: ['Publish', 'প্রকাশ করুন'],
  published: ['Published', 'প্রকাশিত'],
  remove: ['Remove', 'বাদ দিন'],
  removed: ['Removed', 'বাদ দেওয়া হয়েছে'],
  dismiss: ['Dismiss', 'বন্ধ করুন'],
  kind: ['Subject', 'বিষয়'],
  kind_maintenance: ['Maintenance', 'রক্ষণাবেক্ষণ'],
  kind_version: ['New version', 'নতুন সংস্করণ'],
  kind_information: ['Information', 'তথ্য'],
  en: ['In English', 'ইংরেজিতে'],
  bn: ['In Bangla', 'বাংলায়'],
  from: ['From', 'শুরু'],
  until: ['Until', 'শেষ'],
  fromHint: ['Empty for now. Time zone: {zone}', 'খালি থাকলে এখনই। সময় অঞ্চল: {zone}'],
  untilHint: [
    'Empty until you remove it. Time zone: {zone}',
    'খালি থাকলে বাদ না দেওয়া পর্যন্ত। সময় অঞ্চল: {zone}',
  ],
  plan: ['Plan', 'প্ল্যান'],
  planHint: ['Empty for all', 'খালি থাকলে সব'],
  shops: ['Shops', 'দোকান'],
  shopsHint: ['UIDs with spaces between; empty for all', 'UID, মাঝে ফাঁকা; খালি থাকলে সব'],
})
