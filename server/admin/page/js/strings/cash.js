import { texts } from '../i18n.js'

export const t = texts({
  title: ['Cash on delivery', 'ক্যাশ অন ডেলিভারি'],
  history: ['Statements', 'হিসাবসমূহ'],
  empty: ['No courier holds your cash', 'কোনো কুরিয়ারের কাছে আপনার টাকা নেই'],
  emptyText: [
    'Once a shipment is booked, its cash is here until the courier pays it out.',
    'পার্সেল বুক হলে কুরিয়ার টাকা না দেওয়া পর্যন্ত হিসাব এখানে থাকে।',
  ],
  oldest: ['oldest {count} days', 'সবচেয়ে পুরোনো {count} দিন'],
  oldestToday: ['since today', 'আজ থেকে'],
  oldest_one: ['oldest 1 day', 'সবচেয়ে পুরোনো ১ দিন'],
  held: ['Held for you, {count} shipments', 'আপনার জন্য রাখা, {count}টি পার্সেল'],
  held_one: ['Held for you, 1 shipment', 'আপনার জন্য রাখা, ১টি পার্সেল'],
  fees: ['fees', 'ফি'],
  payable: ['payable', 'পাওনা'],
  underWay: ['{count} on the way', 'পথে {count}টি'],
  paidOut: ['paid out', 'পেয়েছেন'],
  account: ['Owed by {courier}’s own account', '{courier}-এর নিজের হিসাবে পাওনা'],
  accountMore: [
    '{amount} more than the shop has recorded: enter a statement, or update its shipments.',
    'দোকানের হিসাবের চেয়ে {amount} বেশি: স্টেটমেন্ট দিন, বা পার্সেল আপডেট করুন।',
  ],
  accountLess: [
    '{amount} less than the shop has recorded: enter a statement, or update its shipments.',
    'দোকানের হিসাবের চেয়ে {amount} কম: স্টেটমেন্ট দিন, বা পার্সেল আপডেট করুন।',
  ],
  asOf: ['as of {time}', '{time} পর্যন্ত'],
  noAnswer: ['{message}', 'কুরিয়ার উত্তর দেয়নি। ({message})'],
  lastPayouts: ['Last payouts', 'শেষ পেমেন্টগুলো'],
  charges: ['charges', 'চার্জ'],
  balancesFailed: [
    'The couriers’ own balances could not be loaded.',
    'কুরিয়ারদের নিজের হিসাব লোড করা যায়নি।',
  ],
  toClarify: ['{count} to clarify with the courier', 'কুরিয়ারের সঙ্গে মেলাতে হবে {count}টি'],
  enter: ['Enter a statement', 'হিসাব তুলুন'],
  ours: ['ours', 'আমাদের'],
  theirs: ['theirs', 'তাঁদের'],

  statement: ['Courier’s statement', 'কুরিয়ারের হিসাব'],
  statementText: [
    'The courier’s own file of a payout, as it is: CSV or Excel (.xlsx). Nothing is stored before you have seen it.',
    'কুরিয়ারের দেওয়া পেমেন্টের ফাইল, যেমন আছে তেমনই: CSV বা Excel (.xlsx)। আপনি দেখার আগে কিছুই জমা হয় না।',
  ],
  reading: ['Reading the file…', 'ফাইল পড়া হচ্ছে…'],
  columns: ['Columns', 'কলাম'],
  columnsRead: ['How the file was read', 'ফাইল যেভাবে পড়া হয়েছে'],
  columnsAsk: [
    'Choose what each column has. It is saved for this courier.',
    'কোন কলামে কী আছে বলুন। এই কুরিয়ারের জন্য মনে রাখা হবে।',
  ],
  columnUnnamed: ['Column {number}', 'কলাম {number}'],
  columnUnclear: ['These are amounts: of what?', 'এগুলো টাকার অঙ্ক: কিসের?'],
  column_consignment: ['Consignment ID', 'কনসাইনমেন্ট আইডি'],
  column_collected: ['Collected', 'আদায়'],
  column_fee: ['Fee', 'ফি'],
  column_cashFee: ['Fee for the cash', 'ক্যাশ হ্যান্ডলিং ফি'],
  column_paidOut: ['Paid out', 'পরিশোধ'],
  column_none: ['Nothing to enter', 'তোলার কিছু নেই'],
  notInFile: ['not in the file', 'ফাইলে নেই'],
  statedDiffers: [
    '{what}: the file says {stated} in all, its rows add up to {rows}.',
    '{what}: ফাইলে মোট লেখা {stated}, সারিগুলোর যোগফল {rows}।',
  ],
  leftOut: [
    '{what}: {amount} of {rows} is left out, see below.',
    '{what}: {rows}-এর মধ্যে {amount} বাদ থাকছে, নিচে দেখুন।',
  ],
  arrived: ['What arrived at the bank? (optional)', 'ব্যাংকে কত এসেছে? (না দিলেও চলে)'],
  arrivedInvalid: ['Enter an amount, such as 24650.', 'টাকার অঙ্ক লিখুন, যেমন 24650।'],
  arrivedLess: ['{amount} less than the statement pays out.', 'হিসাবের চেয়ে {amount} কম এসেছে।'],
  arrivedMore: ['{amount} more than the statement pays out.', 'হিসাবের চেয়ে {amount} বেশি এসেছে।'],
  arrivedThen: ['arrived at the bank', 'ব্যাংকে এসেছে'],
  arrivedAll: ['All of it arrived.', 'পুরোটা এসেছে।'],
  choose: ['Choose the file', 'ফাইল বাছুন'],
  paste: ['Paste it instead', 'অথবা পেস্ট করুন'],
  rows: ['Header and rows', 'শিরোনাম ও সারি'],
  check: ['Check', 'দেখুন'],
  shipments: ['{count} shipments', '{count}টি পার্সেল'],
  shipments_one: ['1 shipment', '১টি পার্সেল'],
  collected: ['collected', 'আদায়'],
  paysOut: ['Pays out', 'দিচ্ছে'],
  match: ['{count} match', '{count}টি মিলেছে'],
  match_one: ['1 matches', '১টি মিলেছে'],
  differ: ['{count} differences', '{count}টি অমিল'],
  differ_one: ['1 difference', '১টি অমিল'],
  rowsDiffer: ['{count} differ', '{count}টি মেলেনি'],
  rowsDiffer_one: ['1 differs', '১টি মেলেনি'],
  toCheck: ['To check', 'দেখে নিন'],
  skipped: [
    '{count} lines are about no shipment, such as totals. They are not entered.',
    '{count}টি লাইন কোনো পার্সেলের নয়, যেমন মোট। এগুলো তোলা হবে না।',
  ],
  skipped_one: [
    '1 line is about no shipment, such as a total. It is not entered.',
    '১টি লাইন কোনো পার্সেলের নয়, যেমন মোট। এটি তোলা হবে না।',
  ],
  line: ['Line {line}', 'লাইন {line}'],
  moreLines: ['and {count} more', 'আরও {count}টি'],
  other: ['Another file', 'অন্য ফাইল'],
  enterCount: ['Enter {count} shipments', '{count}টি পার্সেল তুলুন'],
  enterCount_one: ['Enter 1 shipment', '১টি পার্সেল তুলুন'],
  entered: ['{count} shipments entered', '{count}টি পার্সেল তোলা হয়েছে'],
  entered_one: ['1 shipment entered', '১টি পার্সেল তোলা হয়েছে'],

  noHistory: ['No statement was entered yet', 'এখনো কোনো হিসাব তোলা হয়নি'],
  noHistoryText: [
    'Each one is listed here with its sums and differences.',
    'প্রতিটি এখানে মোট ও অমিলসহ থাকবে।',
  ],
  sums: ['Sums', 'মোট'],
  foundThen: [
    'As they were when the statement was entered. Each opens its order.',
    'হিসাব তোলার সময় যা মেলেনি। চাপলে অর্ডার খুলবে।',
  ],
  moreFound: ['and {count} more, which are not stored', 'আরও {count}টি, যা রাখা হয়নি'],
  allMatched: ['Everything matched.', 'সব মিলেছে।'],
  notStored: [
    'What differed was not stored then. What is still open is under Cash on delivery.',
    'তখন অমিলের তালিকা রাখা হয়নি। যা এখনো মেলেনি তা ক্যাশ অন ডেলিভারিতে আছে।',
  ],
  toCash: ['To Cash on delivery', 'ক্যাশ অন ডেলিভারিতে যান'],
  incomplete: ['Entered in part: enter the same file again.', 'আংশিক তোলা: একই ফাইল আবার তুলুন।'],
  unknown: ['Courier not recorded', 'কুরিয়ার জানা নেই'],
  list_underWay: ['On the way', 'পথে'],
  list_held: ['Held', 'রাখা আছে'],
  list_paid: ['Paid out', 'পেয়েছেন'],
  list_different: ['Different', 'অমিল'],
  noShipments: ['No shipments here', 'এখানে কোনো পার্সেল নেই'],
  onPage: ['On this page', 'এই পাতায়'],
})

/** What differs, by the API's sentence. @type {Record<string, [string, string]>} */
const sentences = {
  'The courier paid out a different amount than it collected minus its fee.': [
    'Paid out something else than collected less the fee.',
    'আদায় থেকে ফি বাদে যা হয়, তার চেয়ে ভিন্ন টাকা দিয়েছে।',
  ],
  'The courier collected cash with a shipment that it did not report as delivered.': [
    'Cash of a shipment that it did not report as delivered.',
    'পৌঁছেছে বলে জানায়নি, তবু টাকা আদায় হয়েছে।',
  ],
  'The courier collected a different amount than was due.': [
    'Collected something else than was due.',
    'যত পাওনা ছিল, আদায় তার সমান নয়।',
  ],
  'The courier exchanged the shipment and reported no cash.': [
    'Exchanged, and no cash reported.',
    'বদলি করেছে, টাকার কথা জানায়নি।',
  ],
  'The courier paid out for a shipment that it did not report as delivered.': [
    'Paid out, and not reported as delivered.',
    'পৌঁছেছে বলে জানায়নি, তবু টাকা দিয়েছে।',
  ],
  'The courier deducted more than it collected.': [
    'Deducted more than it collected.',
    'আদায়ের চেয়ে বেশি কেটেছে।',
  ],
  'No shipment has this consignment ID.': [
    'No shipment has this consignment ID: it is left out.',
    'এই কনসাইনমেন্ট আইডির কোনো পার্সেল নেই: এটি বাদ থাকবে।',
  ],
  'The statement lists this consignment ID twice; the first row counts.': [
    'Listed twice; the first row counts.',
    'দুবার আছে; প্রথমটি ধরা হয়েছে।',
  ],
  'The statement has a different cash amount than the courier reported before.': [
    'Other cash than the courier reported before.',
    'আগে জানানো টাকার সঙ্গে মেলে না।',
  ],
  'The statement has a different fee than the courier reported before.': [
    'Another fee than the courier reported before.',
    'আগে জানানো ফির সঙ্গে মেলে না।',
  ],
  'An earlier statement contains the payout of this shipment; the newer one counts.': [
    'Paid in an earlier statement too; the newer one counts.',
    'আগের হিসাবেও আছে; নতুনটি ধরা হয়েছে।',
  ],
}

const sentenceOf = texts(sentences)

const other = texts({ contradicted: ['{what}', 'শেষ হওয়ার পরে কুরিয়ার অন্য ফল জানিয়েছে। ({what})'] })

/**
 * Returns what differs in the page's language. The one sentence with values in it is about
 * statuses.
 */
export const different = (/** @type {string} */ what) =>
  Object.hasOwn(sentences, what) ? sentenceOf(what) : other('contradicted', { what })
