package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"storefront/shop/shoptest"
)

// An operator sets a password and an authenticator app with the link, sees all shops, creates one,
// suspends it with a reason, enters another and leaves it: on a phone in Bangla in the dark, and at
// a desk.
func TestConsole_Day(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	rows := "uid,name,domains\n"
	for n := range 300 {
		rows += fmt.Sprintf("shop-%03d,Shop %03d,shop-%03d.example\n", n, n, n)
	}
	file := filepath.Join(t.TempDir(), "shops.csv")
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "tenant", "create", "--from", file, "--data", data)
	backups := t.TempDir()
	p := serve(t, "--dev", "--rate", "0", "--data", data, "--backup-dir", backups)
	for _, width := range []int{360, 1280} {
		t.Run(fmt.Sprint(width), func(t *testing.T) { testConsole(t, p, data, backups, width) })
	}
}

// operatorsLink creates an operator and returns the link.
func operatorsLink(t *testing.T, data, name string) string {
	t.Helper()
	var created struct{ Link struct{ URL string } }
	out := run(t, "operator", "create", name, "--user", strings.ToLower(name)+"@agency.example", "--json", "--data", data)
	if err := json.Unmarshal([]byte(out), &created); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return created.Link.URL
}

func testConsole(t *testing.T, p *process, data, backups string, width int) {
	m := &merchant{openWindow(t, p, width)}
	m.shots = fmt.Sprintf("console-%d-", width)
	m.AllowProblem("status of 401")
	m.AllowProblem("status of 403")
	m.AllowProblem("status of 409")
	m.AllowProblem("status of 422")
	m.AllowProblem("Blocked script execution") // in the preview of the design
	uid := fmt.Sprintf("new-%d", width)
	m.Go(operatorsLink(t, data, fmt.Sprintf("Shaila%d", width)))
	if m.WaitVisible("#password"); width < 600 {
		m.Resize(width, 760)
		m.Eval(`(localStorage.setItem("sf-theme", "dark"), true)`, nil)
		m.Reload()
		m.WaitVisible("#password")
		m.Click("#language")
		m.Wait(`document.documentElement.lang === "bn" && document.querySelector("main #password")`)
	}
	m.check("link")
	m.Fill("#password", shoptest.Password)
	m.submit("form")
	m.WaitVisible("#totp-key")
	m.check("factor")
	var secret string
	m.Eval(`document.querySelector("#totp-key").textContent`, &secret)
	m.Fill("#code", shoptest.TOTPCode(t, secret, time.Now()))
	m.submit("form")
	m.WaitVisible("#recovery")
	m.check("recovery")
	m.Click("#kept")
	m.Wait(`document.querySelectorAll("#shops [data-shop]").length === 50`)
	m.check("shops")
	m.Click("#work")
	m.Wait(`document.querySelector("#shops li:only-child [data-shop=demo] .status-pill.wait")`)
	m.Click("#work")
	m.Wait(`document.querySelectorAll("#shops [data-shop]").length === 50`)
	m.Fill("#search", "shop 005")
	m.Wait(`document.querySelectorAll("#shops [data-shop]").length === 1`)
	m.Fill("#search", "no such shop")
	m.WaitVisible(".empty")
	m.check("none-found")

	testConsoleMany(m)
	testConsolePlans(m, width)

	testConsoleStatus(m, p.url, width)

	m.Click("#create")
	m.WaitVisible("#create-shop #name")
	m.submit("#create-shop form")
	m.Wait(`document.querySelector("#create-shop .error")`)
	m.check("create")
	m.Fill("#create-shop #name", "Rina's Sarees")
	m.Fill("#create-shop #uid", uid)
	m.Fill("#create-shop #ownerName", "Rina")
	m.Fill("#create-shop #ownerUser", "rina@example.com")
	m.submit("#create-shop form")
	m.WaitVisible("#link-url")
	m.check("owner-link")
	m.Click("#link-done")

	m.Fill("#search", uid)
	m.Wait(fmt.Sprintf(`document.querySelector("#shops li:only-child [data-shop='%s']")`, uid))
	m.Click("[data-shop=" + uid + "]")
	m.WaitVisible("#suspend")
	m.Click("#suspend")
	m.WaitVisible("#reason")
	m.Fill("#reason", "The invoice of May is unpaid.")
	m.check("suspend")
	m.submit("#reason-dialog form")
	m.waitText("#why", "The invoice of May is unpaid.")
	m.check("suspended")
	m.Click("#resume")
	m.WaitVisible("#suspend")
	run(t, "backup", uid, backups, "--data", data)
	testConsoleRestore(m)
	testConsoleWork(m, uid)

	testConsoleDefaults(m, width)
	announce(m, width)
	run(t, "defaults", "set", "locked=null", "--data", data) // and sets it in the shops

	m.Eval(`(location.hash = "#/-/shop/demo", true)`, nil)
	m.WaitVisible("#enter")
	m.Click("#enter")
	m.WaitVisible("#reason")
	m.Fill("#reason", "Ticket 481")
	m.submit("#reason-dialog form")
	m.waitText("#visit", "Ticket 481")
	m.check("visit")
	dismissAnnouncement(m)
	m.Eval(`(location.hash = "#/demo/home", true)`, nil)
	m.WaitVisible("#plan-limits")
	m.check("home-plan")
	m.Click("#plan-limits")
	m.waitText("main", fmt.Sprintf("Basic %d", width))
	m.check("settings-plan")
	m.Eval(`(location.hash = "#/demo/settings/mail", true)`, nil)
	m.waitText("#mail-default-inherited", "Dhaka Web")
	m.check("inherited")
	m.Click("#mail-default-own")
	m.WaitVisible("#set-mail #host")
	m.Eval(`(location.hash = "#/demo/site/design", true)`, nil)
	m.waitText("#design-inherited", "Dhaka Web")
	m.check("inherited-design")
	m.Click("label:has(> [name=design][value=mela])")
	m.WaitVisible("#design-follow")
	m.Click("#design-follow")
	m.waitText("#design-inherited", "Dhaka Web")
	m.Eval(`(location.hash = "#/demo/site/pages", true)`, nil)
	policy := fmt.Sprintf("#inherited-terms-%d", width)
	m.waitText(policy, "Dhaka Web")
	m.check("inherited-policy")
	m.Click(policy + " button")
	m.Wait(`document.querySelector("#set-legalPolicies details:last-of-type [name$='.slug']")?.value.startsWith("terms-")`)
	m.submit("#set-legalPolicies form")
	m.Wait(`!document.querySelector("` + policy + `")`)
	m.Click("#leave-shop")
	m.WaitVisible("#search")
	removeDefaultPolicy(m)

	m.Eval(`(location.hash = "#/-/operators", true)`, nil)
	m.WaitVisible("#invite")
	m.check("operators")
	m.Eval(`(location.hash = "#/-/log", true)`, nil)
	m.waitText("#log", "Ticket 481")
	m.check("log")
	m.Click("#sign-out")
	m.WaitVisible("#user")
	m.check("sign-in")
	m.Go(demoSite(t, p) + "/admin/")
	m.WaitVisible("#user")
	m.Wait(`location.hash.startsWith("#/demo/") && !document.querySelector("[name=shop]")`)
	m.check("own-host")
}

// testConsoleRestore restores a shop to its backup, and undoes it with the replaced file.
func testConsoleRestore(m *merchant) {
	for _, kind := range []string{"backup", "trash"} {
		m.Click("#restore")
		m.WaitVisible("#restore-shop #reason")
		if m.WaitVisible("#restore-effect"); kind == "backup" {
			m.submit("#restore-shop form")
			m.Wait(`document.querySelector("#restore-shop .error")`)
		}
		m.Fill("#restore-shop #reason", "All products were deleted by mistake.")
		m.check("restore-" + kind)
		m.submit("#restore-shop form")
		m.Wait(`document.querySelector("#shop-work [data-done=true]")`)
		m.check("restored-" + kind)
		m.Click("#work-close")
		m.WaitVisible("#suspend")
	}
}

// testConsoleWork copies a shop, deletes the copy in some days, and calls that off.
func testConsoleWork(m *merchant, uid string) {
	m.Click("#copy")
	m.WaitVisible("#copy-shop #uid")
	m.Fill("#copy-shop #uid", uid)
	m.submit("#copy-shop form")
	m.Wait(`document.querySelector("#copy-shop .error")`)
	m.check("copy")
	m.Fill("#copy-shop #uid", "copy-of-"+uid)
	m.submit("#copy-shop form")
	m.WaitVisible("#open-copy")
	m.check("copied")
	m.Click("#open-copy")
	m.waitText(".console-facts", "copy-of-"+uid)
	m.Click("#delete")
	m.WaitVisible("#delete-shop #reason")
	m.Fill("#delete-shop #reason", "The trial has ended.")
	m.check("delete")
	m.submit("#delete-shop form")
	m.waitText("#why", "The trial has ended.")
	m.WaitVisible("#delete-at")
	m.check("to-be-deleted")
	m.Click("#resume")
	m.Wait(`!document.querySelector("#delete-at")`)
}

// testConsoleStatus announces an incident, which the status page shows without scripts, resolves it
// and removes it.
func testConsoleStatus(m *merchant, url string, width int) {
	title := fmt.Sprintf("SMS late %d", width)
	m.Eval(`(location.hash = "#/-/incidents", true)`, nil)
	m.WaitVisible("#open-incident")
	m.check("incidents-none")
	m.Click("#open-incident")
	m.WaitVisible("#incident-form #title")
	m.submit("#incident-form form")
	m.Wait(`document.querySelector("#incident-form .error")`)
	m.check("incident-refused")
	m.Fill("#incident-form #title", title)
	m.Fill("#incident-form #text", "The gateway accepts messages late. Orders are not affected.")
	m.Click("#incident-form [name=part-messages]")
	m.submit("#incident-form form")
	m.waitText("#incidents", title)
	m.check("incidents")
	showStatus := func(name, text string) {
		language, scheme := "en", "light"
		if width < 600 {
			language, scheme = "bn", "dark"
		}
		m.SetMediaFeature("prefers-color-scheme", scheme)
		m.Go(url + "/status?lang=" + language)
		for range 20 { // the page is cached for five seconds
			var isShown bool
			if m.Eval(fmt.Sprintf(`document.body.innerText.includes(%q)`, text), &isShown); isShown {
				break
			}
			time.Sleep(500 * time.Millisecond)
			m.Reload()
		}
		m.waitText("main", text)
		m.check(name)
		m.Go(url + "/admin/#/-/incidents")
		m.waitText("#incidents", title)
	}
	showStatus("status-open", title)
	m.Click("#incidents [data-update]")
	m.WaitVisible("#incident-form #text")
	m.Fill("#incident-form #text", "All messages are sent.")
	m.Eval(`((s) => { s.value = "resolved"; s.dispatchEvent(new Event("change", { bubbles: true })); return true })(
		document.querySelector("#incident-form #state"))`, nil)
	m.check("incident-update")
	m.submit("#incident-form form")
	m.waitText("#incidents", "All messages are sent.")
	showStatus("status-past", "All messages are sent.")
	m.Click("#incidents [data-remove]")
	m.WaitVisible("#confirm .bad")
	m.submit("#confirm form")
	m.WaitVisible(".empty #open-incident")
	m.Eval(`(location.hash = "#/-/shops", true)`, nil)
	m.WaitVisible("#search")
}

// testConsolePlans creates a plan, assigns it to many shops and to one, and shows the usage of a
// month.
func testConsolePlans(m *merchant, width int) {
	plan := fmt.Sprintf("Basic %d", width)
	m.Eval(`(location.hash = "#/-/plans", true)`, nil)
	m.WaitVisible("#new-plan")
	m.Click("#new-plan")
	m.WaitVisible("#plan-form #name")
	m.Fill("#plan-form #name", plan)
	m.Fill("#plan-form #orders", "2")
	m.Fill("#plan-form #products", "60") // fewer than the demo shop has
	m.Fill("#plan-form #imageBytes", "512")
	m.check("plan")
	m.submit("#plan-form form")
	m.waitText("#plans", plan)
	m.check("plans")
	m.Eval(`(location.hash = "#/-/shops", true)`, nil)
	m.WaitVisible("#search")
	m.Fill("#search", "shop 10")
	m.Wait(`document.querySelectorAll("#shops [data-shop]").length === 10`)
	m.Click("#select")
	m.Click("#select-page")
	m.Click("#plan-many")
	m.WaitVisible("#many #plan")
	m.Eval(fmt.Sprintf(`((s) => { s.value = %q; s.dispatchEvent(new Event("change", { bubbles: true })); return true })(
		document.querySelector("#many #plan"))`, plan), nil)
	m.Wait(`document.querySelector("#many-plan b")?.textContent.match(/10|১০/)`)
	m.check("many-plan")
	m.submit("#many form")
	m.WaitVisible("#many-done")
	m.Click("#many .primary")
	m.waitText("#shops", plan)
	m.Eval(`(location.hash = "#/-/shop/demo", true)`, nil)
	m.WaitVisible("#plan")
	m.WaitVisible("#health")
	m.check("shop")
	m.Click("#plan")
	m.WaitVisible("#assign-plan #plan")
	m.Eval(fmt.Sprintf(`((s) => { s.value = %q; s.dispatchEvent(new Event("change", { bubbles: true })); return true })(
		document.querySelector("#assign-plan #plan"))`, plan), nil)
	m.submit("#assign-plan form")
	m.WaitVisible("#uses")
	m.check("shop-plan")
	m.Eval(`(location.hash = "#/-/usage", true)`, nil)
	m.WaitVisible("#usage")
	m.check("usage")
	m.Eval(`(location.hash = "#/-/shops", true)`, nil)
	m.WaitVisible("#search")
}

// testConsoleDefaults sets what shops inherit, and locks it.
func testConsoleDefaults(m *merchant, width int) {
	m.Eval(`(location.hash = "#/-/defaults", true)`, nil)
	m.WaitVisible("#set-branding")
	m.Click("#set-branding")
	m.WaitVisible("#branding-form form")
	m.Fill(`#branding-form [name="branding.colour"]`, "red")
	m.submit("#branding-form form")
	m.Wait(`document.querySelector("#branding-form .error")`)
	for name, value := range map[string]string{"name": "Dhaka Web", "phone": "09600-000000", "email": "help@agency.example", "colour": "#7a2740"} {
		m.Fill(`#branding-form [name="branding.`+name+`"]`, value)
	}
	m.check("branding")
	const accent = `getComputedStyle(document.documentElement).getPropertyValue("--accent").trim()`
	var before string
	var dark bool
	m.Eval(accent, &before)
	m.Eval(`document.documentElement.dataset.theme === "dark"`, &dark)
	m.submit("#branding-form form")
	m.Wait(`!document.querySelector("#branding-form")`)
	m.waitText("#default-branding", "Dhaka Web")
	if dark { // for which a lighter one is derived
		m.Wait(accent + ` !== "` + before + `"`)
	} else {
		m.Wait(accent + ` === "#7a2740"`)
	}
	m.Click("#set-mail")
	m.WaitVisible("#mail-form #host")
	m.Fill("#mail-form #from", "orders@agency.example")
	m.Fill("#mail-form #host", "smtp.agency.example")
	m.Fill("#mail-form #username", "orders")
	m.Fill("#mail-form #password", "secret")
	m.check("default-mail")
	m.submit("#mail-form form")
	m.Wait(`!document.querySelector("#mail-form")`)
	m.waitText("#default-mail", "smtp.agency.example")
	m.Click("#set-sms")
	m.WaitVisible("#sms-form #preset")
	m.check("default-sms")
	m.Click("#sms-form .icon-button")
	m.Click("#set-design")
	m.WaitVisible("#design-form form")
	m.Fill(`#design-form [name="design.tokens.seed"]`, "#7a2740")
	m.submit("#design-form form")
	m.Wait(`!document.querySelector("#design-form")`)
	m.waitText("#default-design", "#7a2740")
	m.Eval(`(document.querySelector("#new-policy")?.click(), true)`, nil)
	m.WaitVisible("#policy-form form")
	m.Fill(`#policy-form [name$=".slug"]`, fmt.Sprintf("terms-%d", width))
	m.Fill(`#policy-form [name$=".en.title"]`, "Terms of the agency")
	m.Fill(`#policy-form [name$=".bn.title"]`, "শর্ত")
	m.check("policy")
	m.submit("#policy-form form")
	m.waitText("#default-policies", "Terms of the agency")
	m.Click("[name=lock-policies]")
	m.WaitVisible("[name=lock-policies]:checked")
	m.check("defaults")
	m.Click("[name=lock-policies]") // as before, for the next walk
	m.Wait(`!document.querySelector("[name=lock-policies]:checked")`)
}

// announce sets an announcement to the shops.
func announce(m *merchant, width int) {
	m.Click("#announce")
	m.WaitVisible("#announcement-form form")
	m.submit("#announcement-form form")
	m.Wait(`document.querySelector("#announcement-form .error")`)
	m.Fill(`#announcement-form [name$=".en"]`, fmt.Sprintf("Closed on Friday from 2 to 3 a.m. (%d)", width))
	m.Fill(`#announcement-form [name$=".bn"]`, "শুক্রবার রাত ২টা থেকে ৩টা পর্যন্ত বন্ধ।")
	m.check("announcement")
	m.submit("#announcement-form form")
	m.Wait(`!document.querySelector("#announcement-form")`)
	m.waitText("#default-announcements", "Closed on Friday")
}

// dismissAnnouncement sees an announcement in a shop, and dismisses it.
func dismissAnnouncement(m *merchant) {
	m.WaitVisible("[role=status] .announcement")
	m.check("announced")
	m.Click(".announcement .button")
	m.Wait(`!document.querySelector(".announcement")`)
	m.Eval(`(location.reload(), true)`, nil)
	m.WaitVisible("#visit")
	m.Wait(`!document.querySelector(".announcement")`)
}

// removeDefaultPolicy removes the last default policy, for the next walk.
func removeDefaultPolicy(m *merchant) {
	m.Eval(`(location.hash = "#/-/defaults", true)`, nil)
	m.WaitVisible("#default-policies .button.mini")
	m.Eval(`([...document.querySelectorAll("#default-policies .button.mini")].pop().click(), true)`, nil)
	m.WaitVisible("#remove-policy")
	m.Click("#remove-policy")
	m.Wait(`!document.querySelector("#default-policies li")`)
	m.Click("#default-announcements .button.mini")
	m.Wait(`!document.querySelector("#default-announcements li")`)
}

// testConsoleMany suspends two shops with one reason, and resumes all of the page, with many open
// ones.
func testConsoleMany(m *merchant) {
	m.Fill("#search", "shop 10")
	m.Wait(`document.querySelectorAll("#shops [data-shop]").length === 10`)
	m.Click("#select")
	m.Click("[data-pick=shop-101]")
	m.Click("[data-pick=shop-102]")
	m.check("selection")
	m.Click("#suspend-many")
	m.WaitVisible("#many-plan")
	m.Fill("#many #reason", "The invoice of May is unpaid.")
	m.check("many")
	m.submit("#many form")
	m.WaitVisible("#many-done")
	m.check("many-done")
	m.Click("#many .primary")
	m.Wait(`document.querySelectorAll("#shops .status-pill.bad").length === 2`)
	m.Click("#select")
	m.Click("#select-page")
	m.Click("#resume-many")
	m.WaitVisible("#many-plan")
	m.submit("#many form")
	m.WaitVisible("#many-done")
	m.Click("#many .primary")
	m.Wait(`document.querySelectorAll("#shops .status-pill.bad").length === 0`)
}

// The commands of the page for agencies run as it says.
func TestAgenciesPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	linkProgram(t, dir)
	shell(t, dir, "export STOREFRONT_DATA="+dir+"/data\n"+commands(t, "../docs/agencies.md", "plans", "end of plans"))
	shell(t, dir, "export STOREFRONT_DATA="+dir+"/data\n"+commands(t, "../docs/agencies.md", "defaults", "end of defaults"))
	incidents := shell(t, dir, "export STOREFRONT_DATA="+dir+"/data\n"+commands(t, "../docs/agencies.md", "incidents", "end of incidents"))
	if !strings.Contains(incidents, "investigating") || strings.Count(incidents, "Text messages are late") != 2 {
		t.Errorf("got\n%s\nwant the incident", incidents)
	}
	out := shell(t, dir, "export STOREFRONT_DATA="+dir+"/data\n"+commands(t, "../docs/agencies.md", "operators", "end of operators"))
	for _, want := range []string{"Shaila Karim", "support", "/admin/#/-/link/", "Removed the operator tanvir@agency.example."} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%s\nwant %s", out, want)
		}
	}
}
