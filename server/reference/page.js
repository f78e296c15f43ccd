// Shows the API document of this server with Swagger UI, and sends its requests with the shop and the
// tokens of the bar at the top. They are saved until the tab is closed.

const storageKey = 'storefront.reference'
const inputs = document.getElementById('access').elements // named like the security schemes of the document
const schemes = ['tenant', 'bearer', 'orderToken']
const status = document.getElementById('status')
let ui

// authorize passes the value of the bar to Swagger UI.
function authorize(scheme) {
  const value = inputs[scheme].value.trim()
  if (value) ui.preauthorizeApiKey(scheme, value)
  else ui.authActions.logout([scheme])
}

function saveInputs() {
  sessionStorage.setItem(storageKey, JSON.stringify(Object.fromEntries(schemes.map((scheme) => [scheme, inputs[scheme].value]))))
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
    fillOrder(body.invoiceUid)
    status.value = `Order ${body.invoiceUid} is filled in below.`
  }
  return response
}

function fillOrder(id) {
  for (const [path, item] of Object.entries(ui.specSelectors.specJson().toJS().paths)) {
    if (!path.includes('{orderId}')) continue
    for (const method of Object.keys(item)) ui.specActions.changeParam([path, method], 'orderId', 'path', id)
  }
}

// Swagger UI scrolls to the operation in the URL, but under the bar at the top. scrollIntoView
// respects the scroll margins of the style sheet. (The class noZensmooth does the same for a link.)
const scrollAsStyled = () => ({
  statePlugins: { layout: { wrapActions: { scrollToElement: () => (around) => around.firstElementChild.scrollIntoView() } } },
})

// addAnchors sets the IDs that links point to: the list of operations, and the rows of the table of
// errors, which the "type" of a problem refers to.
function addAnchors() {
  document.querySelector('.filter-container').id = 'operations'
  for (const code of document.querySelectorAll('.info td:first-child code')) {
    code.closest('tr').id = 'error-' + code.textContent
  }
}

function showError(hash) {
  const row = hash && document.getElementById(hash.slice(1))
  if (!row) return
  history.replaceState(null, '', hash)
  row.classList.add('target')
  row.scrollIntoView({ block: 'center' })
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
for (const scheme of schemes) {
  if (saved[scheme]) inputs[scheme].value = saved[scheme]
  inputs[scheme].addEventListener('change', () => {
    authorize(scheme)
    saveInputs()
  })
}
inputs.tenant.form.addEventListener('submit', (event) => event.preventDefault())

// Swagger UI treats every URL fragment as one of its own.
const errorHash = location.hash.startsWith('#error-') ? location.hash : ''
if (errorHash) history.replaceState(null, '', location.pathname + location.search)

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
    plugins: [scrollAsStyled],
    validatorUrl: null, // the default is a third party's server
    responseInterceptor: saveTokens,
    onComplete: () => {
      schemes.forEach(authorize)
      whenShown('.info table', () => {
        addAnchors()
        showError(errorHash)
      })
    },
  })
}

fetch('/openapi.json')
  .then((response) => response.json())
  .then(show, () => {
    document.getElementById('reference').textContent = 'The document could not be loaded. Reload the page to try again.'
  })
