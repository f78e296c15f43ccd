import { texts } from '../i18n.js'

export const t = texts({
  title: ['Somebody else has changed it too', 'অন্য কেউও এটি বদলেছেন'],
  text: [
    'Choose which values to save. Nothing is saved yet.',
    'কোনটি থাকবে বেছে নিন। এখনো কিছু সেভ হয়নি।',
  ],
  yours: ['Yours', 'আপনার'],
  theirs: ['Theirs', 'তাঁদের'],
  alsoChanged: ['Also changed by them:', 'তাঁরা আরও বদলেছেন, এগুলো থাকবে:'],
  empty: ['nothing', 'কিছু না'],
  saveChosen: ['Save these', 'এগুলো সেভ করুন'],
})
