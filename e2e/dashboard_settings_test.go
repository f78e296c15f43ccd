package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// shopSettings are a part of the shop's settings, as the command line prints them.
type shopSettings struct {
	Name, Locale    string
	ActiveMode      string
	Suspended       bool
	Domains         []string
	DeliveryCharges []struct {
		Name     string
		Charge   int64
		FreeOver *int64
		Areas    []string
	}
	SupportContact struct {
		Phone, Email *string
		Messenger    string
	}
	Site struct{ Announcement string }
}

func (m *merchant) settings() (set shopSettings) {
	m.t.Helper()
	m.Eval(`fetch("/admin/v1/shops/demo/settings").then((response) => response.json())`, &set)
	return set
}

// submit sends a form as Enter does. A button may be below the message of what was done before.
func (m *merchant) submit(form string) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`(document.querySelector(%q).requestSubmit(), true)`, form), nil)
}

// A merchant who has only the screen sets up delivery, a courier, messages and what is printed.
func TestDashboard_Settings(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	t.Run("shop", func(t *testing.T) { testShopSettings(t, p, data) })
	t.Run("brand and printing", func(t *testing.T) { testBrandSettings(t, p, data) })
	t.Run("delivery", func(t *testing.T) { testDeliverySettings(t, p) })
	t.Run("courier", func(t *testing.T) { testCourierSettings(t, p) })
	t.Run("messages", func(t *testing.T) { testMessageSettings(t, p) })
	t.Run("messages to buyers", func(t *testing.T) { testBuyerMessageSettings(t, p) })
	t.Run("mode", func(t *testing.T) { testModeSettings(t, p) })
	t.Run("viewer", func(t *testing.T) { testSettingsOfViewer(t, p, data) })
	t.Run("failures", func(t *testing.T) { testSettingsFailures(t, p) })
	for i, width := range some([]int{320, 360, 1280}, 0, 3) { // a window each: few may be open at once
		t.Run(fmt.Sprintf("every section at %d px", width), func(t *testing.T) {
			m := openDashboard(t, p, width)
			for j, language := range some([]string{"en", "bn"}, i%2, 2) {
				m.use(language, []string{"light", "dark"}[(i+j)%2])
				m.show("more", "main nav a")
				m.show("settings", "#sections a")
				for _, section := range []string{"shop", "brand", "delivery", "payments", "couriers", "sms", "mail", "messages", "printing", "domains", "mode"} {
					m.show("settings/"+section, "main section.card h2, main details")
				}
			}
		})
	}
}

// A card saves what it shows. One that somebody else has changed meanwhile shows both versions; a
// change of another card is no conflict.
func testShopSettings(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 412")
	m.AllowProblem("status of 422")
	m.show("more", "main nav a")
	m.Click(`main nav a[href$="/settings"]`)
	m.WaitVisible("#sections a")
	m.Click(`#sections a[href$="/shop"]`)
	m.WaitVisible("#set-shop #name")
	m.Fill("#set-shop #name", "Rupkotha Crafts")
	run(t, "tenant", "set", "demo", `supportContact={"phone":"+8801711000000"}`, "--data", data)
	m.Click("#set-shop .save")
	m.waitText(".toast", "Saved")
	if got := m.settings(); got.Name != "Rupkotha Crafts" || got.SupportContact.Phone == nil {
		t.Errorf("got settings %+v, want the name of one and the phone number of the other", got)
	}
	m.Fill("#set-shop #name", "")
	m.submit("#set-shop form")
	m.Wait(`document.activeElement.id === "name" && document.activeElement.ariaInvalid === "true"`)
	m.Fill("#set-shop #name", "Rupkotha")
	m.submit("#set-shop form")
	m.Wait(`document.querySelector("#set-shop .save:disabled")`)
	m.Fill("#set-contact #email", "shop@example.com")
	run(t, "tenant", "set", "demo", `supportContact={"phone":"+8801711000001","email":"other@example.com"}`, "--data", data)
	m.submit("#set-contact form")
	m.waitText("#set-contact", "Somebody else has changed this")
	m.waitText("#set-contact .banner", "other@example.com")
	m.check("settings-conflict")
	m.Eval(`(document.querySelector("#set-contact .banner .button").click(), true)`, nil)
	m.Wait(`!document.querySelector("#set-contact .banner") && document.querySelector("#set-contact .save:disabled")`)
	if got := m.settings(); got.SupportContact.Email == nil || *got.SupportContact.Email != "shop@example.com" {
		t.Errorf("got settings %+v, want the e-mail address that was chosen", got)
	}
	m.Fill("#set-contact #messenger", "https://m.me/rupkotha")
	m.submit("#set-contact form")
	m.Wait(`document.querySelector("#set-contact .save:disabled")`)
	m.Fill("#announcement", "Closed on Friday — শুক্রবার বন্ধ")
	m.submit("#set-site form")
	m.Wait(`document.querySelector("#set-site .save:disabled")`)
	m.check("settings-site")
	if got := m.settings(); got.Site.Announcement != "Closed on Friday — শুক্রবার বন্ধ" || got.SupportContact.Messenger != "rupkotha" {
		t.Errorf("got settings %+v, want the announcement and the Messenger name", got)
	}
}

// wantWhole fails the test if an image of the word mark is cropped, or squeezed to a stamp. root is
// the document that has it.
func (m *merchant) wantWhole(root, selector string) {
	m.t.Helper()
	m.Wait(fmt.Sprintf(`%s?.querySelector(%q)?.naturalWidth > 0`, root, selector))
	var shown struct {
		Natural, Box, Width float64
		Fit                 string
	}
	m.Eval(fmt.Sprintf(`(() => {
		const logo = %s.querySelector(%q), {width, height} = logo.getBoundingClientRect()
		return {natural: logo.naturalWidth / logo.naturalHeight, box: width / height, width, fit: getComputedStyle(logo).objectFit}
	})()`, root, selector), &shown)
	isWhole := shown.Fit == "contain" || shown.Box > 6 && shown.Box < 7
	if shown.Natural < 6 || shown.Natural > 7 || !isWhole || shown.Width < 90 {
		m.t.Errorf("%s: got %+v, want a word mark of 400 × 60 in whole and legible", selector, shown)
	}
}

// A word mark from the phone is at once in the frame and on the example of an invoice, which has
// the text that was saved.
func testBrandSettings(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	m.show("settings/brand", "#logo")
	m.Eval(`(async () => {
		const files = new DataTransfer(), input = document.querySelector("#logo"), canvas = document.createElement("canvas")
		canvas.width = 400
		canvas.height = 60
		const context = canvas.getContext("2d")
		context.fillStyle = "#a8323e"
		context.font = "bold 56px sans-serif"
		context.fillText("Rupkotha Crafts", 4, 48, 392)
		const blob = await new Promise((done) => canvas.toBlob(done, "image/png"))
		files.items.add(new File([blob], "logo.png", {type: "image/png"}))
		input.files = files.files
		return input.dispatchEvent(new Event("change", {bubbles: true}))
	})()`, nil)
	m.WaitVisible("#set-brand [data-remove]")
	m.submit("#set-brand form")
	m.waitText(".toast", "Saved")
	m.Wait(`document.querySelector("#set-brand .save:disabled")`)
	var id, shown string
	m.Eval(`fetch("/admin/v1/shops/demo/settings").then((response) => response.json()).then((set) => set.brand.logoId)`, &id)
	m.check("brand-logo")
	m.show("more", "header .logo")
	if m.Eval(`document.querySelector("header .logo").src`, &shown); id == "" || !strings.Contains(shown, "/media/demo/"+id+"/") {
		t.Errorf("got the logo %q and its image %q, want the one that was uploaded", id, shown)
	}
	m.wantWhole("document", "header .logo")
	m.show("settings/printing", "#set-invoice iframe")
	m.Fill("#legalName", "Rupkotha Crafts Ltd.")
	m.set("#labelSize", "80mm")
	m.Wait(`document.querySelector("#set-print iframe").src.includes("size=80mm")`)
	m.submit("#set-invoice form")
	m.waitText(".toast", "Saved")
	m.Wait(`document.querySelector("#set-invoice iframe").contentDocument?.body?.innerText.includes("Rupkotha Crafts Ltd.")`)
	m.Wait(`document.querySelector("#set-print iframe").contentDocument?.body?.innerText.includes("1024")`)
	m.wantWhole(`document.querySelector("#set-invoice iframe").contentDocument`, "img.logo")
	m.check("printing-preview")
	m.Eval(`(document.querySelector("#set-invoice iframe").scrollIntoView({block: "center"}), true)`, nil)
	m.Screenshot(m.shots + "printing-invoice")
	m.submit("#set-print form")
	m.Wait(`document.querySelector("#set-print .save:disabled")`)
	run(t, "tenant", "set", "demo", `domains=["rupkotha.example"]`, "--data", data)
	m.show("settings/domains", "#certificates li")
	m.waitText("#certificates", "Not here")                       // no TLS in the test
	m.waitText("#set-domains", "Point the domain to this server") // its name means nothing to others
}

// Delivery charges in the form of a shop in Dhaka, and what an address is offered.
func testDeliverySettings(t *testing.T, p *process) {
	m := &taps{merchant: openDashboard(t, p, 360)}
	m.show("settings/delivery", "#add-charge")
	// The 63 districts outside Dhaka are not in the way of what stands below them.
	chips := `document.querySelector("[id='deliveryCharges[1].areas']").closest(".field").querySelectorAll(".chip").length`
	m.Wait(chips + ` === 13`)
	m.Click(".charge:nth-of-type(2) .chips-in .chip:not(.on)")
	m.Wait(chips + ` === 63`)
	for _, left := range []int{1, 0} {
		m.Click(".charge legend .button")
		m.Wait(fmt.Sprintf(`document.querySelectorAll(".charge").length === %d`, left))
	}
	m.tap("#usual")
	m.Wait(`document.querySelectorAll(".charge").length === 2`)
	m.Fill("[name='deliveryCharges[1].charge']", "12O") // a typing error is no charge of 0
	m.Click("#set-delivery .save")
	m.Wait(`document.activeElement.name === "deliveryCharges[1].charge" && document.querySelector("#set-delivery .error")`)
	m.Fill("[name='deliveryCharges[1].charge']", "১২০")
	m.Fill("[name='deliveryCharges[0].freeOver']", "2,000")
	m.Fill("[id='deliveryCharges[0].areas']", "Savar")
	m.Press(browsertest.Enter)
	m.check("delivery")
	m.tap("#set-delivery .save")
	m.waitText(".toast", "Saved")
	m.want("the usual delivery charges", 2)
	got := m.settings().DeliveryCharges
	if len(got) != 2 || got[0].Charge != 7000 || got[0].FreeOver == nil || *got[0].FreeOver != 200000 || len(got[0].Areas) != 2 ||
		got[1].Charge != 12000 {
		t.Errorf("got charges %+v, want those that were entered", got)
	}
	m.Fill("#test-address #city", "savar")
	m.submit("#test-address form")
	m.waitText(".found-charges", "70")
	m.Fill("#test-address #city", "Khulna")
	m.submit("#test-address form")
	m.Wait(`document.querySelectorAll(".found-charges li").length === 1`)
	m.check("delivery-tested")
	// A form with changes is left only after a confirmation.
	m.Fill("[name='deliveryCharges[0].charge']", "75")
	m.Wait(`document.querySelector("#set-delivery .save:not(:disabled)")`)
	m.Eval(`(location.hash = "#/demo/home", true)`, nil)
	m.Click("#leave .primary")
	m.Wait(`!document.querySelector("#leave") && location.hash.endsWith("/settings/delivery")`)
}

// The four steps of a courier: its account, the address, a secret, and the first message, which is
// shown when it arrives.
func testCourierSettings(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	m.wantAbout(map[string]string{
		"courier_a": "Pathao’s merchant panel under Developers API", "courier_b": "Steadfast’s panel on the page API",
		"gateway_a": "SSLCommerz sends both", "gateway_b": "bKash sends all four",
	})
	m.show("settings/couriers", "#courier_b summary")
	m.Eval(`(document.querySelector("#courier_b details").open = true)`, nil)
	m.Fill("#courier_b-api_key", "key-of-the-account")
	m.Fill("#courier_b-secret_key", "secret-of-the-account")
	m.Click("#courier_b .step:nth-child(3) .button")
	m.WaitVisible("#courier_b .step:nth-child(3) code")
	token := m.Text("#courier_b .step:nth-child(3) code")
	address := m.Text("#courier_b .step:nth-child(2) code")
	m.check("courier")
	m.Click("#courier_b .save")
	m.WaitVisible("#courier_b .connection")
	_, path, _ := strings.Cut(strings.TrimPrefix(address, "http://"), "/")
	p.must(request{method: "POST", path: "/" + path, header: map[string]string{"Authorization": "Bearer " + token}, body: map[string]any{
		"notification_type": "tracking_update", "consignment_id": 1, "invoice": "none", "tracking_message": "Picked up",
	}})
	m.waitText("#courier_b .handshake", "arrived") // the demo has received some before
	m.check("courier-arrived")
}

// A gateway of text messages and a mail server, and what they refuse.
func testMessageSettings(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	m.show("settings/sms", "#preset")
	m.Eval(`(() => {
		const select = document.querySelector("#preset")
		select.value = "bulksmsbd"
		return select.dispatchEvent(new Event("change", {bubbles: true}))
	})()`, nil)
	m.Fill("#apiKey", "key-of-the-account")
	m.Fill("#sender", "8809600000000")
	m.Click("#set-sms .save")
	m.waitText("#set-sms .status-pill", "Not checked yet")
	m.waitText("#set-sms", "BulkSMSBD")
	m.check("sms")
	m.show("settings/mail", "#host")
	m.Fill("#from", "orders@example.com")
	m.Fill("#host", "127.0.0.1")
	m.Fill("#port", "1")
	m.submit("#set-mail form")
	m.WaitVisible("#test #email")
	m.Fill("#test #email", "me@example.com")
	m.submit("#test form")
	m.Wait(`document.querySelector("#test .banner")`)
	m.check("mail-refused")
	m.Eval(`(document.querySelector("#set-mail .row > .button:last-child").click(), true)`, nil)
	m.WaitVisible("dialog .bad")
	m.check("remove")
	m.Click("dialog .bad")
	m.waitText("#set-mail .status-pill", "Not connected")
}

// The shop becomes a test and is closed, and both again.
func testModeSettings(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	for _, step := range []struct{ button, want string }{
		{"#change-suspended", "Closed"}, {"#change-suspended", "Open"}, {"#change-mode", ""}, {"#change-mode", ""},
	} {
		m.show("settings/mode", step.button)
		before := m.settings()
		m.Click(step.button)
		m.WaitVisible("dialog form .button")
		m.check("mode-asked")
		m.Click("dialog form .button")
		m.Wait(`!document.querySelector("dialog[open]")`)
		if step.want != "" {
			m.waitText("#set-suspended", step.want)
		}
		after := m.settings()
		if before.Suspended == after.Suspended && before.ActiveMode == after.ActiveMode {
			t.Errorf("%s: nothing has changed: %+v", step.button, after)
		}
		if after.ActiveMode == "sandbox" { // the demo has no test account of this courier
			m.show("settings/couriers", "#courier_b .status-pill")
			m.waitText("#courier_b .status-pill", "Practice")
			m.waitText("#courier_b", "you practise")
			m.check("practice")
			m.use("bn", "dark")
			m.show("settings/payments", "#gateway_a .status-pill")
			m.show("settings/couriers", "#courier_b .status-pill")
			m.check("practice-bn")
			m.use("en", "light")
		}
	}
}

// Who may only view sees the settings without a Save, and no accounts of providers.
func testSettingsOfViewer(t *testing.T, p *process, data string) {
	m := asMember(t, p, data, "viewer")
	m.show("settings", "#sections a")
	var sections []string
	if m.Eval(`[...document.querySelectorAll("#sections a")].map((a) => a.hash.split("/").pop())`, &sections); len(sections) != 11 {
		t.Errorf("got sections %q, want those without accounts of providers", sections)
	}
	m.show("settings/shop", "#set-shop #name")
	m.check("settings-viewer")
	var n int
	if m.Eval(`document.querySelectorAll(".save, #set-shop :enabled:is(input)").length`, &n); n != 0 {
		t.Errorf("got %d controls, want none", n)
	}
	m.show("settings/couriers", ".empty")
}

// asMember opens the dashboard as a new staff member with a role.
func asMember(t *testing.T, p *process, data, role string) *merchant {
	t.Helper()
	m := &merchant{openWindow(t, p, 360)}
	m.signInAs(p.url, data, role)
	return m
}

// signInAs invites a staff member, who signs in at an address of the server.
func (m *merchant) signInAs(address, data, role string) {
	t := m.t
	t.Helper()
	var invited struct{ Link struct{ URL string } }
	text := run(t, "staff", "invite", "demo", "--role", role, "--name", "Karim", "--email", role+"@example.com", "--json", "--data", data)
	if err := json.Unmarshal([]byte(text), &invited); err != nil {
		t.Fatal(err)
	}
	m.shots = "dashboard-" + role + "-"
	_, fragment, _ := strings.Cut(invited.Link.URL, "#")
	m.Go(address + "/admin/#" + fragment)
	m.WaitVisible("#password")
	m.Fill("#password", "kolapata-7-nodi")
	m.Click("form .primary")
	m.Wait(`document.querySelector(".wide #main h1")`)
}

// What a section shows while its settings cannot be loaded, and while it waits for them.
func testSettingsFailures(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 500")
	m.show("home", ".tiles")
	m.Eval(`(() => {
		const real = fetch
		window.fetch = (address, ...rest) => String(address).endsWith("/settings") ? new Promise((done) => { window.fail = () =>
			done(new Response('{"code": "internal", "requestId": "01TEST"}', {status: 500})) }) : real(address, ...rest)
		location.hash = "#/demo/settings/shop"
		return true
	})()`, nil)
	m.Wait("window.fail && document.querySelector('.skeleton:not(.unseen)')")
	m.Screenshot(m.shots + "settings-loading")
	m.Eval(`(window.fail(), true)`, nil)
	m.waitText(".empty", "01TEST")
	m.check("settings-failed")
}

// Messages to buyers are turned on and worded, with the length of an SMS while it is typed.
func testBuyerMessageSettings(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	m.show("settings/messages", "#message-log")
	m.Click("#sms-confirmed")
	m.submit("#set-messages form")
	m.waitText(".toast", "Saved")
	m.waitText("#set-texts", "1 SMS")
	m.Eval(`(document.querySelector("#set-texts input[value=bn]").click(), true)`, nil)
	m.WaitVisible(`[name="placed.bn"]`)
	m.Fill(`[name="placed.bn"]`, strings.Repeat("আপনার অর্ডার {number} ", 9))
	m.Wait(`/^[2-9] SMS/.test(document.getElementById("placed.bn-hint").textContent)`)
	m.submit("#set-texts form")
	m.Wait(`!document.querySelector("#set-texts .button.primary")`)
	var on, text string
	m.Eval(`fetch("/admin/v1/shops/demo/settings").then((response) => response.json()).then((set) => set.buyerMessages.sms.join())`, &on)
	m.Eval(`(async () => { // until the second form is saved
		for (;;) {
			const { buyerMessages } = await (await fetch("/admin/v1/shops/demo/settings")).json()
			if (buyerMessages.templates) return Object.keys(buyerMessages.templates).join()
			await new Promise((resolve) => setTimeout(resolve, 100))
		}
	})()`, &text)
	if !strings.Contains(on, "confirmed") || text != "placed" {
		t.Errorf("got messages %q and texts %q, want confirmed and placed", on, text)
	}
	m.check("settings-messages-saved")
	m.testMessageLengths()
	m.show("settings/messages", "#message-log")
	m.Click("#email-payment_link")
	m.Click("#sms-out_for_delivery")
	m.submit("#set-messages form")
	m.Wait(`document.querySelector("#set-messages .save:disabled")`)
	m.Eval(`fetch("/admin/v1/shops/demo/settings").then((response) => response.json()).then(({buyerMessages: set}) => set.sms + ";" + set.email)`, &on)
	if !strings.HasSuffix(on, "out_for_delivery;payment_link") {
		t.Errorf("got the messages %q, want the text message about delivery and the e-mail with the link", on)
	}
}

// testMessageLengths counts in the browser what the tests of packages account and shop count, and
// compares the lengths on the screen with those of the server.
func (m *merchant) testMessageLengths() {
	m.t.Helper()
	cases := map[string]json.RawMessage{}
	for name, file := range map[string]string{
		"lengths": "../shop/sender/testdata/segments.json", "texts": "../shop/message/testdata/texts.json",
	} {
		data, err := os.ReadFile(file)
		if err != nil {
			m.t.Fatal(err)
		}
		cases[name] = data
	}
	encoded, err := json.Marshal(cases)
	if err != nil {
		m.t.Fatal(err)
	}
	var got struct {
		Count int
		Wrong []string
	}
	m.Eval(fmt.Sprintf(`import(new URL("part/sms_length.js", document.querySelector("script[type=module]").src)).then(({fill, lengthOf}) => {
		const {lengths, texts} = %s, wrong = []
		for (const one of lengths) {
			const {n, count} = lengthOf(one.text.map(([part, times]) => part.repeat(times)).join(""))
			if (n !== one.places || count !== one.segments) wrong.push(one.name + ": " + n + " places, " + count + " segments")
		}
		for (const one of texts.templates) {
			const text = fill(one.template, texts.values)
			if (text !== one.text) wrong.push(JSON.stringify([one.template, text, one.text]))
		}
		return {count: lengths.length + texts.templates.length, wrong}
	})`, encoded), &got)
	if got.Count < 35 || len(got.Wrong) > 0 {
		m.t.Errorf("of %d cases, the browser counts otherwise: %q", got.Count, got.Wrong)
	}
	m.show("settings/messages", "#set-texts textarea")
	for _, language := range []string{"bn", "en"} {
		m.Eval(fmt.Sprintf(`(document.querySelector("#set-texts input[value=%s]").click(), true)`, language), nil)
		m.Wait(fmt.Sprintf(`document.querySelector("#set-texts [name='placed.%s']")`, language))
		m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/message-templates").then((response) => response.json()).then(({nodes}) => {
			const of = nodes.filter((one) => one.language === %q)
			return {count: of.length, wrong: of.map((one) => [document.getElementById(one.event + "." + one.language + "-hint")?.textContent, one.segments])
				.filter(([hint, segments]) => !hint?.startsWith(segments + " SMS")).map(String)}
		})`, language), &got)
		if got.Count != 13 || len(got.Wrong) > 0 {
			m.t.Errorf("%s: of %d texts, the screen counts otherwise: %q", language, got.Count, got.Wrong)
		}
	}
}
