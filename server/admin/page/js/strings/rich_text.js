import { texts } from '../i18n.js'

export const t = texts({
  tools: ['Format', 'লেখার ধরন'],
  B: ['Bold', 'মোটা'],
  I: ['Italic', 'বাঁকা'],
  H3: ['Heading', 'শিরোনাম'],
  UL: ['List', 'তালিকা'],
  OL: ['Numbered list', 'নম্বরসহ তালিকা'],
  A: ['Link', 'লিংক'],
  address: ['Address of the link', 'লিংকের ঠিকানা'],
  setLink: ['Set link', 'লিংক দিন'],
  removeLink: ['Remove', 'সরান'],
  notLoaded: ['The editor could not be loaded.', 'লেখার ঘরটি আনা যায়নি।'],
})
