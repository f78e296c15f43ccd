// Shows the API document of this server with Swagger UI, and sends its requests with the shop and the
// tokens of the bar at the top. They are saved until the tab is closed.

const documentURL = document.body.dataset.document
const storageKey = 'storefront.reference' + documentURL
const inputs = document.getElementById('access').elements
const named = (attribute) => [...inputs].map((input) => input.dataset[attribute]).filter(Boolean)
const schemes = named('scheme') // security schemes of the document
const parameters = named('parameter') // parameters in the paths of operations
const status = document.getElementById('status')
let ui

// authorize passes the value of the bar to Swagger UI.
function authorize(scheme) {
  const value = inputs[scheme].value.trim()
  if (value) ui.preauthorizeApiKey(scheme, value)
  else ui.authActions.logout([scheme])
}

function saveInputs() {
  sessionStorage.setItem(storageKey, JSON.stringify(Object.fromEntries([...schemes, ...parameters].map((name) => [name, inputs[name].value]))))
}

function setInput(scheme, value) {
  inputs[scheme].value = value
  authorize(scheme)
  saveInputs()
}

// saveTokens fills the tokens and the order of a response in for the next requests.
function saveTokens(response) {
  const body = response.ok && response.body
  if (body && body.accessToken) {
    setInput('bearer', body.accessToken)
    status.value = 'The access token of the response is filled in.'
  }
  if (body && body.orderToken) {
    setInput('orderToken', body.orderToken)
    fillPath('orderId', body.invoiceUid)
    status.value = `Order ${body.invoiceUid} is filled in below.`
  }
  return response
}

// fillPath fills a parameter in the paths of all operations in.
function fillPath(name, value) {
  for (const [path, item] of Object.entries(ui.specSelectors.specJson().toJS().paths)) {
    if (!path.includes(`{${name}}`)) continue
    for (const method of Object.keys(item)) ui.specActions.changeParam([path, method], name, 'path', value)
  }
}

// Swagger UI scrolls to the operation in the URL, but under the bar at the top. scrollIntoView
// respects the scroll margins of the style sheet. (The class noZensmooth does the same for a link.)
const scrollAsStyled = () => ({
  statePlugins: { layout: { wrapActions: { scrollToElement: () => (around) => around.firstElementChild.scrollIntoView() } } },
})

// hasNoLock reports whether an operation can be called with nothing but a shop, which every
// operation needs.
const hasNoLock = (security) => !security || security.some((requirement) => requirement.keySeq().every((name) => name === 'tenant'))

// No lock on a public operation. Swagger UI shows one for x-tenant, too.
const locks = () => ({
  wrapComponents: {
    OperationSummary: (Original, system) => (props) => {
      const { operationProps } = props
      const shown = hasNoLock(operationProps.get('security')) ? operationProps.delete('security') : operationProps
      return system.React.createElement(Original, { ...props, operationProps: shown })
    },
  },
})

// The page is dark where the reader's other pages are.
const dark = matchMedia('(prefers-color-scheme: dark)')
const setDark = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', setDark)
setDark()

// The sidebar is open beside the reference, and folded above it.
const contents = document.getElementById('contents')
const wide = matchMedia('(min-width: 64rem)')
const foldContents = () => (contents.open = wide.matches)
wide.addEventListener('change', foldContents)
foldContents()

// The sidebar begins below the bar, whose height depends on the width of the page.
const bar = document.querySelector('header')
new ResizeObserver(() => document.documentElement.style.setProperty('--bar', bar.offsetHeight + 'px')).observe(bar)

function section(title, links) {
  const nav = contents.querySelector('nav')
  const heading = document.createElement('h2')
  heading.textContent = title
  const list = document.createElement('ul')
  for (const [text, href, open] of links) {
    const link = document.createElement('a')
    link.href = href
    link.textContent = text
    link.addEventListener('click', (event) => {
      event.preventDefault()
      if (!wide.matches) contents.open = false
      history.replaceState(null, '', href)
      open()
    })
    const item = document.createElement('li')
    item.append(link)
    list.append(item)
  }
  nav.append(heading, list)
}

function openOperation(tag, id) {
  ui.layoutActions.show(['operations-tag', tag], true)
  ui.layoutActions.show(['operations', tag, id], true)
  const selector = `#operations-${tag}-${id}`
  whenShown(selector, () => document.querySelector(selector).scrollIntoView())
}

// addContents lists the headings of the guide and the operations of each tag in the sidebar.
function addContents(spec) {
  const headings = [...document.querySelectorAll('.info h2[id], .info .renderedMarkdown h2, .info .markdown h2')]
  section('Guide', headings.map((heading, i) => {
    heading.id = heading.id || 'guide-' + i
    return [heading.textContent, '#' + heading.id, () => heading.scrollIntoView()]
  }))
  for (const tag of spec.tags) {
    const links = []
    for (const item of Object.values(spec.paths)) {
      for (const operation of Object.values(item)) {
        if (!operation.tags?.includes(tag.name)) continue
        const id = operation.operationId
        links.push([operation.summary, `#/${tag.name}/${id}`, () => openOperation(tag.name, id)])
      }
    }
    section(tag.name, links)
  }
}

// whenShown calls a function as soon as an element exists: Swagger UI renders asynchronously.
function whenShown(selector, callback) {
  const observer = new MutationObserver(check)
  function check() {
    if (!document.querySelector(selector)) return
    observer.disconnect()
    callback()
  }
  observer.observe(document.body, { childList: true, subtree: true })
  check()
}

const saved = JSON.parse(sessionStorage.getItem(storageKey) || '{}')
for (const name of [...schemes, ...parameters]) {
  if (saved[name]) inputs[name].value = saved[name]
  inputs[name].addEventListener('change', () => {
    if (schemes.includes(name)) authorize(name)
    else fillPath(name, inputs[name].value.trim())
    saveInputs()
  })
}
inputs.tenant.form.addEventListener('submit', (event) => event.preventDefault())

function show(spec) {
  spec.servers = [{ url: '/' }] // the Content-Security-Policy allows requests to this server only
  ui = SwaggerUIBundle({
    spec,
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    filter: true,
    tryItOutEnabled: true,
    plugins: [scrollAsStyled, locks],
    validatorUrl: null, // the default is a third party's server
    responseInterceptor: saveTokens,
    onComplete: () => {
      schemes.forEach(authorize)
      parameters.filter((name) => inputs[name].value).forEach((name) => fillPath(name, inputs[name].value.trim()))
      whenShown('.info table', () => {
        document.querySelector('.filter-container').id = 'operations' // the bar on top links to it
        addContents(spec)
      })
    },
  })
}

fetch(documentURL)
  .then((response) => response.json())
  .then(show, () => {
    document.getElementById('reference').textContent = 'The document could not be loaded. Reload the page to try again.'
  })
