package e2e

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"storefront/db"
	"storefront/shop/shoptest"
)

// An invitation, a password, an authenticator app, and signing in with both.
func testSignIn(t *testing.T, p *process, data string) {
	var invited struct{ Link struct{ URL string } }
	text := run(t, "staff", "invite", "demo", "--role", "viewer", "--name", "Karim", "--email", "karim@example.com",
		"--phone", "01911000001", "--json", "--data", data)
	if err := json.Unmarshal([]byte(text), &invited); err != nil {
		t.Fatal(err)
	}
	m := &merchant{openWindow(t, p, 360)}
	m.shots = "dashboard-sign-in-"
	m.AllowProblem("status of 401")
	m.AllowProblem("status of 404")
	_, fragment, _ := strings.Cut(invited.Link.URL, "#")
	m.Go(p.url + "/admin/#" + fragment)
	m.WaitVisible("#password")
	m.waitText("h1", "Welcome to Demo")
	m.waitText(".sign-in", "You are invited as") // by the command line, which has no name
	m.check("invite")
	m.Fill("#password", "kolapata-7-nodi")
	m.Click("form .primary")
	m.WaitVisible(".tiles")
	m.show("account", "#factor-button")
	m.Click("#factor-button")
	m.WaitVisible("#secret")
	secret := strings.ReplaceAll(m.Text("#secret"), " ", "")
	m.Fill("#code", shoptest.TOTPCode(t, secret, time.Now()))
	m.Click("#factor form .primary")
	m.WaitVisible("#codes")
	m.check("recovery-codes")
	recovery := regexp.MustCompile(`[A-Za-z0-9]{4,}(-[A-Za-z0-9]{4,})+`).FindString(m.Text("#codes"))
	m.Click("#codes .primary")
	m.Wait(`!document.querySelector("dialog[open]")`)
	m.Click("#sign-out")
	m.WaitVisible("#user")
	m.check("sign-in")
	m.Eval(`(location.hash = "#/?other=1", true)`, nil) // as the shop switcher does
	m.WaitVisible("[name=shop]")
	m.Eval(`(location.hash = "#/demo/home", true)`, nil)
	m.Wait(`document.querySelector("#user") && !document.querySelector("[name=shop]")`)
	m.Click("form .primary")
	m.Wait(`document.activeElement.id === "user" && document.querySelectorAll(".error").length === 2`)
	m.Fill("#user", "karim@example.com")
	m.Fill("#password", "not the password")
	m.Click("form .primary")
	m.waitText("[role=alert]", "wrong")
	m.Fill("#password", "kolapata-7-nodi")
	m.Click("form .primary")
	m.WaitVisible("#code")
	m.check("code")
	m.Fill("#code", shoptest.TOTPCode(t, secret, time.Now().Add(30*time.Second))) // the next one: each is accepted once
	m.Click("form .primary")
	m.Wait(`document.querySelector(".wide #main h1")`)
	// A viewer sees no screen for work, and no button.
	m.show("orders?view=all", "[data-order]")
	var screens string
	m.Eval(`[...document.querySelectorAll(".bottom-tabs a")].map((a) => a.textContent.trim().split(/[^A-Za-z]/)[0]).join()`, &screens)
	if screens != "Home,Orders,Products,Cash,More" {
		t.Errorf("got the screens %s, want those of a viewer", screens)
	}
	m.Go(p.url + "/admin/#" + fragment)
	m.waitText("h1", "does not work")
	m.Go(p.url + "/admin/#/demo/account")
	m.WaitVisible("#sign-out")
	m.Click("#sign-out")
	m.WaitVisible("#user")
	testNewPassword(m, recovery)
}

// After 15 minutes the demo's owner, who has no password, reads what to do, and continues once the
// link is opened again.
func testDemoProof(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 401")
	later := func() {
		inShop(t, data, "demo", func(tx *db.Tx) error {
			return tx.Do(`UPDATE staff_sessions SET proved_at = proved_at - ?`, (16 * time.Minute).Milliseconds())
		})
	}
	for _, look := range []struct{ language, theme, want string }{
		{"en", "light", "The demo has no password: open the link again"},
		{"bn", "dark", "ডেমোর পাসওয়ার্ড নেই"},
	} {
		m.use(look.language, look.theme)
		m.show("team", "#invite-button")
		later()
		m.Eval(`(location.hash = "#/demo/developers", true)`, nil)
		m.WaitVisible("#reauth")
		m.waitText("#reauth", look.want)
		m.check("demo-proof")
		m.Go("about:blank")
		m.Go(demoLink.FindString(p.logged()))
		m.Wait(`document.querySelector(".wide #main h1")`)
		m.show("developers", "#new-key")
	}
}

// A code by SMS sets a new password. The second factor is required all the same: here one of its
// recovery codes.
func testNewPassword(m *merchant, recovery string) {
	m.Fill("#user", "karim@example.com")
	m.Click("form .link")
	m.Wait(`document.querySelector("#user")?.value === "karim@example.com" && !document.querySelector("#password")`)
	m.Click("form .primary")
	m.WaitVisible("#code")
	m.check("new-password")
	m.Fill("#code", m.waitCode(`(\d{6}) is your password code`))
	m.Fill("#password", "notun-nodi-7-kolapata")
	m.Click("form .primary")
	m.WaitVisible("#secondFactorCode")
	m.Fill("#secondFactorCode", recovery)
	m.Click("form .primary")
	m.Wait(`document.querySelector(".wide #main h1")`)
}
