package e2e

import (
	"regexp"
	"slices"
	"testing"

	"storefront/db/dbtest"
)

// testSetupSteps follows the steps of the set-up in a new shop, which shows nothing else.
func testSetupSteps(t *testing.T, m *merchant) {
	t.Helper()
	var others int
	if m.Eval(`document.querySelectorAll(".home-wide .tiles, .home-wide .cols").length`, &others); others != 0 {
		t.Errorf("got %d other parts beside the steps", others)
	}
	steps := `[...document.querySelectorAll("#setup [data-step]")].map((step) => step.dataset.step + (step.querySelector(".tone-good") ? " done" : ""))`
	var got []string
	m.Eval(steps, &got)
	want := []string{"logo", "product", "design", "deliveryCharge", "courier", "payment", "sms", "secondFactor", "domain", "testOrder"}
	if !slices.Equal(got, want) {
		t.Errorf("got steps %q, want %q", got, want)
	}
	m.Click(`[data-step="deliveryCharge"] a`) // leads to where it is done
	m.WaitVisible("#add-charge")
	m.check("no-charges")
	m.Click("#add-charge")
	m.Fill("[name='deliveryCharges[0].name']", "Dhaka")
	m.Fill("[name='deliveryCharges[0].charge']", "70")
	m.Click("#set-delivery .save")
	m.waitText(".toast", "Saved")
	m.Eval(`(history.back(), true)`, nil)
	m.Wait(`document.querySelector('#setup [data-step="deliveryCharge"] .tone-good')`)
	m.AllowProblem("Blocked script execution") // a refused frame is a problem, too
	m.Click(`[data-step="design"] a`)
	m.WaitVisible("#open-shop")
	m.Wait(`document.querySelector(".phone iframe:not(.next)")`)
	m.check("first-design")
	m.Eval(`(history.back(), true)`, nil)
	m.WaitVisible(`[data-step="secondFactor"] a`)
	m.Click(`[data-step="secondFactor"] a`)
	m.Wait(`location.hash.endsWith("/account")`)
	m.Eval(`(history.back(), true)`, nil)
	m.WaitVisible("#hide-setup")
	m.Eval(`(document.querySelector("#hide-setup").click(), true)`, nil) // the last message may lie above it
	m.Wait(`document.querySelector(".home-wide .cols") && !document.querySelector("#setup")`)
	m.check("set-up-hidden")
}

var setUpLink = regexp.MustCompile(`http://[^"\s]+/admin/#/setup/[\w-]+`)

// Somebody who has just started a server opens the first shop, on a phone and in Bangla.
func TestDashboard_SetUp(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--data", t.TempDir())
	var link string
	dbtest.Eventually(t, "the server has printed a link to create a shop", func() bool {
		link = setUpLink.FindString(p.logged())
		return link != ""
	})
	m := &merchant{openWindow(t, p, narrow)}
	m.shots = "dashboard-360-set-up-"
	m.AllowProblem("status of 422")
	m.Go(p.url + "/admin/")
	m.waitText(".sign-in", "no shop yet")
	m.Go(link)
	m.WaitVisible("[name='shop.name']")
	m.check("empty")
	m.Click("#language")
	m.Wait(`document.documentElement.lang === "bn"`)
	m.Click(".button.primary")
	m.Wait(`document.activeElement.name === "shop.name" && document.activeElement.ariaInvalid === "true"`)
	m.check("refused")
	m.Fill("[name='shop.name']", "রিনা শাড়ি ঘর")
	m.Wait(`!document.querySelector("[name='shop.name'][aria-invalid]")`) // an error goes once its field is changed
	var twice bool
	if m.Eval(`(() => {
		const names = [...document.querySelector("[name='shop.country']").options].map((one) => one.text)
		return names.length < 200 || new Set(names).size < names.length
	})()`, &twice); twice {
		t.Error("a country is missing or listed twice")
	}
	m.Fill("[name='owner.name']", "রিনা আক্তার")
	m.Fill("[name='owner.user']", "01711-000000")
	m.Fill("[name='owner.password']", "short")
	m.Click(".button.primary")
	m.Wait(`document.activeElement.name === "owner.password" && document.activeElement.ariaInvalid === "true"`)
	m.Fill("[name='owner.password']", "kolapata 7 nodi")
	m.Click(".button.primary")
	m.WaitVisible("#setup")
	m.check("home")
	m.use("bn", "dark")
	m.WaitVisible("#setup")
	m.check("home-dark")
	m.use("en", "light")
	m.WaitVisible("#setup")
	testSetupSteps(t, m)
	var set struct{ Name, Country, Currency, Locale string }
	m.Eval(`fetch("/admin/v1/shops/" + location.hash.split("/")[1] + "/settings").then((response) => response.json())`, &set)
	if set.Name != "রিনা শাড়ি ঘর" || set.Locale != "bn-"+set.Country || len(set.Currency) != 3 {
		t.Errorf("got settings %+v, want the shop that was entered", set)
	}
	m.Go(link) // once only
	m.WaitVisible("[name='shop.name']")
	for name, text := range map[string]string{
		"shop.name": "Second", "owner.name": "Karim", "owner.user": "karim@example.com", "owner.password": "kolapata 8 nodi",
	} {
		m.Fill("[name='"+name+"']", text)
	}
	m.AllowProblem("status of 409")
	m.Click(".button.primary")
	m.WaitVisible(`.sign-in a.button[href="#/"]`)
}
