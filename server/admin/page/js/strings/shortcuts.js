import { texts } from '../i18n.js'

export const t = texts({
  shortcutsOff: [
    'Shortcuts of a single key are turned off in Account.',
    'এক-কি শর্টকাট অ্যাকাউন্টে বন্ধ করা আছে।',
  ],
  keySearch: ['Search', 'খোঁজা'],
  keyPalette: ['Command palette', 'কমান্ড তালিকা'],
  keyHelp: ['This list', 'এই তালিকা'],
  keyBack: ['Back', 'ফিরে যাওয়া'],
  keyMove: ['Next and previous in a list', 'তালিকার পরেরটি ও আগেরটি'],
  keySelect: ['Select, or select up to here', 'বাছাই, বা এখান পর্যন্ত বাছাই'],
  keyOpen: ['Open', 'খোলা'],
  keyConfirm: ['Confirm', 'নিশ্চিত করা'],
  keyBook: ['Book', 'বুক করা'],
  keyPrint: ['Print', 'প্রিন্ট'],
  keyCall: ['Call the buyer', 'ক্রেতাকে কল করুন'],
  keyOutcome: ['Outcome of a call, in the call queue', 'কলের তালিকায়: কলের ফল'],
})
