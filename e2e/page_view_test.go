package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// A lost response, a changed total and sold-out items are shown to the buyer; nothing is ordered
// twice or at a price that the buyer has not seen.
func TestPage_ChangedWhileOrdering(t *testing.T) {
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	s := newBuyer(t, p, 390)
	s.AllowProblem("status of 409")

	s.visit("?product=mango-pickle")
	s.addAndCheckout()
	s.fillAddress()
	s.waitText("#place", "৳310")
	s.loseOrderResponses()
	s.Click("#place")
	s.waitText(".form-message", "it will not be duplicated")
	s.visit("?view=checkout") // a new page, the same order
	s.waitText("#place", "৳310")
	s.Click("#place")
	s.waitOrder()
	if got := countOrders(t, data); got != 1 {
		t.Fatalf("there are %d orders", got)
	}

	s.visit("?product=mango-pickle")
	s.addAndCheckout()
	s.fillAddress()
	s.waitText("#place", "৳310")
	run(t, "tenant", "set", "demo", `deliveryCharges=[{"name": "Everywhere", "charge": 9000}]`, "--data", data)
	s.Click("#place")
	s.waitText(".form-message", "The total has changed to ৳330")
	s.waitText("#place", "৳330")
	s.fullScreenshot("price-changed")

	run(t, "stock", "set", "demo", mangoPickle(t, p), "0", "--data", data)
	s.Click("#place")
	s.waitText(".summary .line", "Just sold out")
	s.Wait(`document.querySelector("[name=deliveryChargeId]").checked`) // still, though nothing can be quoted
	s.fullScreenshot("sold-out")
	run(t, "stock", "set", "demo", mangoPickle(t, p), "1", "--data", data)
	s.Click("#basket")
	s.WaitVisible("dialog .figures")
	s.Click("dialog [id^=more-]")
	s.waitText("dialog .line", "Only 1 left")
	s.screenshot("basket-short")
	s.Click("dialog .error button") // take what is left
	s.WaitVisible("dialog .figures")
	s.Press(browsertest.Escape)
	s.waitText("#place", "৳330")
	if got := countOrders(t, data); got != 1 {
		t.Errorf("there are %d orders before the buyer agreed", got)
	}
	s.Click("#place")
	s.waitOrder()
	s.wantText(".order", "৳330")
}

// mangoPickle returns the id of the only variant of the mango pickle.
func mangoPickle(t *testing.T, p *process) string {
	t.Helper()
	a := p.must(request{method: "GET", path: "/api/v1/products/handle/mango-pickle", tenant: "demo"})
	id := a.text("variants", 0, "_id")
	if id == "" {
		t.Fatalf("no variant: %s", a.body)
	}
	return id
}

func TestPage_Lists(t *testing.T) {
	t.Parallel()
	p := serve(t, "--dev", "--data", demoData(t))
	s := newBuyer(t, p, 1280)
	s.visit("?view=products")
	count := func() (n int) {
		s.Eval(`document.querySelectorAll(".card").length`, &n)
		return n
	}
	s.Click("#more")
	s.Wait(`document.querySelectorAll(".card").length === 24`)
	s.fullScreenshot("list")
	s.Click(".grid li:nth-child(20) a")
	s.WaitVisible("#add")
	s.Back() // everything that was there is there again
	s.Wait(`document.querySelectorAll(".card").length === 24`)
	s.Eval(`(() => { sort.value = "cheap"; sort.dispatchEvent(new Event("change")); return true })()`, nil)
	s.waitText(".card", "৳60")
	s.Click("#on-sale")
	onSale := p.must(request{method: "GET", path: "/api/v1/products?onSale=true", tenant: "demo"}).at("meta", "totalCount")
	s.waitText("#main [role=status]", fmt.Sprint(" of ", onSale))
	s.Wait(`location.search.includes("sort=cheap") && location.search.includes("onSale=1")`)
	before := count()
	s.Go(s.p.url + "/?view=products&sort=cheap&onSale=1")
	s.waitLoaded()
	if got := count(); got != before {
		t.Errorf("%d products after a reload, %d before:\n%s", got, before, s.Text("#main"))
	}
	s.visit("?collection=women")
	s.wantText("#main", "Women", "Handloom sarees")
	s.fullScreenshot("collection")
	s.visit("?search=zzzz")
	s.wantText("#main", "No products found")
	s.fullScreenshot("nothing-found")
	s.visit("?policy=returns")
	s.wantText("#main", "Open the parcel in front of the rider")
	s.AllowProblem("status of 404")
	s.visit("?product=none")
	s.wantText("#main", "Page not found")
	s.fullScreenshot("not-found")
}

// The filter's steps are in major units, the API's amounts in minor units: a yen has none, a dinar
// has 1000 fils, and a forint has 100 although browsers round it.
func TestPage_PriceFilterByCurrency(t *testing.T) {
	t.Parallel()
	for _, of := range some([]struct{ currency, symbol string }{{"KWD", "KWD "}, {"JPY", "¥"}, {"HUF", "HUF "}}, 0, 3) {
		t.Run(of.currency, func(t *testing.T) {
			dir := t.TempDir()
			data, file := filepath.Join(dir, "data"), filepath.Join(dir, "products.csv")
			const csv = "Handle,Title,Status,Published,Variant Price\ncheap,Cheap,active,true,450\ndear,Dear,active,true,1800\n"
			if err := os.WriteFile(file, []byte(csv), 0o600); err != nil {
				t.Fatal(err)
			}
			run(t, "tenant", "create", "demo", "--name", "Demo", "--currency", of.currency, "--data", data)
			run(t, "product", "import", "demo", file, "--data", data)
			s := newBuyer(t, serve(t, "--dev", "--data", data), 1280)
			for query, want := range map[string]string{"": "2 of 2", "&maxPrice=2000": "2 of 2", "&maxPrice=500": "1 of 1"} {
				s.visit("?view=products" + query)
				s.wantText("#main [role=status]", want)
				s.wantText(".results", of.symbol+"450")
			}
		})
	}
}

// Of a merchant's HTML the page takes what it has a style for, whatever a server lets through.
func TestPage_MerchantHTML(t *testing.T) {
	t.Parallel()
	s := newBuyer(t, serve(t, "--dev", "--data", demoData(t)), 390)
	s.AllowProblem("Content Security Policy") // holds them back already while they are read
	s.visit("")
	var shown string
	s.Eval(`import(new URL("dom.js", document.querySelector("script[type=module]").src)).then(({richText}) => {
		const text = document.createElement("div")
		text.append(...richText('<p onclick="alert(1)" style="color:red">Soft <b>and</b> light</p><script>alert(2)</'+'script>' +
			'<img src=x onerror="alert(3)"><iframe src="https://evil.example"></iframe>' +
			'<a href="javascript:alert(4)">one</a><a href=" JavaScript:alert(5)">two</a><a href="https://shop.example/care" onclick="alert(6)">three</a>'))
		return text.innerHTML
	})`, &shown)
	const want = `<p>Soft <b>and</b> light</p>alert(2)onetwo<a href="https://shop.example/care" rel="noopener noreferrer nofollow">three</a>`
	if shown != want {
		t.Errorf("the page shows %s\nwant %s", shown, want)
	}
}

// A shop that is slow, then out of reach, then back.
func TestPage_SlowAndUnreachableShop(t *testing.T) {
	t.Parallel()
	s := newBuyer(t, serve(t, "--dev", "--data", demoData(t)), 390)
	s.visit("")
	s.Eval(`(() => {
		window.answers = fetch
		window.held = []
		window.fetch = (...request) => new Promise((done) => held.push(() => done(answers(...request))))
		return true
	})()`, nil)
	s.Click(`.nav a[href="/?view=products"]`)
	s.WaitVisible(".skeleton")
	s.Screenshot(s.shots + "loading")
	s.Click("#open-search")
	s.Fill("#search", "saree")
	s.Eval(`(() => { held.forEach((answer) => answer()); window.fetch = answers; return true })()`, nil)
	s.waitHeading("All products")
	var words string // typed before the view arrived
	if s.Eval(`document.querySelector("#search").checkVisibility() ? document.querySelector("#search").value : "closed"`, &words); words != "saree" {
		t.Errorf("got search %q after the view arrived, want what was typed", words)
	}
	s.Eval(`(() => { window.fetch = () => Promise.reject(new TypeError("out of reach")); return true })()`, nil)
	s.Click(`.nav a[href="/?view=products"]`)
	s.waitHeading("Something went wrong")
	s.wantText("#main", "could not be reached")
	s.Accessible("out of reach")
	s.fullScreenshot("out-of-reach")
	s.Eval(`(() => { window.fetch = answers; return true })()`, nil)
	s.Click("#main .state button")
	s.waitHeading("All products")
	s.WaitVisible(".card")
}

func TestPage_Bangla(t *testing.T) {
	t.Parallel()
	s := newBuyer(t, serve(t, "--dev", "--data", demoData(t)), 390)
	s.shots += "bangla-"
	s.visit("")
	s.Click("#language")
	s.Wait(`document.documentElement.lang === "bn"`)
	s.fullScreenshot("home")
	s.openFromSearch("পাঞ্জা", "khadi-panjabi")
	s.wantText("#main", "হাতে বোনা খাদি পাঞ্জাবি", "৳১,৭৯০", "অল্প কয়েকটি বাকি", "PNJ-KHD-40")
	s.fullScreenshot("product")
	s.addAndCheckout()
	s.Click("#place")
	s.waitText(".form-message", "চিহ্নিত ঘরগুলো")
	s.fillAddress()
	s.waitText("#place", "৳১,৮৬০")
	s.fullScreenshot("checkout")
	s.Click("#place")
	s.waitOrder()
	s.wantText(".order", "ধন্যবাদ", "অর্ডার দেওয়া হয়েছে।", "৳১,৮৬০", "অর্ডার ১০০১")
	s.fullScreenshot("order")
	const times = `import(new URL("language.js", document.querySelector("script[type=module]").src)).then(({dateTime}) =>
		["00:05", "05:00", "09:30", "12:00", "16:00", "18:30", "23:59"].map((time) => dateTime("2026-11-22T" + time).split(", ").pop()).join(" | "))`
	var words string
	s.Eval(times, &words)
	if want := "রাত ১২:০৫ | ভোর ৫:০০ | সকাল ৯:৩০ | দুপুর ১২:০০ | বিকেল ৪:০০ | সন্ধ্যা ৬:৩০ | রাত ১১:৫৯"; words != want {
		t.Errorf("got times %q, want %q", words, want)
	}
	s.Eval(`document.querySelector("#main").innerText`, &words)
	for _, english := range []string{"Order", "Total", "Delivery", "Placed"} {
		if strings.Contains(words, english) {
			t.Errorf("%q is still English:\n%s", english, words)
		}
	}
}
