package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/e2e/browsertest"
	"storefront/shop/shoptest"
)

// A staff member sets up a passkey, signs in and proves the session with it, and removes it: at
// localhost and over TLS. What is not that passkey at that page does not sign in.
func TestDashboard_Passkeys(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	t.Run("localhost", func(t *testing.T) {
		data := passkeyData(t)
		p := serve(t, "--rate", "0", "--data", data)
		testPasskeys(t, p, data, strings.Replace(p.url, "127.0.0.1", "localhost", 1), 360)
	})
	t.Run("TLS", func(t *testing.T) {
		data := passkeyData(t)
		p, address := servePublic(t, "--rate", "0", "--data", data)
		testPasskeys(t, p, data, address, 1280)
	})
}

// passkeyData returns a data folder with the shops demo and other.
func passkeyData(t *testing.T) string {
	t.Helper()
	data := demoData(t)
	run(t, "tenant", "create", "other", "--name", "Other", "--data", data)
	return data
}

// servePublic starts the server behind a proxy that terminates TLS, and returns its address.
func servePublic(t *testing.T, args ...string) (p *process, address string) {
	t.Helper()
	front := httptest.NewUnstartedServer(nil)
	_, port, err := net.SplitHostPort(front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	address = "https://" + browsertest.TLSHost + ":" + port
	p = serve(t, append(args, "--public-url", address)...)
	target, err := url.Parse(p.url)
	if err != nil {
		t.Fatal(err)
	}
	front.Config.Handler = &httputil.ReverseProxy{
		ErrorLog: log.New(io.Discard, "", 0), // streams that a page leaves
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
		},
	}
	front.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that a browser leaves
	front.StartTLS()
	t.Cleanup(front.Close)
	return p, address
}

func testPasskeys(t *testing.T, p *process, data, address string, width int) {
	m := &merchant{openWindow(t, p, width)}
	m.AllowProblem("status of 401")
	device := m.AddAuthenticator()
	m.signInAs(address, data, "manager")
	m.shots = fmt.Sprintf("passkey-%d-", width)
	m.show("account", "#sign-out")
	m.Click("#sign-out")
	m.WaitVisible("#user")
	m.Fill("#user", "manager@example.com")
	m.Fill("#password", "kolapata-7-nodi")
	m.Click("form .primary")
	m.waitText(".toast", "Next time without a password")
	m.check("offer")
	m.Click(".toast button")
	m.WaitVisible("#add-passkey")
	if width < 600 {
		m.use("bn", "dark")
	}
	m.show("account", "#add-passkey")
	m.Click("#add-passkey")
	m.WaitVisible("#passkey-add #name")
	m.check("add")
	m.submit("#passkey-add form")
	m.WaitVisible("#codes")
	m.check("codes")
	m.Click("#codes .primary")
	m.Wait(`document.querySelectorAll("[data-passkey]").length === 1 && !document.querySelector("dialog[open]")`)
	m.Eval(`(document.querySelector("#passkeys").scrollIntoView(), true)`, nil)
	m.check("list")
	m.Click("[data-do=rename]")
	m.WaitVisible("#passkey-rename #name")
	m.Fill("#passkey-rename #name", "Counter")
	m.submit("#passkey-rename form")
	m.waitText("[data-passkey]", "Counter")
	// The same device has one passkey of the account.
	m.Click("#add-passkey")
	m.WaitVisible("#passkey-add #name")
	m.submit("#passkey-add form")
	m.Wait(`document.querySelector("#passkey-add [role=alert]")`)
	m.Click("#passkey-add .icon-button")
	m.Wait(`!document.querySelector("dialog[open]")`)

	// Nobody answers at the device until the button is used.
	m.SimulatePresence(device, false)
	m.Click("#sign-out")
	m.WaitVisible("#passkey")
	m.check("sign-in")
	m.SimulatePresence(device, true)
	m.Click("#passkey")
	m.Wait(`document.querySelector(".wide #main h1")`)
	inShop(t, data, "demo", func(tx *db.Tx) error {
		return tx.Do(`UPDATE staff_sessions SET proved_at = proved_at - ?`, (16 * time.Minute).Milliseconds())
	})
	m.show("account", "[data-passkey]")
	m.SimulatePresence(device, false)
	m.Click("[data-do=remove]")
	m.WaitVisible("#passkey-remove")
	m.submit("#passkey-remove form")
	m.WaitVisible("#reauth #passkey")
	m.check("prove")
	m.SimulatePresence(device, true)
	testPasskeyAnswers(m, address)
	m.Click("#reauth #passkey")
	m.Wait(`document.querySelector("#passkeys") && document.querySelectorAll("[data-passkey], dialog[open]").length === 0`)
	m.Click("#sign-out")
	m.WaitVisible("#passkey")
	m.Click("#passkey")
	m.Wait(`document.querySelector(".sign-in [role=alert]")`) // the device still has what was removed
	m.check("rejected")
}

// testPasskeyAnswers sends answers of the browser's own passkey that must not sign in.
func testPasskeyAnswers(m *merchant, address string) {
	t := m.t
	t.Helper()
	// Each answer is one of a new challenge, unless it says otherwise.
	const script = `(async () => {
		const sign = async (options) => {
			const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
			const { id, response } = (await navigator.credentials.get({publicKey})).toJSON()
			return {id, ...response}
		}
		const post = async (shop, path, body) => {
			const answer = await fetch("/admin/v1/shops/" + shop + "/" + path,
				{method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)})
			return {status: answer.status, body: await answer.json()}
		}
		const challenge = async (shop) => (await post(shop, "session/passkey/options", {})).body
		const own = await sign(await challenge("demo"))
		const other = await sign(await challenge("other"))
		const proof = await sign((await post("demo", "session/proof/options", {})).body)
		const use = async (shop, credential) => (await post(shop, "session/passkey", {credential})).status
		return {
			otherShop: await use("other", other), shopOfChallenge: await use("other", own), purpose: await use("demo", proof),
			own: await use("demo", own), replayed: await use("demo", own),
		}
	})()`
	var got map[string]int
	m.Eval(script, &got)
	for what, status := range map[string]int{"otherShop": 401, "shopOfChallenge": 401, "purpose": 401, "own": 200, "replayed": 401} {
		if got[what] != status {
			t.Errorf("%s: %s: got status %d, want %d", address, what, got[what], status)
		}
	}
}

// An operator sets up a passkey in place of an authenticator app, and signs in with it.
func TestConsole_Passkeys(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	var created struct{ Link struct{ URL string } }
	out := run(t, "operator", "create", "Shaila", "--user", "shaila@agency.example", "--json", "--data", data)
	if err := json.Unmarshal([]byte(out), &created); err != nil {
		t.Fatal(err)
	}
	_, fragment, _ := strings.Cut(created.Link.URL, "#")
	address := strings.Replace(p.url, "127.0.0.1", "localhost", 1)
	m := &merchant{openWindow(t, p, 1280)}
	m.shots = "console-passkey-"
	m.AllowProblem("status of 401")
	m.AllowProblem("status of 403")
	m.AllowProblem("status of 409")
	device := m.AddAuthenticator()
	m.Go(address + "/admin/#" + fragment)
	m.WaitVisible("#password")
	m.Fill("#password", shoptest.Password)
	m.submit("form")
	m.WaitVisible("#add-passkey")
	m.check("set-up")
	m.Click("#add-passkey")
	m.WaitVisible("#passkey-add #name")
	m.submit("#passkey-add form")
	m.WaitVisible("#codes")
	m.Click("#codes .primary")
	m.Wait(`document.querySelector("#shops [data-shop]")`)
	m.SimulatePresence(device, false)
	m.Click("#sign-out")
	m.WaitVisible("#passkey")
	m.check("sign-in")
	m.SimulatePresence(device, true)
	m.Click("#passkey")
	m.Wait(`document.querySelector("#shops [data-shop]")`)
	m.Eval(`(location.hash = "#/-/passkeys", true)`, nil)
	m.Wait(`document.querySelectorAll("[data-passkey]").length === 1`)
	m.check("list")
	m.Click("[data-do=remove]")
	m.WaitVisible("#passkey-remove")
	m.submit("#passkey-remove form")
	m.Wait(`document.querySelector("#passkey-remove [role=alert]")`) // it is the only second factor
	m.check("only-one")
}
