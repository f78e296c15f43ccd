package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// Somebody who connects other systems needs nothing but the screen.
func TestDashboard_Developers(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--private-providers", "--data", data)
	t.Run("keys", func(t *testing.T) { testKeys(t, p) })
	t.Run("webhooks", func(t *testing.T) { testOwnWebhooks(t, p, data) })
	t.Run("received", func(t *testing.T) { testReceivedWebhooks(t, p, data) })
	t.Run("manager", func(t *testing.T) { testDevelopersOfManager(t, p, data) })
	t.Run("failures", func(t *testing.T) { testDevelopersFailures(t, p) })
	for i, width := range some([]int{320, 360, 1280}, 0, 3) {
		t.Run(fmt.Sprintf("every part at %d px", width), func(t *testing.T) {
			m := openDashboard(t, p, width)
			for j, language := range some([]string{"en", "bn"}, i%2, 2) {
				m.use(language, []string{"light", "dark"}[(i+j)%2])
				m.show("developers", "#keys [data-key]")
				m.Click("#new-key")
				m.WaitVisible("#key #label")
				m.Click(`#key [value="some"]`)
				m.check("developers-new-key")
				m.Eval(`(document.querySelector("#key .icon-button").click(), true)`, nil)
				m.show("developers/webhooks", "#hooks [data-hook]")
				m.Click("#hooks [data-hook]")
				m.WaitVisible("#deliveries summary")
				m.check("developers-webhook")
				m.show("developers/received", "#received [data-webhook]")
			}
		})
	}
}

// statusOf returns the status with which the Admin API answers a key.
func statusOf(t *testing.T, p *process, key, path string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+"/admin/v1/shops/demo/"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// A key with few permissions is shown once, replaced while it works on, and revoked.
func testKeys(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 422")
	m.show("more", "main nav a")
	m.Click(`main nav a[href$="/developers"]`)
	m.WaitVisible("#new-key")
	m.check("developers-empty")
	var references []string
	m.Eval(`Promise.all([...document.querySelectorAll(".developers a.link")].map((a) => fetch(a.href).then((r) => r.status + " " + a.pathname)))`,
		&references)
	if !slices.Equal(references, []string{"200 /docs", "200 /admin/docs"}) {
		t.Errorf("got the references %q", references)
	}
	create := func() (key string) {
		m.submit("#key form")
		m.WaitVisible("#secret")
		m.check("developers-secret")
		key = m.Text("#secret")
		m.Eval(`(document.querySelector("#secret-once .primary").click(), true)`, nil)
		m.Wait(`!document.querySelector("dialog[open]")`)
		return key
	}
	m.Click("#new-key")
	m.WaitVisible("#key #label")
	m.Fill("#key #label", "Accounting")
	m.Click(`#key [value="some"]`)
	m.submit("#key form")
	m.waitText("#key .error", "at least one")
	m.Eval(`(document.querySelector('#key [name="orders.read"]').click(), true)`, nil)
	m.Eval(`(document.querySelector('#key [value="90"]').click(), true)`, nil)
	first := create()
	if got := []int{statusOf(t, p, first, "orders"), statusOf(t, p, first, "customers")}; got[0] != 200 || got[1] != 403 {
		t.Errorf("got %v, want a key that may only read orders", got)
	}
	m.waitText("#keys", "1 permission")
	m.Click("#keys .act-row .button")
	m.WaitVisible("#key #label")
	m.Wait(`document.querySelector("#key #label").value === "Accounting" && document.querySelector('#key [name="orders.read"]').checked &&
		document.querySelector('#key [value="90"]').checked`)
	second := create()
	m.Wait(`document.querySelectorAll("#keys [data-key]").length === 2`)
	if a, b := statusOf(t, p, first, "orders"), statusOf(t, p, second, "orders"); a != 200 || b != 200 {
		t.Errorf("got %d and %d, want both keys to work", a, b)
	}
	m.Click("#keys .act-row .bad")
	m.WaitVisible("#confirm .bad")
	m.check("developers-revoke")
	m.Click("#confirm .bad")
	m.waitText(".toast", "revoked")
	m.Wait(`document.querySelectorAll("#keys [data-key]").length === 1`)
	if a, b := statusOf(t, p, first, "orders"), statusOf(t, p, second, "orders"); a != 401 || b != 200 {
		t.Errorf("got %d and %d, want the first key refused", a, b)
	}
}

// An endpoint is created, tested, seen to fail, sent to again, changed by two people, and
// switched off by the response 410.
func testOwnWebhooks(t *testing.T, p *process, data string) {
	var status atomic.Int64
	status.Store(http.StatusNoContent)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(int(status.Load()))
		if status.Load() >= 400 {
			io.WriteString(w, "the stock room is closed")
		}
	}))
	t.Cleanup(receiver.Close)
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 412")
	m.AllowProblem("status of 422")
	m.show("developers/webhooks", "#new-hook")
	m.Click("#new-hook")
	m.WaitVisible("#hook #url")
	m.Fill("#hook #url", "nowhere")
	m.submit("#hook form")
	m.Wait(`document.activeElement.id === "url" && document.activeElement.ariaInvalid === "true"`)
	m.check("developers-new-webhook")
	m.Fill("#hook #url", receiver.URL+"/shop")
	m.Fill("#hook #label", "Warehouse")
	m.submit("#hook form")
	m.WaitVisible("#secret")
	before := m.Text("#secret")
	if !strings.HasPrefix(before, "whsec_") {
		t.Errorf("got the secret %q", before)
	}
	m.Click("#secret-once .primary")
	m.WaitVisible("#hook-test")
	m.Click("#hook-test")
	m.waitText("#tested", "Accepted with 204")
	status.Store(http.StatusInternalServerError)
	m.Click("#hook-test")
	m.waitText("#tested", "Not accepted")
	m.Wait(`document.querySelectorAll("#deliveries details").length === 2`)
	m.Click("#deliveries details:first-child summary")
	m.waitText("#deliveries pre", "the stock room is closed")
	m.check("developers-webhook-failed")

	status.Store(http.StatusOK)
	placeOrders(t, p, 1)
	m.Wait(`(document.querySelector('nav a[href*="status=sent"]').click(), document.querySelector("#deliveries .status.done"))`)
	m.Eval(`(document.querySelector('nav a:not([href*="status="]).chip').click(), true)`, nil)
	m.Click("#hook-range")
	m.WaitVisible("#range #from")
	m.check("developers-range")
	m.submit("#range form")
	m.waitText(".toast", "sent")

	m.Click("#hook-edit")
	m.WaitVisible("#hook #label")
	id := m.hook()
	run(t, "api", "demo", "updateWebhookEndpoint", "--id", id, "--label", "Old warehouse", "--data", data, "--private-providers")
	m.Fill("#hook #label", "New warehouse")
	m.submit("#hook form")
	m.waitText("#hook [role=alert]", "New warehouse")
	m.Wait(`document.querySelector("#hook #label").value === "Old warehouse"`)
	m.check("developers-webhook-conflict")
	m.Fill("#hook #label", "New warehouse")
	m.submit("#hook form")
	m.waitText("main .card b", "New warehouse")

	m.Click("#hook-rotate")
	m.WaitVisible("#confirm .primary")
	m.Click("#confirm .primary")
	m.WaitVisible("#secret")
	if after := m.Text("#secret"); after == before || !strings.HasPrefix(after, "whsec_") {
		t.Errorf("got the secret %q after %q, want another", after, before)
	}
	m.Click("#secret-once .primary")

	status.Store(http.StatusGone) // switches the endpoint off
	placeOrders(t, p, 1)
	m.Wait(`(location.hash.includes("&") || document.querySelector(".banner.bad")) ? document.querySelector(".banner.bad") :
		(document.querySelector('nav a[href*="status=waiting"]').click(), false)`)
}

// hook returns the ID of the endpoint in the address.
func (m *merchant) hook() (id string) {
	m.t.Helper()
	m.Eval(`location.hash.replace(/\?.*/, "").split(/\/|%2F/).pop()`, &id)
	return id
}

// A webhook that names no order of the shop is seen with its verdict, and processed again.
func testReceivedWebhooks(t *testing.T, p *process, data string) {
	run(t, "plugin", "configure", "demo", "courier_b", "webhook_token=hush", "api_key=k", "secret_key=s", "--data", data)
	post := func(token string) {
		if _, err := p.do(request{
			method: "POST", path: "/courier/webhook/courier_b/demo", header: map[string]string{"Authorization": "Bearer " + token},
			body: `{"notification_type":"delivery_status","consignment_id":4711,"invoice":"none","status":"delivered","cod_amount":100}`,
		}); err != nil {
			t.Fatal(err)
		}
	}
	post("wrong")
	post("hush")
	m := openDashboard(t, p, 360)
	m.show("developers/received", "#received [data-webhook]")
	m.waitText("main", "Refused as not authentic")
	m.Click("#received [data-webhook]")
	m.WaitVisible("#replay")
	m.waitText("#webhook pre", "4711")
	m.check("developers-received-one")
	m.Click("#replay")
	m.waitText(".toast", "Result")
}

// A manager sees what providers sent, and neither keys nor a button to process it again.
func testDevelopersOfManager(t *testing.T, p *process, data string) {
	m := asMember(t, p, data, "manager")
	m.show("developers", "#received [data-webhook]")
	m.Click("#received [data-webhook]")
	m.WaitVisible("#webhook pre")
	var n int
	if m.Eval(`document.querySelectorAll("#replay, .views a:not([href$=received])").length`, &n); n != 0 {
		t.Errorf("got %d controls, want none", n)
	}
	m.show("developers/keys", ".empty")
	m.waitText(".empty", "You have no access")
}

func testDevelopersFailures(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 500")
	m.AllowProblem("status of 404")
	m.show("developers/webhooks/01KAJ3V5W7X9Y1Z3A5B7C9D1E3", ".empty")
	m.show("home", ".tiles")
	m.Eval(`(() => {
		const real = fetch
		window.fetch = (address, ...rest) => String(address).endsWith("/keys") ? new Promise((done) => { window.fail = () =>
			done(new Response('{"code": "internal", "requestId": "01TEST"}', {status: 500})) }) : real(address, ...rest)
		location.hash = "#/demo/developers"
		return true
	})()`, nil)
	m.Wait("window.fail && document.querySelector('.skeleton:not(.unseen)')")
	m.Eval(`(window.fail(), true)`, nil)
	m.waitText(".empty", "01TEST")
	m.check("developers-failed")
}
