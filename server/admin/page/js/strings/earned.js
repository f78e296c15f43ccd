import { texts } from '../i18n.js'

export const t = texts({
  earned: ['Earned', 'আয়'],
  goods: ['Goods that the buyer retains', 'ক্রেতার রাখা পণ্য'],
  delivery: ['Delivery charge', 'ডেলিভারি চার্জ'],
  rounding: ['Rounding', 'খুচরা বাদ'],
  unpaid: ['Not paid', 'পরিশোধ হয়নি'],
  cost: ['Cost of the goods', 'পণ্যের কেনা দাম'],
  lost: ['Damaged or missing goods', 'নষ্ট বা হারানো পণ্য'],
  courierFees: ['Courier’s fee', 'কুরিয়ারের ফি'],
  cashFees: ['Courier’s share of the cash', 'কুরিয়ারের ক্যাশ চার্জ'],
  unknown: ['not known', 'জানা নেই'],
  notYet: ['not known yet', 'এখনো জানা নেই'],
  noCost: [
    'Enter what the products cost you, then this adds up.',
    'পণ্যের কেনা দাম লিখুন, তাহলে হিসাব মিলবে।',
  ],
  noFee: ['The courier has not reported its fee yet.', 'কুরিয়ার এখনো ফি জানায়নি।'],
  noRate: ['The courier’s settings cannot be read.', 'কুরিয়ারের সেটিংস পড়া যাচ্ছে না।'],
  gateway: ['The gateway’s fee is not known here.', 'গেটওয়ের ফি এখানে ধরা হয়নি।'],
})
