import { texts } from '../i18n.js'

export const t = texts({
  status: ['Status', 'অবস্থা'],
  paymentStatus: ['Status of the payment', 'পেমেন্টের অবস্থা'],
  fulfillmentStatus: ['Delivery', 'ডেলিভারি'],
  shipmentStatus: ['Status at the courier', 'কুরিয়ারে অবস্থা'],
  paymentMethod: ['Payment', 'পেমেন্ট'],
  courier: ['Courier', 'কুরিয়ার'],
  source: ['Ordered by', 'অর্ডারের মাধ্যম'],
  city: ['City', 'শহর'],
  product: ['Product', 'পণ্য'],
  productHint: ['Title or SKU', 'নাম বা SKU'],
  testOrders: ['Test orders only', 'শুধু পরীক্ষামূলক অর্ডার'],
  any: ['Any', 'যেকোনো'],
  showOrders: ['Show orders', 'অর্ডার দেখুন'],
  tagsHint: ['Several with commas: any of them.', 'একাধিক হলে কমা দিন: যেকোনো একটি।'],
  saveFilter: ['Save these filters', 'ফিল্টারগুলো সেভ করুন'],
  filterName: ['Name of the filter', 'ফিল্টারের নাম'],
  savedFilters: ['Saved filters', 'সেভ করা ফিল্টার'],
  forget: ['Delete the filter {name}', 'ফিল্টার {name} মুছুন'],
})
