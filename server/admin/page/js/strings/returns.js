import { texts } from '../i18n.js'

export const t = texts({
  title: ['Returns', 'ফেরত'],
  intro: ['Type or scan what is written on the shipment, one after the other.', 'পার্সেলে যা লেখা তা একে একে লিখুন বা স্ক্যান করুন।'],
  field: ['Consignment ID, order or phone number', 'কনসাইনমেন্ট আইডি, অর্ডার বা ফোন নম্বর'],
  find: ['Find', 'খুঁজুন'],
  unknown: ['No order has “{text}”.', '“{text}” আছে এমন কোনো অর্ডার নেই।'],
  several: ['Several orders have “{text}”. Choose one.', '“{text}” একাধিক অর্ডারে আছে। একটি বাছুন।'],
  isBack: ['All of it is back', 'সবটা ফেরত এসেছে'],
  record: ['Record the return', 'ফেরত লিখুন'],
  notPossible: ['This order was not shipped, or is back already.', 'অর্ডারটি পাঠানো হয়নি, বা আগেই ফেরত এসেছে।'],
  stock: ['All items go back to stock.', 'সব পণ্য স্টকে ফিরবে।'],
  someDamaged: ['Missing or damaged', 'কিছু আসেনি বা নষ্ট হয়েছে'],
  howManyDamaged: ['How many are missing or damaged?', 'কয়টি আসেনি বা নষ্ট?'],
  damagedOf: ['Missing or damaged {title}', 'আসেনি বা নষ্ট {title}'],
  damagedHint: ['The others go back to stock.', 'বাকিগুলো স্টকে ফিরবে।'],
  done: ['#{number} is back', '#{number} ফেরত এসেছে'],
  today: ['Recorded just now', 'এইমাত্র লেখা'],
  coming: ['On their way back', 'ফেরত আসছে'],
  noneComing: ['Nothing comes back', 'কিছু ফেরত আসছে না'],
  noneText: ['Shipments that couriers bring back appear here.', 'কুরিয়ার যা ফেরত আনছে তা এখানে দেখা যায়।'],
  open: ['Open', 'খুলুন'],
})
