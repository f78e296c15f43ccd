// The tags of advertisers. The page loads this file once the buyer allows it.

const load = (address) => {
  const script = document.createElement('script')
  script.async = true
  script.src = address
  document.head.append(script)
}

// The functions that the scripts of the advertisers replace, until these have loaded.
const starters = {
  meta: (id) => {
    const fbq = (...call) => (fbq.callMethod ? fbq.callMethod(...call) : fbq.queue.push(call))
    Object.assign(fbq, { push: fbq, loaded: true, version: '2.0', queue: [] })
    window.fbq = window._fbq = fbq
    fbq('set', 'autoConfig', false, id)
    fbq('init', id)
    fbq('track', 'PageView')
    load('https://connect.facebook.net/en_US/fbevents.js')
    return ({ name, value, currency, ids, id: eventID }) =>
      fbq(
        'track',
        name,
        { value, currency, content_ids: ids, content_type: 'product' },
        { eventID },
      )
  },
  tiktok: (id) => {
    const address = 'https://analytics.tiktok.com/i18n/pixel/events.js'
    const ttq = []
    for (const method of ['page', 'track', 'identify', 'instances', 'ready', 'on', 'off']) {
      ttq[method] = (...call) => ttq.push([method, ...call])
    }
    const own = Object.assign([], { _u: address })
    Object.assign(ttq, { _i: { [id]: own }, _t: { [id]: Date.now() }, _o: { [id]: {} } })
    window.TiktokAnalyticsObject = 'ttq'
    window.ttq = ttq
    ttq.page()
    load(`${address}?sdkid=${id}&lib=ttq`)
    return ({ name, value, currency, ids, id: event_id }) => {
      const contents = ids.map((content_id) => ({ content_id, content_type: 'product' }))
      window.ttq.track(name, { value, currency, contents }, { event_id })
    }
  },
  google: (id) => {
    window.dataLayer = []
    const gtag = function () {
      window.dataLayer.push(arguments)
    }
    gtag('js', new Date())
    gtag('config', id)
    load(`https://www.googletagmanager.com/gtag/js?id=${id}`)
    const names = {
      ViewContent: 'view_item',
      InitiateCheckout: 'begin_checkout',
      Purchase: 'purchase',
    }
    return ({ name, value, currency, ids, id: transaction_id }) => {
      const items = ids.map((item_id) => ({ item_id }))
      gtag('event', names[name], { value, currency, items, transaction_id })
    }
  },
}

// A purchase is reported once by a browser that can store it.
const isNew = ({ id }) => {
  if (!id) return true
  try {
    if (localStorage.getItem('purchase') === id) return false
    localStorage.setItem('purchase', id)
  } catch {
    return false
  }
  return true
}

/** Loads the scripts of the advertisers, and reports the page's event to them. */
export function report(set) {
  const event = set.event && isNew(set.event) && set.event
  for (const [name, id] of Object.entries(set.tags)) {
    const track = starters[name](id)
    if (event && !(event.id && set.later.includes(name))) track(event)
  }
}
