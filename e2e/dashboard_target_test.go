package e2e

import "testing"

// What the dashboard must reach in taps and bytes.
func TestDashboard_Targets(t *testing.T) {
	t.Parallel()
	p := serve(t, "--dev", "--data", t.TempDir())
	t.Run("taps", func(t *testing.T) { testTaps(t, p) })
	t.Run("first visit", func(t *testing.T) { testFirstVisit(t, p) })
}

// taps counts what a person taps.
type taps struct {
	*merchant
	n int
}

func (m *taps) tap(selector string) {
	m.t.Helper()
	m.n++
	m.Click(selector)
}

// want fails the test for more taps than a task may need, and begins to count again.
func (m *taps) want(task string, most int) {
	m.t.Helper()
	m.t.Logf("%s: %d taps", task, m.n)
	if m.n > most {
		m.t.Errorf("%s: got %d taps, want at most %d", task, m.n, most)
	}
	m.n = 0
}

// The tasks of every day need few taps.
func testTaps(t *testing.T, p *process) {
	m := &taps{merchant: openDashboard(t, p, 360)}
	placeOrders(t, p, 2)
	m.show("home", ".tiles")

	m.tap(".tile.main") // and the call itself
	m.WaitVisible(".outs")
	m.tap(".outs .btn:first-child")
	m.waitText(".toast", "confirmed")
	m.want("confirm an order beside the call", 2)

	m.show("home", ".tiles")
	m.tap(".top .ib")
	m.Fill("#command", "0001")
	m.waitText("#found", "Buyer B")
	m.want("find an order by the end of a phone number", 1)
}

// What the first visit to the list of orders costs on a cheap phone far away. How long it takes
// depends on the machine too, and is only reported.
func testFirstVisit(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	placeOrders(t, p, 2)
	m.ForgetFiles()
	m.Go("about:blank")
	m.SlowDownFar()
	m.Go(p.url + "/admin/#/demo/orders")
	var took float64
	m.Eval(`new Promise((done) => {
		const see = () => document.querySelector("[data-order]") ? done(performance.now()) : requestAnimationFrame(see)
		see()
	})`, &took)
	var files struct{ Count, Bytes int }
	m.Eval(`(() => {
		const all = performance.getEntriesByType("resource").filter((one) => one.name.includes("/admin/assets/"))
		const page = performance.getEntriesByType("navigation")[0]
		return {count: all.length + 1, bytes: [...all, page].reduce((sum, one) => sum + one.transferSize, 0)}
	})()`, &files)
	t.Logf("first visit: usable after %.0f ms, %d files, %d bytes", took, files.Count, files.Bytes)
	requests, size := 70, 150<<10
	if files.Count <= 12 { // bundled
		size = 90 << 10
	}
	// 300 bytes are what the headers of a response may have.
	if files.Count > requests || files.Bytes > size+300*files.Count || files.Bytes < 20<<10 {
		t.Errorf("got %d files of %d bytes, want at most %d of %d", files.Count, files.Bytes, requests, size)
	}
}
