package e2e

import (
	"fmt"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// checkoutWords is what a buyer types and reads at the checkout, in one language.
type checkoutWords struct {
	lang                            string
	name, phone, line1, area, post  string
	required, badPhone              string
	unknownCity, choose             string
	search, district                string // what is typed to find a district, and its name
	refusal, notApplied, thanks     string
	ready, estimate, calls          string
	total                           string // with the coupon, to the district
	copied, cancelled, reason, gone string
}

var checkoutLanguages = []checkoutWords{
	{
		lang: "en", name: "Rahima Khatun", phone: "01711-000000", line1: "House 12, Road 5", area: "Agrabad", post: "4100",
		required: "Enter your name.", badPhone: "phone number", unknownCity: "Anwara", choose: "Choose a delivery charge for your address.",
		search: "chitt", district: "Chattogram", refusal: "Sign in to use this coupon.", notApplied: "Your order was not placed",
		thanks: "Thank you! Your order is placed.", ready: "Cash on delivery: have ৳320 ready", estimate: "Outside Dhaka · 3–5 days",
		calls: "It may call you on", total: "৳320", copied: "Link copied.", cancelled: "Order cancelled.", reason: "Found another",
		gone: "We found no order with this number.",
	},
	{
		lang: "bn", name: "রহিমা খাতুন", phone: "০১৭১১-০০০০০০", line1: "বাসা ১২, রোড ৫", area: "আগ্রাবাদ", post: "৪১০০",
		required: "আপনার নাম লিখুন।", badPhone: "সঠিক মোবাইল নম্বর দিন, যেমন ০১৭১১-০০০০০০।", unknownCity: "আনোয়ারা",
		choose: "আপনার ঠিকানার জন্য ডেলিভারি চার্জ বেছে নিন।", search: "চিটা", district: "চট্টগ্রাম", refusal: "কুপনটি ব্যবহার করতে সাইন ইন করুন।",
		notApplied: "কুপনটি প্রয়োগ করা যায়নি", thanks: "ধন্যবাদ! আপনার অর্ডার নেওয়া হয়েছে।", ready: "ক্যাশ অন ডেলিভারি: ৳৩২০ সঙ্গে রাখুন",
		estimate: "ঢাকার বাইরে · ৩–৫ দিন", calls: "নম্বরে ফোন করা হবে", total: "৳৩২০", copied: "লিংক কপি হয়েছে।", cancelled: "অর্ডার বাতিল হয়েছে।",
		reason: "অন্যটি পেয়েছি", gone: "এই নম্বরে কোনো অর্ডার পাওয়া যায়নি।",
	},
}

// A guest orders with every field typed in the language of the page, in a city that no delivery
// charge names and then in a district from the list; a coupon in its box is applied or refused when
// the order is placed; the order states what is to be paid, and the guest cancels it.
func TestPage_Checkout(t *testing.T) {
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	run(t, "coupon", "create", "demo", "--code", "LESS50", "--amount", "50", "--data", data)
	for w, width := range []int{narrow, 1440} {
		for i, words := range some(checkoutLanguages, 1+w, 2) { // without -all on a phone, in Bangla
			t.Run(fmt.Sprint(words.lang, width), func(t *testing.T) {
				s := newBuyer(t, p, width)
				s.shots += words.lang + "-"
				s.SetMediaFeature("prefers-color-scheme", []string{"light", "dark"}[(i+width/narrow)%2])
				s.AllowProblem("status of 422") // what the quotes refuse
				s.AllowProblem("status of 404") // the tracking number
				s.checkOut(words)
			})
		}
	}
}

// Who taps the button after typing the city orders at the charge of that city: the total is known
// once the name is whole.
func TestPage_CityJustTyped(t *testing.T) {
	t.Parallel()
	s := newBuyer(t, serve(t, "--dev", "--data", demoData(t)), narrow)
	s.visit("?product=mango-pickle")
	s.addAndCheckout()
	s.fillAddress()
	s.Press(browsertest.Tab)
	s.waitText(".summary", "৳70")
	s.Fill("[name='shippingAddress.city']", "sylhet")
	s.waitText(".summary", "৳130")
	s.Click("#place")
	s.waitOrder()
}

func (s *buyer) checkOut(words checkoutWords) {
	s.t.Helper()
	s.visit("?product=mango-pickle")
	if words.lang == "bn" {
		s.switchLanguage("bn")
	}
	s.addAndCheckout()
	s.Click("#place")
	s.waitText("#field-customer-name-error", words.required)
	s.Fill("[name='customer.name']", words.name)
	s.Fill("[name='shippingAddress.line1']", words.line1)
	s.Fill("[name='shippingAddress.area']", words.area)
	s.Fill("[name='shippingAddress.postcode']", words.post)
	s.Fill("[name=note]", words.reason)

	// A city that is not in the list: every delivery charge is offered, and one must be chosen.
	half, _, _ := strings.Cut(words.phone, "-")
	s.Fill("[name='customer.phoneNumber']", half)
	s.Fill("[name='shippingAddress.city']", words.unknownCity)
	s.Press(browsertest.Tab)
	s.waitText(".checkout-form .notice", words.choose)
	s.Wait(`document.querySelectorAll("[name=deliveryChargeId]:not(:checked)").length === 2`)
	s.Accessible("checkout without a delivery charge")
	s.fullScreenshot("delivery-open")
	s.Click("#place")
	s.waitText(".form-message", words.choose)
	s.Click("#deliveryChargeId-outside-dhaka")
	s.Wait(`document.querySelector("#place").textContent.match(/[0-9০-৯]/)`)
	s.Click("#place")
	s.waitText("#field-customer-phoneNumber-error", words.badPhone)
	s.Fill("[name='customer.phoneNumber']", words.phone)

	// The list finds a district by another of its names.
	s.Fill("[name='shippingAddress.city']", words.search)
	s.waitText("[role=listbox]", words.district)
	s.Wait(`document.querySelector("[role=listbox]").getBoundingClientRect().bottom < innerHeight + 1`) // of a fraction of a pixel
	s.Press(browsertest.ArrowDown)
	s.Accessible("list of districts")
	s.screenshot("districts")
	s.Press(browsertest.Enter)
	s.Wait(fmt.Sprintf(`document.querySelector("[name='shippingAddress.city']").value === %q`, words.district))
	s.Wait(`document.querySelector("[role=listbox]").hidden`)
	s.Wait(`document.querySelectorAll("[name=deliveryChargeId]:checked").length === 1`)

	// A coupon that is only typed: the order is not placed without it, and the reason stays.
	s.Fill("[name=couponCode]", "WELCOME10")
	s.Click("#place")
	s.waitText(".form-message", words.notApplied)
	s.Fill("[name=note]", words.line1)
	s.Press(browsertest.Tab)
	s.Wait(`!document.querySelector(".summary-content[aria-busy]")`)
	s.wantText(".coupon-result", words.refusal)
	s.WaitVisible("#coupon-sign-in")
	s.wantNoOverflow("checkout")
	s.Accessible("checkout with a refused coupon")
	s.fullScreenshot("coupon-refused")
	s.Fill("[name=couponCode]", "less50")
	s.Wait(`document.querySelector(".coupon-result").textContent === ""`)
	s.Click("#place")
	id := s.waitOrder()

	s.wantText(".order", words.thanks, words.ready, words.estimate, words.calls, words.total, words.line1, words.area, words.district)
	s.wantNoOverflow("order")
	s.Accessible("order")
	s.fullScreenshot("cash-order")
	s.Click("#copy-link")
	s.waitText("#copied", words.copied)
	s.Click("#cancel")
	s.Fill("dialog [name=reason]", words.reason)
	s.Click("#cancel-order")
	s.waitText(".notice", words.cancelled)
	s.Wait("scrollY === 0")
	s.fullScreenshot("cancelled")

	s.visit("?view=track")
	s.Fill("[name=order]", id[:15])
	s.Click("#track")
	s.waitText(".notice", words.gone)
	s.Wait(fmt.Sprintf(`document.querySelector("[name=order]").value === %q`, id[:15]))
	s.Accessible("no such order")
	s.fullScreenshot("no-such-order")
}
