package e2e

import (
	"regexp"
	"testing"

	"storefront/db/dbtest"
)

var setUpLink = regexp.MustCompile(`http://[^"\s]+/admin/#/setup/[\w-]+`)

// Somebody who has just started a server opens the first shop, on a phone and in Bangla.
func TestDashboard_SetUp(t *testing.T) {
	t.Parallel()
	p := serve(t, "--data", t.TempDir())
	var link string
	dbtest.Eventually(t, "the server has printed a link to create a shop", func() bool {
		link = setUpLink.FindString(p.logged())
		return link != ""
	})
	m := &merchant{newBuyer(t, p, narrow)}
	m.shots = "dashboard-360-set-up-"
	m.AllowProblem("status of 422")
	m.Go(link)
	m.WaitVisible("[name='shop.name']")
	m.check("empty")
	m.Click("#language")
	m.Wait(`document.documentElement.lang === "bn"`)
	m.Click(".btn.pri")
	m.Wait(`document.activeElement.name === "shop.name" && document.activeElement.ariaInvalid === "true"`)
	m.check("refused")
	m.Fill("[name='shop.name']", "রিনা শাড়ি ঘর")
	m.Fill("[name='owner.name']", "রিনা আক্তার")
	m.Fill("[name='owner.user']", "01711-000000")
	m.Fill("[name='owner.password']", "short")
	m.Click(".btn.pri")
	m.Wait(`document.activeElement.name === "owner.password" && document.activeElement.ariaInvalid === "true"`)
	m.Fill("[name='owner.password']", "kolapata 7 nodi")
	m.Click(".btn.pri")
	m.waitText("#main", "আপনার দোকান প্রস্তুত")
	m.check("home")
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
	m.Click(".btn.pri")
	m.WaitVisible(`.door a.btn[href="#/"]`)
}
