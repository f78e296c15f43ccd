import { texts } from '../i18n.js'

export const t = texts({
  title: ['Print {count} orders', '{count}টি অর্ডার প্রিন্ট'],
  title_one: ['Print the order', 'অর্ডার প্রিন্ট'],
  document: ['Document', 'কী প্রিন্ট হবে'],
  kind_label: ['Courier labels', 'কুরিয়ার লেবেল'],
  hint_label: ['Recipient, cash and bar code', 'প্রাপক, নগদ ও বারকোড'],
  kind_invoice: ['Invoices', 'ইনভয়েস'],
  hint_invoice: ['For the buyer; narrow paper: a receipt', 'ক্রেতার জন্য; সরু কাগজে রসিদ'],
  kind_packing: ['Packing slips', 'প্যাকিং স্লিপ'],
  hint_packing: ['Items to tick, no prices', 'টিক দেওয়ার তালিকা, দাম ছাড়া'],
  kind_picklist: ['Pick list', 'পণ্য তোলার তালিকা'],
  hint_picklist: ['All items in one list', 'সব পণ্য এক তালিকায়'],
  kind_handover: ['Handover sheet', 'হস্তান্তর তালিকা'],
  hint_handover: ['For the courier’s rider to sign', 'কুরিয়ারের রাইডারের স্বাক্ষরের জন্য'],
  size: ['Paper', 'কাগজ'],
  size_: ['As in the settings', 'সেটিংসে যেমন আছে'],
  size_a4: ['A4', 'এ৪'],
  size_a5: ['A5', 'এ৫'],
  size_a6: ['A6', 'এ৬'],
  size_100x150: ['100 × 150 mm', '১০০ × ১৫০ মিমি'],
  size_80mm: ['80 mm roll', '৮০ মিমি রোল'],
  size_58mm: ['58 mm roll', '৫৮ মিমি রোল'],
  size_a4x4: ['Four on A4', 'এ৪-এ চারটি'],
  language: ['Language', 'ভাষা'],
  language_: ['The shop’s', 'দোকানের'],
  language_en: ['English', 'ইংরেজি'],
  language_bn: ['Bangla', 'বাংলা'],
  mark: ['Mark as printed', 'প্রিন্ট হয়েছে লিখে রাখুন'],
  print: ['Print', 'প্রিন্ট করুন'],
  preview: ['Open the pages', 'পেজগুলো খুলুন'],
  failed: ['The pages could not be prepared. Try again.', 'পেজগুলো তৈরি করা যায়নি। আবার চেষ্টা করুন।'],
  printed: ['Printed', 'প্রিন্ট'],
  printedBy: ['{time} · {name}', '{time} · {name}'],
})

/** What was printed, by the names of the API. */
export const document = (/** @type {string} */ kind) => t(/** @type {any} */ ('kind_' + kind))
