package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// facebookAgent is the browser inside the app that most buyers come with.
const facebookAgent = "Mozilla/5.0 (Linux; Android 14; SM-A145F) AppleWebKit/537.36 Chrome/130 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/480]"

// A buyer comes from an advertisement and orders on its landing page, staff deliver the order and
// enter what was spent, and the report shows what came back.
func TestDashboard_Campaigns(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	page, site := newVisitor(t, p, 360, "light")
	page.SetUserAgent(facebookAgent)
	page.Go(site + "/l/t-shirt?utm_source=fb&utm_medium=paid&utm_campaign=Eid+Sale&fbclid=IwAR0abc")
	page.Click(".pick [name=delivery]")
	page.Fill("#phone", "01711000000")
	page.Fill("#name", "Rahima Khatun")
	page.Fill("#address", "House 12, Road 3, Dhanmondi")
	page.Click("[data-place]")
	page.Wait(`location.pathname.startsWith("/orders/")`)
	var order string
	page.Eval(`location.pathname.split("/").pop()`, &order)
	page.Go(site + "/policies/privacy")
	page.Wait(`document.body.textContent.includes("For 30 days it also stores which advertisement")`)
	checkVisited(page, "privacy")
	run(t, "api", "demo", "confirmOrder", "--order-id", order, "--data", data)
	run(t, "api", "demo", "bookShipment", "--order-id", order, "--provider", "courier_a", "--consignment-id", "C-EID", "--data", data)
	run(t, "api", "demo", "deliverOrder", "--order-id", order, "--data", data)

	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 422")
	m.show("order/"+order, ".order")
	m.waitText(".order", "Came from")
	m.Eval(`document.querySelector("#came-from").closest("details").open = true`, nil)
	m.waitText("#came-from", "Eid Sale · fb / paid")
	m.check("order-came-from")
	m.show("more", "main nav a")
	m.Click(`main nav a[href$="/analytics"]`)
	m.WaitVisible("#to-campaigns")
	m.Click("#to-campaigns")
	eid := `[...document.querySelectorAll("#campaigns li")].find((row) => row.querySelector("h2").textContent === "Eid Sale")`
	figure := func(name string) (text string) {
		m.Eval(fmt.Sprintf(`[...(%s).querySelectorAll(".figure")].find((one) => one.querySelector("dt").textContent === %q).querySelector("b").textContent`,
			eid, name), &text)
		return text
	}
	end := time.Now().Add(time.Minute)
	for m.Wait(eid); figure("Visits") != "1" && time.Now().Before(end); m.Wait(eid) { // visits are stored late
		time.Sleep(time.Second)
		m.Reload()
	}
	for name, want := range map[string]string{"Visits": "1", "Orders": "1", "Confirmed": "1", "Delivered": "1", "Returned": "0"} {
		if got := figure(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	m.check("campaigns")
	m.FullScreenshot(m.shots + "campaigns-full")

	m.Click("#enter-spend")
	m.WaitVisible("#spend #amount")
	m.check("campaign-spend")
	var index string
	m.Eval(`[...document.querySelectorAll("#spent-on option")].find((one) => one.textContent === "Eid Sale").value`, &index)
	m.set("#spent-on", index)
	m.Fill("#amount", "lots")
	m.Click("#spend .primary")
	m.waitText("#amount-error", "Enter an amount")
	m.Fill("#amount", "100.01")
	m.Eval(`(() => {
		const [from, to] = ["from", "to"].map((name) => document.querySelector("#spend [name=" + name + "]"))
		from.value = new Date(Date.parse(to.value) - 6 * 86400000).toISOString().slice(0, 10)
	})()`, nil)
	m.Click("#spend .primary")
	m.waitText(".toast", "৳100.01")
	spent := fmt.Sprintf(`[...(%s).querySelectorAll("b")].some((b) => b.textContent === "৳100.01")`, eid)
	m.Wait(spent)
	if got := figure("Comes back"); !strings.HasSuffix(got, "×") {
		t.Errorf("got %q, want what came back", got)
	}
	m.Click("#entered summary")
	m.WaitVisible("#spends li")
	m.check("campaign-entered")
	m.Click("#spends li button")
	m.waitText(".toast", "Removed")
	m.Click(".toast button")
	m.Wait(spent)

	m.Click("#spend-file")
	m.WaitVisible("#spend-import .file")
	m.chooseFile("ads.csv", "Day,Campaign name,Amount spent (USD)\n2026-03-01,Eid sale,5\n")
	m.waitText("#spend-import .banner", "The amounts are in USD")
	m.check("campaign-file-refused")
	today := time.Now().In(time.FixedZone("Dhaka", 6*60*60)).Format(time.DateOnly)
	m.chooseFile("ads.csv", "Day,Campaign name,Amount spent (BDT)\n"+today+",eid SALE,1\n"+today+",Winter,7.50\n")
	m.waitText("#spend-import [role=status]", "2 amounts to save")
	m.check("campaign-file")
	m.Click("#spend-import #run")
	m.waitText(".toast", "৳8.50")
	m.waitText("#campaigns", "Winter")
	m.set("#touch", "first")
	m.Wait(`location.hash.includes("touch=first") && ` + eid)
	m.downloads()
	m.Click("#csv-campaigns")
	if file := m.saved(1); !strings.Contains(file.Text, "\ncampaign,Eid Sale,fb / paid,1,1,1,1,0,0,") {
		t.Errorf("got the file %q, want the campaign", file.Text)
	}
	m.SetOffline(true)
	m.AllowProblem("ERR_INTERNET_DISCONNECTED")
	m.set("#days", "7")
	m.Wait(`document.querySelector("main [role=alert], main .failed, main .empty")`)
	m.SetOffline(false)

	for i, width := range some([]int{360, 1280}, 0, 2) {
		t.Run(fmt.Sprintf("at %d px", width), func(t *testing.T) {
			m := openDashboard(t, p, width)
			for j, language := range some([]string{"en", "bn"}, 0, 2) {
				m.use(language, []string{"dark", "light"}[(i+j)%2])
				m.show("analytics/campaigns", "#campaigns li")
				m.FullScreenshot(m.shots + language + "-campaigns-full")
				m.show("analytics/campaigns?period=own&from=2020-01-01&to=2020-01-31", ".empty")
			}
		})
	}
	viewer := asMember(t, p, data, "viewer")
	viewer.show("analytics/campaigns", "#campaigns li")
	var offered bool
	if viewer.Eval(`Boolean(document.querySelector("#enter-spend, #spend-file"))`, &offered); offered {
		t.Error("a viewer is offered to enter spend")
	}
}
