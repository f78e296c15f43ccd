package e2e

import (
	"fmt"
	"testing"
)

// shownLanding is a landing page, as the Admin API returns it.
type shownLanding struct {
	Slug, URL string
	Products  []string
	Visible   bool
	Title     struct{ En, Bn string }
	Sections  []struct{ Kind string }
}

func (m *merchant) landing(slug string) (found shownLanding) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/landing-pages/%s").then((response) => response.json())`, slug), &found)
	return found
}

// A merchant makes a landing page and menus, and buyers use them.
func TestDashboard_Landing(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	t.Run("by thumb", func(t *testing.T) { testLandingByThumb(t, p) })
	t.Run("two people", func(t *testing.T) { testLandingConflict(t, p) })
	for i, width := range some([]int{360, 1280}, 0, 2) {
		t.Run(fmt.Sprintf("at %d px", width), func(t *testing.T) {
			m := openSiteDesign(t, p, width)
			for j, language := range some([]string{"en", "bn"}, 0, 2) {
				m.use(language, []string{"light", "dark"}[(i+j)%2])
				m.show("site/landing", "#landing-pages")
				m.check("landing-list")
				m.show("site/landing/t-shirt", "#landing-page")
				m.check("landing-page")
				m.FullScreenshot(m.shots + "landing-page-full")
			}
		})
	}
}

// By thumb: a product, a section, shown. A buyer orders on the page.
func testLandingByThumb(t *testing.T, p *process) {
	m := &taps{merchant: openSiteDesign(t, p, 360)}
	m.show("site", ".views")
	m.tap(`.views a[href$="/landing"]`)
	m.WaitVisible("#new-landing")
	m.tap("#new-landing")
	m.WaitVisible("#add [data-add]")
	m.tap("#add li:first-child .option")
	m.WaitVisible("#landing [name=slug]")
	m.check("landing-new")
	m.Fill("#landing [name=slug]", "eid")
	m.tap("#landing .primary")
	m.WaitVisible("#add-section")
	m.tap("#add-section")
	m.WaitVisible("#kinds [data-kind=orderForm]")
	m.tap("#kinds [data-kind=questions]")
	m.WaitVisible("#section-done")
	m.tap("#section-done")
	m.WaitVisible("#products")
	m.tap("#products")
	m.WaitVisible("#add [data-add]")
	m.tap("#add li:nth-child(2) .option")
	m.tap("#add .button.primary")
	m.WaitVisible("#visible")
	m.tap("#visible")
	m.WaitVisible("#save")
	m.check("landing-unsaved")
	m.tap("#save")
	m.waitText(".toast", "Saved")
	m.want("make a landing page for two products, with questions, and show it", 13)
	saved := m.landing("eid")
	if !saved.Visible || len(saved.Products) != 2 || len(saved.Sections) < 2 || saved.Sections[len(saved.Sections)-1].Kind != "questions" {
		t.Errorf("got %+v, want the page of two products, visible, with questions last", saved)
	}
	m.Go(p.url + "/l/eid")
	m.WaitVisible("form [name=phone]")
	m.Eval(`(document.querySelectorAll("[name=quantity]")[1].value = "2", true)`, nil)
	m.FullScreenshot(m.shots + "landing-live")
	m.Fill("form [name=name]", "Ayesha")
	m.Fill("form [name=phone]", "01712345678")
	m.Fill("form [name=address]", "House 1, Road 2, Dhaka")
	m.Eval(`(document.querySelector("form [name=delivery]")?.click(), document.querySelector("form [name=phone]").form.requestSubmit(), true)`, nil)
	m.Wait(`location.pathname.startsWith("/orders/")`)

	m.AllowProblem("status of 404")
	m.Go(p.url + "/admin/#/demo/site/landing/eid")
	m.WaitVisible("#delete-landing")
	m.Click("#delete-landing")
	m.waitText(".toast", "deleted")
	m.Wait(`!document.querySelector("#landing-pages a[href$='landing%2Feid']")`)
	m.Click(".toast button")
	m.WaitVisible("#landing-pages a[href$='landing%2Feid']")
	if again := m.landing("eid"); len(again.Products) != 2 || len(again.Sections) != len(saved.Sections) {
		t.Errorf("got %+v after undoing, want the page as before", again)
	}
}

// What two people change in different parts is joined; of the same part they choose. What is typed
// survives a tab that is closed before it is saved.
func testLandingConflict(t *testing.T, p *process) {
	m := openSiteDesign(t, p, 360)
	other := openSiteDesign(t, p, 360)
	title, save := "#landing-page [name='title.en']", "#save"
	for _, one := range []*merchant{m, other} {
		one.AllowProblem("status of 412")
		one.show("site/landing/t-shirt", title)
	}
	other.Fill(title, "Shirts of theirs")
	other.Click(save)
	other.waitText(".toast", "Saved")
	m.Fill("#landing-page [name='description.en']", "Soft cotton")
	m.Click(save)
	m.waitText(".toast", "Saved")
	if got := m.landing("t-shirt"); got.Title.En != "Shirts of theirs" {
		t.Errorf("got %+v, want both changes", got)
	}
	other.Fill(title, "Shirts again")
	other.Click(save)
	other.Wait(`!document.querySelector("#save")`)
	m.Fill(title, "Shirts of mine")
	m.Eval(`(window.isOld = true, location.reload(), true)`, nil)
	m.Wait(`!window.isOld && document.querySelector("#conflict")`)
	m.check("landing-conflict")
	m.Click("#conflict .button.primary")
	m.waitText(".toast", "Saved")
	if got := m.landing("t-shirt").Title.En; got != "Shirts of mine" {
		t.Errorf("got %q, want the title that was chosen", got)
	}
}
