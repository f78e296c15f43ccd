// Sets colours and language before the first paint. It is no module, since those run later.
{
  const theme = localStorage.getItem('sf-theme')
  const dark = /** @type {HTMLLinkElement} */ (document.getElementById('dark'))
  if (theme === 'dark') dark.media = 'all'
  if (theme === 'light') dark.media = 'not all'
  document.documentElement.dataset.theme = theme || 'system'
  const language =
    localStorage.getItem('sf-language') || (navigator.language.startsWith('bn') ? 'bn' : 'en')
  document.documentElement.lang = language === 'bn' ? 'bn' : 'en'
}
