package e2e

import (
	"slices"
	"strings"
	"testing"
)

// After the first visit the page opens without a request for a file, also without a network, and
// nothing of the API is stored: on this machine, and over HTTPS.
func testSecondVisit(t *testing.T, p *process, data string) {
	for _, protocol := range []string{"http", "https"} {
		t.Run(protocol, func(t *testing.T) {
			address := p.url
			if protocol == "https" {
				address = overTLS(t, p, data) // ends after the page, whose stream of events it waits for
			}
			testSecondVisitAt(t, p, address)
		})
	}
}

func testSecondVisitAt(t *testing.T, p *process, address string) {
	m := &merchant{openWindow(t, p, 360)}
	m.shots = "dashboard-360-"
	m.Go(strings.Replace(demoLink.FindString(p.logged()), p.url, address, 1))
	m.Wait(`document.querySelector(".wide #main h1") && navigator.serviceWorker.controller`)
	m.Eval(`(location.hash = "#/demo/orders?view=all", true)`, nil)
	m.Reload()
	m.Wait(`document.querySelector("[data-order]")`)
	var stored, requested []string
	m.Eval(`caches.keys().then(async (names) =>
		(await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map((r) => r.url)))).flat())`, &stored)
	m.Eval(`performance.getEntriesByType("resource").filter((r) => r.name.includes("/admin/assets/"))
		.map((r) => r.workerStart > 0 ? r.name : "")`, &requested)
	for _, file := range append(requested, address+"/admin/") {
		if !slices.Contains(stored, file) {
			t.Errorf("second visit: %q was requested from the server; stored are %q", file, stored)
		}
	}
	if len(requested) < 4 || slices.ContainsFunc(stored, func(url string) bool { return strings.Contains(url, "/v1/") }) {
		t.Errorf("got %d files, stored %q, want those of the page and nothing of the API", len(requested), stored)
	}
	var noted []string
	m.Eval(`Object.keys(localStorage).filter((name) => !/^sf-(shops?|language|theme|demo-demo)$/.test(name))`, &noted)
	if len(noted) > 0 {
		t.Errorf("got %q on the device after a list was read, want nothing of it", noted)
	}
	m.AllowProblem("ERR_INTERNET_DISCONNECTED")
	m.SetOffline(true)
	m.Reload()
	m.waitText("#main", "Offline since")
	m.waitText(".top .shop", "Demo")
	m.check("no-network")
	m.SetOffline(false)
	m.Wait(`document.querySelector("[data-order]")`) // by itself
}
