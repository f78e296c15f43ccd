package browsertest

import (
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
)

// Load is the cost of loading a document.
type Load struct {
	Requests []string      // that reached the server, as "GET http://127.0.0.1:8080/docs"
	Bytes    int           // received, headers included
	Shift    float64       // cumulative layout shift, without shifts after an input
	Shifted  string        // the elements that it moved
	LCP      time.Duration // largest contentful paint
	Largest  string        // its element
	INP      time.Duration // the longest interaction to next paint; 0 means below 16 ms
}

// transfer is a request and its response.
type transfer struct {
	request        string
	bytes          int
	cached, closed bool
}

// vitals observes a document from its beginning.
const vitals = `(() => {
	const seen = {shift: 0, shifted: "", lcp: 0, largest: "", inp: 0}
	const describe = (e) => e.localName + "." + e.className
	const add = (entries) => entries.forEach((e) => {
		if (e.entryType === "largest-contentful-paint") {
			seen.lcp = e.startTime
			seen.largest = e.element ? e.element.localName + "." + (e.element.parentElement?.className ?? "") : ""
		} else if (e.entryType === "event") {
			if (e.interactionId) seen.inp = Math.max(seen.inp, e.duration)
		} else if (!e.hadRecentInput) {
			seen.shift += e.value
			seen.shifted += e.sources.map((s) => s.node ? describe(s.node.parentElement) + " " + (s.node.nodeValue ?? describe(s.node)) : "?")
		}
	})
	const observers = ["layout-shift", "largest-contentful-paint", "event"].map((type) => {
		const observer = new PerformanceObserver((list) => add(list.getEntries()))
		observer.observe({type, buffered: true, durationThreshold: 16})
		return observer
	})
	// What a frame shifts is reported after the frame.
	window.vitals = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
		observers.forEach((observer) => add(observer.takeRecords()))
		done(seen)
	}))))
})()`

// MeasureLoads observes the documents that are opened from now on, for [Page.MeasureLoad].
func (p *Page) MeasureLoads() {
	p.tb.Helper()
	command(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: vitals})
}

// SlowDown emulates a cheap phone on slow 4G: 150 ms for a round trip, 1.6 Mbit/s down, 0.75 Mbit/s
// up, and a processor that is four times as slow as this machine's.
func (p *Page) SlowDown() {
	p.tb.Helper()
	p.slowDown(150)
}

// SlowDownFar is like SlowDown, with 300 ms for a round trip, as to a server on another continent.
func (p *Page) SlowDownFar() {
	p.tb.Helper()
	p.slowDown(300)
}

func (p *Page) slowDown(milliseconds float64) {
	p.tb.Helper()
	const kbit = 1000 / 8
	command(p, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Latency: milliseconds, DownloadThroughput: 1600 * kbit, UploadThroughput: 750 * kbit}},
	})
	command(p, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: 4})
}

// ClearFiles makes the next visit a first one: it empties the browser's cache and removes the files
// of service workers.
func (p *Page) ClearFiles() {
	p.tb.Helper()
	command(p, network.ClearBrowserCache, cdp.Empty{})
	command(p, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true})
}

// MeasureLoad waits until no request is open and returns the document's cost since its opening, or
// since the previous call. Shift and LCP count from its beginning.
func (p *Page) MeasureLoad() Load {
	p.tb.Helper()
	p.Eval("vitals()", nil) // lazy pictures are requested after a frame
	for deadline := p.lastMoment(); len(p.openTransfers()) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.fail("browser: still open: %v", p.openTransfers())
		}
	}
	var seen struct {
		Shift, LCP, INP  float64
		Shifted, Largest string
	}
	p.Eval("vitals()", &seen)
	milliseconds := func(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
	load := Load{
		Shift: seen.Shift, Shifted: seen.Shifted, LCP: milliseconds(seen.LCP), Largest: seen.Largest, INP: milliseconds(seen.INP),
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, t := range p.transfers {
		if !t.cached {
			load.Requests = append(load.Requests, t.request)
			load.Bytes += t.bytes
		}
		delete(p.transfers, id)
	}
	return load
}

func (p *Page) openTransfers() (open []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.transfers {
		if !t.closed {
			open = append(open, t.request)
		}
	}
	return open
}

// onTransfer records the course of requests. p.mu is held.
func (p *Page) onTransfer(event any) {
	end := func(id network.RequestID, change func(*transfer)) {
		if t := p.transfers[id]; t != nil {
			change(t)
		}
	}
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if e.Type == network.ResourceTypeDocument {
			p.document = e.LoaderID
			clear(p.transfers)
		}
		if e.LoaderID != p.document { // of the previous document: it may never end
			return
		}
		p.transfers[e.RequestID] = &transfer{request: e.Request.Method + " " + e.Request.URL}
	case *network.EventRequestServedFromCache:
		end(e.RequestID, func(t *transfer) { t.cached = true })
	case *network.EventResponseReceived:
		end(e.RequestID, func(t *transfer) { t.cached = t.cached || e.Response.FromDiskCache })
	case *network.EventLoadingFinished:
		end(e.RequestID, func(t *transfer) { t.bytes, t.closed = int(e.EncodedDataLength), true })
	case *network.EventLoadingFailed:
		end(e.RequestID, func(t *transfer) { t.closed = true })
	}
}

// SetOffline cuts the page off from the network, or connects it again.
func (p *Page) SetOffline(offline bool) {
	p.tb.Helper()
	command(p, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		EmulateOfflineServiceWorker: &offline,
		MatchedNetworkConditions:    []*network.Conditions{{DownloadThroughput: -1, UploadThroughput: -1, Offline: offline}},
	})
}
