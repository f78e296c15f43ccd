package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// What was sold, what came back and who holds the cash is drawn, and stands in tables and files.
func TestDashboard_Analytics(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	t.Run("figures", func(t *testing.T) { testAnalytics(t, p, data) })
	t.Run("viewer", func(t *testing.T) {
		m := asMember(t, p, data, "viewer")
		m.show("analytics", "#report-couriers tbody tr")
		var n int
		if m.Eval(`document.querySelectorAll("[id^=csv-]").length`, &n); n != 0 {
			t.Errorf("got %d files offered to a viewer, want none", n)
		}
	})
	t.Run("staff", func(t *testing.T) {
		m := asMember(t, p, data, "staff")
		m.show("analytics", ".empty")
		m.waitText(".empty", "Your role does not include this")
	})
	for i, width := range some([]int{320, 360, 1280}, 1, 3) {
		t.Run(fmt.Sprintf("at %d px", width), func(t *testing.T) {
			m := openDashboard(t, p, width)
			for j, language := range some([]string{"en", "bn"}, i%2, 2) {
				m.use(language, []string{"dark", "light"}[(i+j)%2])
				m.show("analytics", "#report-coupons tbody tr")
				m.show("analytics?period=own&from=2020-01-01&to=2020-01-31", ".empty")
			}
		})
	}
}

func testAnalytics(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	m.show("more", "main nav a")
	m.Click(`main nav a[href$="/analytics"]`)
	m.WaitVisible(".chart canvas")
	m.Wait(`document.querySelectorAll(".report tbody tr").length > 15 && document.querySelectorAll(".skeleton").length === 0`)
	m.check("analytics")
	// The chart is of the same days as its table, and the sum of these is that of the figures.
	var days struct {
		Rows, Orders int
		Total        string
	}
	m.Eval(`({
		rows: document.querySelectorAll("#by-day tbody tr").length,
		orders: [...document.querySelectorAll("#by-day tbody td:nth-child(2)")].reduce((sum, cell) => sum + Number(cell.textContent.replace(",", "")), 0),
		total: document.querySelector(".figure b").textContent,
	})`, &days)
	if days.Rows != 30 || days.Orders == 0 || fmt.Sprint(days.Orders) != strings.ReplaceAll(days.Total, ",", "") {
		t.Errorf("got %+v, want 30 days with the orders of the figures", days)
	}
	m.Click("#how summary")
	m.waitText("#how", "Revenue per order.")
	m.check("analytics-how")
	m.Click("#by-day details summary")
	m.Click("#other-places")
	m.waitText("#report-areas tbody", " / ")
	m.Click("#other-chart")
	m.waitText("#by-day h2", "Orders")
	m.set("#days", "7")
	m.Wait(`document.querySelectorAll("#by-day tbody tr").length === 7`)
	m.set("#compare", "year")
	m.Wait(`location.hash.includes("compare=year") && document.querySelector(".chart canvas")`)
	m.downloads()
	m.Click("#csv-couriers")
	if file := m.saved(1); !strings.HasPrefix(file.Name, "couriers-demo-") || !strings.Contains(file.Text, "Key,Name,Orders") {
		t.Errorf("got file %s: %q, want the couriers", file.Name, file.Text)
	}
	m.Click("#csv-overview")
	if file := m.saved(2); !strings.Contains(file.Text, "averageOrder,") {
		t.Errorf("got file %s: %q, want the figures", file.Name, file.Text)
	}
	// A day is the same east of the date line.
	run(t, "tenant", "set", "demo", "timeZone=Pacific/Auckland", "--data", data)
	from, to := time.Now().AddDate(0, 0, -10), time.Now().AddDate(0, 0, -4)
	m.Eval(fmt.Sprintf(`(location.hash = "#/demo/analytics?period=own&from=%s&to=%s", true)`,
		from.Format(time.DateOnly), to.Format(time.DateOnly)), nil)
	m.Reload()
	m.Wait(`document.querySelectorAll("#by-day tbody tr").length === 7 && document.querySelector(".chart canvas")`)
	for selector, day := range map[string]time.Time{"#by-day tbody tr:last-child td": from, "#by-day tbody td": to, ".reading span": to, ".span": from} {
		var got string
		if m.Eval(fmt.Sprintf(`document.querySelector(%q).textContent.trim()`, selector), &got); !strings.HasPrefix(got, day.Format("2 Jan")) {
			t.Errorf("%s: got %q, want the shop's %s", selector, got, day.Format("2 Jan"))
		}
	}
}
