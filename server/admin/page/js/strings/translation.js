// Texts of the shop's second language.

import { texts } from '../i18n.js'

export const t = texts({
  title: ['Translations', 'অনুবাদ'],
  text: [
    'Where a translation is missing, buyers see the first language.',
    'অনুবাদ না থাকলে ক্রেতা প্রথম ভাষার লেখাই দেখেন।',
  ],
  oneLanguage: ['The shop has one language', 'দোকানের ভাষা একটি'],
  oneLanguageText: [
    'Choose a second one, and its pages are below /bn/ or /en/.',
    'দ্বিতীয় একটি ভাষা বাছুন, তার পেজ থাকবে /bn/ বা /en/-এর নিচে।',
  ],
  chooseLanguage: ['Choose a language', 'ভাষা বাছুন'],
  kinds: ['What is translated', 'কী অনুবাদ হবে'],
  kind_product: ['Products', 'পণ্য'],
  kind_collection: ['Collections', 'কালেকশন'],
  kind_page: ['Pages', 'পেজ'],
  kind_policy: ['Policies', 'নীতিমালা'],
  kind_delivery_charge: ['Delivery', 'ডেলিভারি'],
  which: ['Which of them', 'কোনগুলো'],
  missing: ['Missing', 'বাকি'],
  all: ['All', 'সব'],
  none: ['There are none', 'কিছু নেই'],
  complete: ['Nothing is missing', 'কিছু বাকি নেই'],
  lacks: ['{count} texts are missing', '{count}টি লেখা বাকি'],
  lacks_one: ['{count} text is missing', '{count}টি লেখা বাকি'],
  whole: ['translated', 'অনুবাদ হয়েছে'],
  gone: ['It was deleted in the meantime.', 'এটি এর মধ্যে মুছে ফেলা হয়েছে।'],
  discard: ['Discard', 'বাদ দিন'],
  in_en: ['English', 'ইংরেজি'],
  in_bn: ['Bangla', 'বাংলা'],
  field_title: ['Title', 'শিরোনাম'],
  field_name: ['Name', 'নাম'],
  field_estimate: ['Duration', 'সময়'],
  field_descriptionHtml: ['Description', 'বিবরণ'],
  field_bodyHtml: ['Text', 'লেখা'],
  field_seoTitle: ['Title for search engines', 'সার্চের শিরোনাম'],
  field_seoDescription: ['Description for search engines', 'সার্চের বিবরণ'],
  field_option: ['Option: {name}', 'অপশন: {name}'],
  field_value: ['Value: {name}', 'মান: {name}'],
})
