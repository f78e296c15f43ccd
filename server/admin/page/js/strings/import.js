import { texts } from '../i18n.js'
import { explain } from './problem.js'

export const t = texts({
  title: ['Import products', 'পণ্য আমদানি'],
  text: [
    'A CSV file from Shopify, Matrixify, WooCommerce or the export of this shop. What it would change is shown first; \
nothing is written before you confirm.',
    'শপিফাই, ম্যাট্রিক্সিফাই, উকমার্স বা এই দোকানের এক্সপোর্টের CSV ফাইল। কী বদলাবে তা আগে দেখানো হয়; আপনি নিশ্চিত না করলে কিছুই লেখা হয় না।',
  ],
  choose: ['Choose a file', 'ফাইল বাছুন'],
  other: ['Choose another file', 'অন্য ফাইল বাছুন'],
  keepStock: ['Leave the stock as it is', 'স্টক যেমন আছে তেমনই থাকুক'],
  keepStockHint: [
    'Otherwise the quantities in the file replace today’s quantities.',
    'না হলে ফাইলের সংখ্যাই আজকের স্টক হবে।',
  ],
  checking: ['Checking {name}…', '{name} দেখা হচ্ছে…'],
  leave: [
    'The import is running, and continues on the server.',
    'আমদানি চলছে, সার্ভারে চলতেই থাকবে।',
  ],
  importing: ['Importing…', 'আমদানি হচ্ছে…'],
  sheet: [
    'This is a workbook. Save it as CSV (UTF-8) and choose that file.',
    'এটি একটি এক্সেল ফাইল। CSV (UTF-8) হিসেবে সেভ করে সেটি বাছুন।',
  ],
  tooLarge: [
    'The file has more than 20 MiB. Split it, or import it on the server.',
    'ফাইলটি ২০ MiB-এর বড়। ভাগ করে নিন, অথবা সার্ভারে আমদানি করুন।',
  ],
  preview: ['What would happen', 'কী ঘটবে'],
  rows: ['{count} rows', '{count}টি সারি'],
  rows_one: ['{count} row', '{count}টি সারি'],
  created: ['New', 'নতুন'],
  changed: ['Changed', 'বদলাবে'],
  unchanged: ['Unchanged', 'একই থাকবে'],
  removed: [
    'Variants that are removed: the file does not have them',
    'যে ভ্যারিয়েন্ট বাদ যাবে: ফাইলে নেই',
  ],
  collections: ['New collections: {names}', 'নতুন কালেকশন: {names}'],
  ignored: ['Columns that are not read: {names}', 'যে কলাম পড়া হয় না: {names}'],
  html: ['Removed from descriptions: {names}', 'বর্ণনা থেকে বাদ: {names}'],
  apostrophes: [
    'Apostrophes before SKUs and barcodes are removed: {count}',
    'এসকেইউ ও বারকোডের আগের ঊর্ধ্বকমা বাদ: {count}টি',
  ],
  notes: ['Notes', 'লক্ষ্য করুন'],
  notesText: [
    'What the shop cannot store as it is becomes the nearest value that it can.',
    'দোকানে হুবহু রাখা যায় না এমন মান সবচেয়ে কাছের মানে বদলাবে।',
  ],
  faults: [
    '{count} problems: nothing can be imported yet',
    '{count}টি সমস্যা: এখনো আমদানি করা যাবে না',
  ],
  faults_one: [
    '{count} problem: nothing can be imported yet',
    '{count}টি সমস্যা: এখনো আমদানি করা যাবে না',
  ],
  faultsText: ['Correct these in the file, and choose it again.', 'ফাইলে এগুলো ঠিক করে আবার বাছুন।'],
  more: ['… and {count} more', '… আরও {count}টি'],
  line: ['Line {line}', 'সারি {line}'],
  lineAndColumn: ['Line {line}, {column}', 'সারি {line}, {column}'],
  import: ['Import {count} products', '{count}টি পণ্য আমদানি করুন'],
  import_one: ['Import {count} product', '{count}টি পণ্য আমদানি করুন'],
  nothing: ['The shop has all of it already', 'দোকানে সবই আগে থেকে আছে'],
  done: ['Imported', 'আমদানি হয়েছে'],
  doneText: [
    '{created} new, {changed} changed, {unchanged} unchanged.',
    '{created}টি নতুন, {changed}টি বদলেছে, {unchanged}টি একই আছে।',
  ],
  toProducts: ['Show the products', 'পণ্য দেখুন'],
  files: ['Import and export', 'আমদানি ও রপ্তানি'],
  importText: ['From a CSV file, with a preview.', 'CSV ফাইল থেকে, আগে দেখে নিয়ে।'],
  export: ['Export all products', 'সব পণ্য রপ্তানি'],
  exportText: ['As a CSV file in the columns of Shopify.', 'শপিফাইয়ের কলামে CSV ফাইল।'],
  exported: ['The file is saved', 'ফাইল সেভ হয়েছে'],
  kind_weight_rounded: ['Weights rounded to grams', 'ওজন গ্রামে পূর্ণ করা'],
  kind_stock_raised: [
    'Stock below zero becomes zero, parts become whole units',
    'শূন্যের নিচের স্টক শূন্য, ভগ্নাংশ পূর্ণ সংখ্যা',
  ],
  kind_status_replaced: ['Another status', 'অন্য অবস্থা'],
  kind_handle_changed: ['Another web address', 'অন্য ওয়েব ঠিকানা'],
  kind_url_changed: ['Addresses of images completed', 'ছবির ঠিকানা পূর্ণ করা'],
  kind_time_assumed: ['Times without a time zone', 'টাইম জোন ছাড়া সময়'],
  kind_stock_missing: ['No quantity in the file', 'ফাইলে সংখ্যা নেই'],
  kind_stock_shared: ['One quantity for several variants', 'কয়েক ভ্যারিয়েন্টের এক সংখ্যা'],
  kind_row_skipped: ['Rows that are left out', 'যে সারি বাদ যাবে'],
  kind_product_reduced: ['Becomes an ordinary product', 'সাধারণ পণ্য হবে'],
  kind_price_missing: ['Without a price, so a draft', 'দাম নেই, তাই খসড়া'],
  kind_sale_changed: ['Sales with dates', 'তারিখসহ ছাড়'],
  kind_variants_added: ['Variants added', 'ভ্যারিয়েন্ট যোগ'],
  kind_attribute_lost: ['Attributes left out', 'যে বৈশিষ্ট্য বাদ'],
  kind_text_lost: ['Texts shortened or left out', 'ছোট করা বা বাদ দেওয়া লেখা'],
  kind_category_changed: ['Other categories', 'অন্য ক্যাটাগরি'],
  kind_digits_lost: ['Numbers that a spreadsheet shortened', 'স্প্রেডশিটে ছোট হওয়া নম্বর'],
})

// What is wrong in a file, by the problem's code. {message} is the API's own, in English.
/** @type {Record<string, [string, string]>} */
const faults = {
  fault_file_empty: ['The file is empty. Export it again.', 'ফাইলটি খালি। আবার এক্সপোর্ট করুন।'],
  fault_file_utf16: [
    'The file is encoded in UTF-16. Save it as CSV UTF-8.',
    'ফাইলটি UTF-16-এ আছে। CSV UTF-8 হিসেবে সেভ করুন।',
  ],
  fault_file_not_csv: [
    '{message}',
    'এখান থেকে ফাইলটি CSV হিসেবে পড়া যায়নি। উদ্ধৃতিচিহ্নগুলো (") দেখুন। ({message})',
  ],
  fault_cell_not_utf8: [
    'A cell cannot be read. Save the file as CSV UTF-8.',
    'একটি ঘরের লেখা পড়া যায়নি। ফাইলটি CSV UTF-8 হিসেবে সেভ করুন।',
  ],
  fault_row_too_long: [
    'The row has more cells than the header. Enclose cells that contain a comma in quotation marks (").',
    'সারিতে শিরোনামের চেয়ে বেশি ঘর আছে। কমা আছে এমন ঘর উদ্ধৃতিচিহ্নে (") রাখুন।',
  ],
  fault_column_twice: [
    'The column occurs twice. Remove one of the two.',
    'কলামটি দুবার আছে। একটি বাদ দিন।',
  ],
  fault_column_missing: [
    'The column is missing. The first row must have the column names of Shopify, Matrixify or WooCommerce.',
    'কলামটি নেই। প্রথম সারিতে শপিফাই, ম্যাট্রিক্সিফাই বা উকমার্সের কলামের নাম থাকতে হবে।',
  ],
  fault_title_differs: [
    'The title differs from the first row of this handle. Correct it or leave it empty.',
    'একই Handle-এর প্রথম সারির নামের সঙ্গে মেলে না। ঠিক করুন বা খালি রাখুন।',
  ],
  fault_no_handle: [
    'No web address can be derived from this name. Correct it, or add a column Handle.',
    'এই নাম থেকে ওয়েব ঠিকানা হয় না। নাম ঠিক করুন, বা Handle কলাম দিন।',
  ],
  fault_handle_taken: [
    '{message}',
    'আগের একটি সারির পণ্যের ওয়েব ঠিকানাও একই। একটি বদলান। ({message})',
  ],
  fault_rows_apart: [
    '{message}',
    'একই পণ্যের সারিগুলো পরপর থাকতে হবে। সারিটি সেখানে সরান। ({message})',
  ],
  fault_no_parent: [
    '{message}',
    'ফাইলে এর মূল পণ্য নেই। সব ধরনের পণ্য একসঙ্গে এক্সপোর্ট করুন। ({message})',
  ],
  fault_parent_missing: [
    'A variation must have the SKU of its product, or id: and its ID.',
    'ভ্যারিয়েশনে মূল পণ্যের SKU, অথবা id: ও তার আইডি দিন।',
  ],
  fault_not_allowed: ['{message}', 'এখানে নির্দিষ্ট কয়েকটি মানের একটি দিন। ({message})'],
  fault_not_boolean: ['Enter TRUE or FALSE.', 'TRUE বা FALSE দিন।'],
  fault_not_whole: ['Enter a whole number.', 'পূর্ণ সংখ্যা দিন।'],
  fault_too_small: ['Enter 1 or more.', '১ বা তার বেশি দিন।'],
  fault_not_amount: ['{message}', 'শুধু টাকার অঙ্ক দিন, যেমন 1250 বা 1250.50। ({message})'],
  fault_weight_unit: [
    'The unit of the weight must be g, kg, lb or oz.',
    'ওজনের একক g, kg, lb বা oz দিন।',
  ],
  fault_not_weight: ['Enter the weight as a number from 0.', 'ওজন সংখ্যায় দিন, ০ বা তার বেশি।'],
  fault_not_time: [
    'Enter a time such as 2026-03-26T09:00:00+06:00.',
    'সময় দিন, যেমন 2026-03-26T09:00:00+06:00।',
  ],
  fault_not_date: ['Enter a date such as 2026-03-26.', 'তারিখ দিন, যেমন 2026-03-26।'],
  fault_not_json_object: ['Enter a JSON object.', 'একটি JSON অবজেক্ট দিন।'],
}

const words = texts(faults)

/** Returns what is wrong at a place of a file; the API's message if its code has no words. */
export const fault = (/** @type {{ code?: string, message: string }} */ { code = '', message }) =>
  Object.hasOwn(faults, 'fault_' + code)
    ? words('fault_' + code, { message })
    : explain({ code, message })
