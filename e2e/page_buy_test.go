package e2e

import (
	"fmt"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// widths are those of a phone and of a desk.
var widths = []int{390, 1280}

func TestPage_GuestBuys(t *testing.T) {
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	for i, width := range some(widths, 0, 2) {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			s := newBuyer(t, p, width)
			s.AllowProblem("status of 422") // the coupon that does not apply yet
			s.visit("")
			s.fullScreenshot("home")
			s.openFromSearch("kurti", "cotton-kurti")
			s.Click("label[for=option-0-1]")
			s.waitText(".offer", "KRT-CTN-BLU")
			s.fullScreenshot("product")
			s.addAndCheckout()
			s.Go(s.p.url + "/?view=checkout") // the basket outlives the page
			s.waitLoaded()
			s.Fill("[name=couponCode]", "SAVE150")
			s.Click("#apply")
			s.waitText(".coupon-result", "Add items worth ৳610")
			s.Click("#basket")
			s.WaitVisible("dialog .figures")
			s.Click("dialog [id^=more-]")
			s.waitText("dialog .figures", "৳1,780")
			s.screenshot("basket")
			s.Press(browsertest.Escape)
			s.fillAddress()
			s.Fill("[name=couponCode]", "save150")
			s.Click("#apply")
			s.waitText(".coupon-result", "SAVE150 applied")
			s.waitText(".summary .figures", "−৳150")
			s.waitText("#place", "৳1,700")
			s.fullScreenshot("checkout")
			s.Eval(`place.click() ?? place.click() ?? true`, nil) // a double click
			id := s.waitOrder()
			s.wantText(".order", "Thank you", "Rahima Khatun", "House 12, Road 5", "৳1,700", "Placed")
			s.fullScreenshot("order")
			if got := countOrders(t, data); got != i+1 {
				t.Errorf("there are %d orders at %d pixels", got, width)
			}
			s.Eval(`localStorage.clear() ?? true`, nil) // as anyone who has the number
			s.visit("?view=track")
			s.Fill("[name=order]", strings.ToLower(id[:8]+"-"+id[8:]))
			s.Click("#track")
			s.waitOrder()
			s.wantText(".order", "R***", "***00", "Order placed.")
			s.wantText("#not-cancellable", "To cancel the order, open it on the device that you ordered with", "+8801711000000")
			if got := s.Text(".order"); strings.Contains(got, "Rahima") || strings.Contains(got, "House 12") {
				t.Errorf("anyone reads who it is for:\n%s", got)
			}
			s.fullScreenshot("tracking")
		})
	}
}

func TestPage_CustomerBuys(t *testing.T) {
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	for i, width := range some(widths, 1, 2) {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			s := newBuyer(t, p, width)
			s.AllowProblem("status of 401") // the code that is wrong
			s.visit("?product=jute-basket")
			s.addAndCheckout()
			s.Click(`.checkout-form a[href*="view=account"]`)
			s.Fill("[name=phoneNumber]", fmt.Sprintf("01811-00000%d", i))
			s.fullScreenshot("sign-in")
			s.Click("#send-code")
			s.WaitVisible("[name=code]")
			s.wantText(".sign-in", "This number is new here")
			s.Fill("[name=name]", "Ayesha Khan")
			code := s.lastCode()
			s.Fill("[name=code]", map[bool]string{true: "0001", false: "0000"}[code == "0000"])
			s.Click("#verify")
			s.waitText(".form-message", "This code is wrong")
			s.Fill("[name=code]", code)
			s.Click("#verify")
			s.WaitVisible("#place") // back where it was left
			s.Fill("[name='shippingAddress.line1']", "Flat 5, Lake Road")
			s.Fill("[name='shippingAddress.city']", "Bogura")
			s.Press(browsertest.Tab) // a field that was left is quoted
			s.waitText(".choice", "Outside Dhaka")
			s.waitText(".summary .figures", "৳130")
			s.Click("#remember")
			s.Click("#place")
			s.waitOrder()
			s.wantText(".order", "Ayesha Khan", "Flat 5, Lake Road")
			s.Click("#account")
			s.waitHeading("Welcome, Ayesha Khan")
			s.wantText(".orders", "Order 100", "Awaiting confirmation")
			s.Resize(narrow, 900) // the text beside the status takes several lines, the status one
			s.Wait(`document.querySelector(".orders .quiet").offsetHeight > 40`)
			s.Wait(`document.querySelector(".orders .tag").offsetHeight < 32`)
			s.Resize(width, 900)
			s.fullScreenshot("account")
			s.Click(".order-row-link")
			s.waitOrder()
			s.Click("#cancel")
			s.screenshot("cancel")
			s.Fill("dialog [name=reason]", "Found another")
			s.Click("#cancel-order")
			s.waitText(".tags", "Cancelled")
			s.visit("?product=jute-basket")
			s.addAndCheckout()
			s.Wait(`document.querySelector("[name='shippingAddress.line1']").value === "Flat 5, Lake Road"`) // saved
			s.Click("#account")
			s.waitHeading("Welcome")
			s.Click("#sign-out")
			s.waitText("#account", map[bool]string{true: "Account", false: "Sign in"}[width < 600])
		})
	}
}

func TestPage_Password(t *testing.T) {
	t.Parallel()
	s := newBuyer(t, serve(t, "--dev", "--data", demoData(t)), 1280)
	s.AllowProblem("status of 401")
	s.AllowProblem("status of 422")
	s.visit("?view=account&by=register")
	s.Fill("[name=name]", "Karim Miah")
	s.Fill("[name=email]", "karim@example.com")
	s.Fill("[name=password]", "password")
	s.Click("#register")
	s.Wait(`document.querySelector("[name=password][aria-invalid]")`)
	s.Fill("[name=password]", " a long and quiet river ") // as typed, blanks included
	s.Click("#register")
	s.waitHeading("Welcome, Karim Miah")
	s.wantText(".account", "You have not ordered anything yet")
	s.Click("#sign-out")
	s.visit("?view=account&by=password")
	s.Fill("[name=user]", "Karim@Example.com")
	s.Fill("[name=password]", "a long and quiet river")
	s.Click("#login")
	s.Wait(`document.querySelector(".form-message").textContent !== ""`)
	s.Fill("[name=password]", " a long and quiet river ")
	s.Click("#login")
	s.waitHeading("Welcome, Karim Miah")
}

// signInByCode signs a new customer in with a code sent to a phone.
func (s *buyer) signInByCode(phone, name string) {
	s.t.Helper()
	s.visit("?view=account")
	s.Fill("[name=phoneNumber]", phone)
	s.Click("#send-code")
	s.WaitVisible("[name=code]")
	s.Fill("[name=name]", name)
	s.Fill("[name=code]", s.lastCode())
	s.Click("#verify")
	s.waitHeading("Welcome, " + name)
}

// proveByCode requests a code in a form, which is sent to the account's phone, and enters it.
func (s *buyer) proveByCode(form, phone string) {
	s.t.Helper()
	s.Click(form + " .text-button")
	s.waitText(form+" output", "We sent a code to "+phone)
	s.Fill(form+" [name=currentCode]", s.lastCode())
}

// openSections opens every section of the account that is folded.
func (s *buyer) openSections() {
	s.t.Helper()
	s.Eval(`document.querySelectorAll("details").forEach((part) => { part.open = true }) ?? true`, nil)
}

// A customer without a password proves changes with a code, and signs out everywhere.
func TestPage_AccountChanges(t *testing.T) {
	t.Parallel()
	s := newBuyer(t, serve(t, "--dev", "--data", demoData(t)), 390)
	s.AllowProblem("status of 401")
	s.AllowProblem("status of 403")
	s.signInByCode("01811-000007", "Karim Miah")

	s.openSections()
	s.Fill("#profile [name=email]", "karim@example.com")
	s.Click("#profile [type=submit]")
	s.waitText("#profile output", "Saved.")
	s.Fill("#profile [name=email]", "miah@example.com")
	s.Click("#profile [type=submit]")
	s.WaitVisible("#profile [name=currentCode]")
	s.waitText("#profile output", "a code")
	s.proveByCode("#profile", "+8801811000007")
	s.fullScreenshot("proof")
	s.Accessible("account with proof")
	s.Click("#profile [type=submit]")
	s.waitText("#profile output", "Saved.")

	// Another phone, with a code sent to each.
	s.Fill("#phone [name=phoneNumber]", "01811-000008")
	s.Click("#phone [type=submit]")
	s.WaitVisible("#phone [name=code]")
	s.waitText("#phone output", "We sent a code")
	s.Fill("#phone [name=code]", s.lastCode())
	s.Click("#phone [type=submit]")
	s.WaitVisible("#phone [name=currentCode]")
	s.proveByCode("#phone", "+8801811000007")
	s.Click("#phone [type=submit]")
	s.Wait(`document.querySelector("#phone").textContent.includes("+8801811000008 is verified")`)
	s.openSections()

	s.proveByCode("#password", "+8801811000008")
	s.Fill("#password [name=newPassword]", "a long and quiet river")
	s.Click("#password [type=submit]")
	s.waitText("body", "Password changed")
	s.openSections()
	s.Click("#sign-out-everywhere")
	s.Wait(`localStorage.getItem("storefront.session") === null`)
}

// An expired token is dropped, and the customer can sign in again.
func TestPage_ExpiredToken(t *testing.T) {
	t.Parallel()
	s := newBuyer(t, serve(t, "--dev", "--data", demoData(t)), 390)
	s.AllowProblem("status of 401")
	s.visit("")
	s.Eval(`localStorage.setItem("storefront.session", JSON.stringify({accessToken: "of.another.time", user: {name: "Karim"}})) ?? true`, nil)
	s.visit("?view=account")
	s.Wait(`localStorage.getItem("storefront.session") === null`)
	s.visit("?view=account")
	s.waitHeading("Sign in")
	s.WaitVisible("[name=phoneNumber]")
}

// A guest who leaves the gateway pays in cash instead, and then cancels the order.
func TestPage_CashInsteadOfGateway(t *testing.T) {
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	s := newBuyer(t, p, widths[0])
	s.visit("?product=mango-pickle")
	s.addAndCheckout()
	s.fillAddress()
	s.waitText(".summary .figures", "৳310")
	s.Click("#paymentMethod-gateway_a")
	s.Click("#place")
	s.waitText("h1", "310.00") // at the simulator
	s.Click("#cancel")
	s.waitOrder()
	s.Click("#paymentMethod-cod")
	s.waitText("#pay", "Pay on delivery instead")
	s.Click("#pay")
	s.waitText(".order", "The order will be paid in cash on delivery.")
	s.Click("#cancel")
	s.Click("#cancel-order")
	s.waitText(".order", "Order cancelled.")
}

// A buyer whose payment fails or is cancelled returns to the order, and pays it in the end.
func TestPage_GatewayPayments(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	for i, gateway := range []string{"gateway_a", "gateway_b"} {
		t.Run(gateway, func(t *testing.T) {
			s := newBuyer(t, p, widths[i])
			s.visit("?product=mango-pickle")
			s.addAndCheckout()
			s.fillAddress()
			s.waitText(".summary .figures", "৳310")
			s.Click("#paymentMethod-" + gateway)
			s.Click("#place")
			s.waitText("h1", "310.00") // at the simulator
			s.fullScreenshot(gateway)
			s.Click("#fail")
			s.waitOrder()
			s.wantText(".order", "Payment failed", "Awaiting payment")
			s.fullScreenshot("pay-again-" + gateway)
			s.Click("#pay")
			s.waitText("h1", "310.00")
			s.Click("#cancel")
			s.waitOrder()
			s.wantText(".order", "Payment cancelled. Your order is saved; you can pay again.")
			s.Click("#pay")
			s.waitText("h1", "310.00")
			s.Click("#pay")
			s.Wait(`location.search.includes("payment=success")`)
			s.waitOrder()
			s.wantText(".order", "Payment received. Thank you!", "Paid", "Rahima Khatun")
			s.fullScreenshot("paid-" + gateway)
		})
	}
}
