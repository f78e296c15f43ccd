package e2e

import "testing"

// A merchant finds what lacks a translation and translates it, and buyers read it at once.
func TestDashboard_Translations(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	m := openDashboard(t, p, 360)
	m.show("site/translations", "#translations")
	m.check("translations")
	m.show("site/translations?kind=shop&all=1", "#translations")
	m.Wait(`document.querySelector(".chips [aria-current]").getBoundingClientRect().right <= innerWidth`)
	m.show("site/translations/product/classic-cotton-panjabi", "[name=title]")
	m.Fill("[name=title]", "সুতি পাঞ্জাবি")
	m.check("translation")
	m.wantNarrow("translation")
	m.Reload() // what is not saved stays on the device
	m.Wait(`document.querySelector("[name=title]")?.value === "সুতি পাঞ্জাবি"`)
	m.Click("#save")
	m.Wait(`!document.querySelector("#save")`)
	m.Go(demoSite(t, p) + "/bn/products/classic-cotton-panjabi")
	m.waitText("h1", "সুতি পাঞ্জাবি")
}
