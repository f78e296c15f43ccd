package e2e

import (
	"fmt"
	"testing"
)

// A merchant makes a menu of two levels by thumb, and buyers see it.
func TestDashboard_Menus(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--rate", "0", "--data", demoData(t))
	t.Run("by thumb", func(t *testing.T) { testMenusByThumb(t, p) })
	for i, width := range some([]int{360, 1280}, 0, 2) {
		t.Run(fmt.Sprintf("at %d px", width), func(t *testing.T) {
			m := openDashboard(t, p, width)
			for j, language := range some([]string{"en", "bn"}, 0, 2) {
				m.use(language, []string{"light", "dark"}[(i+j)%2])
				m.show("site/menus", "#links-main")
				m.FullScreenshot(m.shots + "menus-full")
			}
		})
	}
}

func testMenusByThumb(t *testing.T, p *process) {
	m := &taps{merchant: openDashboard(t, p, 360)}
	m.AllowProblem("status of 422")
	m.show("site/menus", "[data-add-link=main]")
	m.tap("[data-add-link=main]")
	m.WaitVisible("#targets [data-to='/collections/all']")
	m.check("menus-targets")
	m.tap("#targets [data-to='/collections/all']")
	m.WaitVisible("#links-main [data-link='0']")
	m.tap("[data-add-link=main]")
	m.WaitVisible("#targets li:nth-child(4) .option")
	m.tap("#targets li:nth-child(4) .option") // the first collection
	m.WaitVisible("#links-main [data-link='1']")
	m.tap("#links-main [data-link='1']")
	m.WaitVisible("#link #below")
	m.check("menus-link")
	m.Fill("#link [name='title.en']", "Our first shelf")
	m.tap("#below")
	m.tap("#link-done")
	m.tap("[data-add-link=main]")
	m.WaitVisible("#targets [data-to='https://…']")
	m.tap("#targets [data-to='https://…']")
	m.WaitVisible("#link [name=link]")
	m.Fill("#link [name='title.en']", "Nowhere")
	m.Fill("#link [name=link]", "nowhere")
	m.tap("#link-done")
	m.WaitVisible("#save")
	m.tap("#save")
	m.Wait(`document.querySelector("#links-main [data-link='2'] .tone-bad")`)
	m.tap("#links-main [data-link='2']")
	m.WaitVisible("#link [name=link][aria-invalid]")
	m.Fill("#link [name=link]", "/products/no-such")
	m.tap("#link-done")
	m.tap("#save")
	m.waitText(".toast", "Saved")
	m.waitText("#links-main", "Left out")
	m.check("menus")
	m.want("a menu of two levels, with a fault that is corrected", 16)

	m.Go(p.url + "/")
	m.WaitVisible(".menu-button")
	m.Click(".menu-button")
	m.WaitVisible("#menu summary")
	m.Click("#menu summary")
	m.waitText("#menu details[open]", "Our first shelf")
	m.Screenshot(m.shots + "menus-live")
	var gone bool
	if m.Eval(`!document.body.textContent.includes("Nowhere")`, &gone); !gone {
		t.Error("the page shows a link to a product that does not exist")
	}
	m.Resize(1280, 800)
	m.Click(".head-nav summary")
	m.waitText(".head-nav details[open]", "Our first shelf")
	m.Screenshot("dashboard-1280-menus-live")
}
