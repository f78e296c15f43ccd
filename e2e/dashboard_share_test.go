package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// share posts a text as a device does that has installed the dashboard.
func (m *merchant) share(p *process, text string) {
	m.t.Helper()
	m.Go("about:blank")
	m.Eval(fmt.Sprintf(`((form) => {
		form.method = "POST"
		form.action = %q
		form.append(Object.assign(document.createElement("textarea"), {name: "text", value: %q}))
		document.body.append(form)
		form.submit()
		return true
	})(document.createElement("form"))`, p.url+"/admin/share", text), nil)
}

// A message that is shared with the installed dashboard fills in a new order, also if somebody
// signs in first. The order ends with a reply, and no address has any of the message.
func testShared(t *testing.T, p *process, data string) {
	m := asMember(t, p, data, "manager")
	m.AllowProblem("status of 422") // of a quote for an address that is not whole
	m.use("bn", "dark")
	m.share(p, "নাম: সালমা </textarea> বেগম\nফোন: ০১৭১৫০০০০৯৯\nআমের আচার ২টা")
	m.Wait(`location.hash === "#/demo/new" && document.querySelector(".goods-line")`)
	m.Wait(`document.querySelector("#phoneNumber").value === "01715000099" && !sessionStorage.getItem("sf-shared")`)
	m.waitText("#line1-hint", "মেসেজে নিশ্চিত নয়")
	m.waitText("#phoneNumber-hint", "০১৭১৫০০০০৯৯")
	m.check("new-order-shared")
	m.share(p, "Name: Rina Akter\nPhone: 01715000098\nAddress: House 5, Road 2, Dhaka\nmango pickle 3 pcs")
	m.WaitVisible("#shared-text") // the first order is not lost
	m.check("new-order-shared-twice")
	m.Click("#shared-new")
	m.Wait(`document.querySelector("#phoneNumber").value === "01715000098" && document.querySelector(".goods-line")`)
	m.Click(".top .mini") // clears it
	m.Wait(`!document.querySelector(".goods-line")`)

	m.show("account", "#sign-out")
	m.Click("#sign-out")
	m.WaitVisible("#user")
	m.AllowProblem("status of 401")
	m.share(p, "Name: Rina Akter\nPhone: 01715000098\nAddress: House 5, Road 2, Dhaka\nmango pickle 3 pcs")
	m.WaitVisible("#user")
	m.Fill("#user", "manager@example.com")
	m.Fill("#password", "kolapata-7-nodi")
	m.Click("form .primary")
	m.Wait(`location.hash === "#/demo/new" && document.querySelector(".goods-line")`)
	m.Wait(`document.querySelector("#name").value === "Rina Akter"`)
	m.waitText(".action-bar .total", "৳")
	m.Click("#place")
	m.WaitVisible("#reply")
	m.check("reply")
	m.Click("#reply-done")
	m.WaitVisible(".money")
	for _, sent := range m.Requests() {
		for _, part := range []string{"1715", "Rina", "textarea", "%E0%A6"} {
			if strings.Contains(sent, part) && !strings.Contains(sent, "/admin/v1/") {
				t.Errorf("the request %s has a part of the message", sent)
			}
		}
	}
}
