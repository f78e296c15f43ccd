package e2e

import (
	"fmt"
	"testing"

	"storefront/e2e/browsertest"
)

// A merchant counts the stock: one count after the other, saved together.
func TestDashboard_Stock(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	t.Run("counts", func(t *testing.T) { testStockCounts(t, p) })
	t.Run("barcodes", func(t *testing.T) { testStockScan(t, p) })
	t.Run("viewer", func(t *testing.T) {
		m := asMember(t, p, data, "viewer")
		m.show("stock?view=all", ".stock-row")
		m.Wait(`document.querySelector(".stock-row img")?.naturalWidth > 0`)
		m.check("stock-viewer")
		var n int
		if m.Eval(`document.querySelectorAll(".stock-row :enabled:is(input)").length`, &n); n != 0 {
			t.Errorf("got %d fields, want none", n)
		}
	})
	for i, width := range some([]int{1280, 320}, 0, 2) { // a window each: few may be open at once
		t.Run(fmt.Sprintf("at %d px", width), func(t *testing.T) {
			m := openDashboard(t, p, width)
			m.use([]string{"bn", "en"}[i%2], []string{"dark", "light"}[i%2])
			m.show("stock", ".stock-row")
			m.waitText("main", "44)") // the size of a product whose title is in two languages
			m.show("stock?view=out", ".stock-row")
			m.show("stock?search=nothing-has-this", ".empty")
		})
	}
}

func testStockCounts(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 422")
	var made []shownProduct
	for i := range 3 {
		made = append(made, m.create(map[string]any{"title": fmt.Sprintf("Shelf box %d", i+1), "variants": []any{map[string]any{
			"price": 10000, "stock": 10, "sku": fmt.Sprintf("BOX-%d", i+1)}}}))
	}
	m.show("more", "main nav a")
	m.Click(`main nav a[href$="/stock"]`)
	m.WaitVisible("#find")
	m.check("stock")
	m.Fill("#find", "shelf box")
	m.Wait(`document.querySelectorAll(".stock-row").length === 3`)
	field := func(i int) string { return "#count-" + made[i].Variants[0].ID }
	m.Click(field(0))
	m.Press("১২")
	m.Press(browsertest.Enter)
	m.Wait(fmt.Sprintf(`document.activeElement.id === %q`, field(1)[1:]))
	m.Press("seven")
	m.Click(field(2) + " + .icon-button")     // one more
	m.adjustStock(made[0].Variants[0].ID, -3) // a buyer is faster
	m.waitText(".action-bar", "Save 3 counts")
	m.check("stock-typed")
	m.Click("#save")
	m.Wait(fmt.Sprintf(`document.activeElement.id === %q && document.activeElement.ariaInvalid === "true"`, field(1)[1:]))
	m.check("stock-invalid")
	m.Fill(field(1), "7")
	// A form with counts is left only after a confirmation.
	m.Eval(`(location.hash = "#/demo/home", true)`, nil)
	m.Click("#leave .primary")
	m.Wait(`!document.querySelector("#leave") && location.hash.includes("/stock")`)
	m.Click("#save")
	m.waitText(".toast", "3 counts saved")
	for i, want := range []int64{9, 7, 11} {
		if got := m.product(made[i].Title).Variants[0]; *got.Stock != want {
			t.Errorf("%s: got %d in stock, want %d", made[i].Title, *got.Stock, want)
		}
	}
	m.Click(".stock-row button.grow")
	m.waitText("#history", "Counted or changed") // the reason
	m.check("stock-history")
}

// barcodeReader is the reader that browsers have on phones. It finds what window.barcode holds in a
// picture of the browser's camera, which the person denies until window.isAllowed. The streams of
// the camera are in window.cameras.
const barcodeReader = `
	window.BarcodeDetector = class {
		async detect(video) {
			if (!(video instanceof HTMLVideoElement) || video.videoWidth === 0) throw new TypeError("no picture")
			return window.barcode ? [{rawValue: window.barcode}] : []
		}
	}
	window.cameras = []
	const open = MediaDevices.prototype.getUserMedia
	MediaDevices.prototype.getUserMedia = async function (...wanted) {
		if (!window.isAllowed) throw new DOMException("Permission denied", "NotAllowedError")
		const stream = await open.apply(this, wanted)
		window.cameras.push(stream)
		return stream
	}`

// The camera finds the variant of a barcode, whose count is typed next, and is off as soon as its
// dialog is closed. Without a camera the dialog names the remedy.
func testStockScan(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	made := m.create(map[string]any{"title": "Scanned jar", "variants": []any{map[string]any{"price": 10000, "stock": 3, "barcode": "8941100512345"}}})
	m.Inject(barcodeReader)
	m.Reload()
	m.Wait(`window.cameras && document.querySelector(".wide #main h1")`)
	m.show("stock", "#scan-it")
	m.Click("#scan-it")
	m.waitText("#scan [role=alert]", "Allow it in the browser, or type the number")
	m.check("stock-no-camera")
	m.Press(browsertest.Escape)
	m.Wait(`!document.querySelector("#scan") && document.activeElement.id === "scan-it"`)

	m.Eval(`(window.isAllowed = true)`, nil)
	m.Click("#scan-it")
	m.Wait(`document.querySelector("#scan video")?.videoWidth > 0`)
	m.check("stock-camera")
	m.Press(browsertest.Escape)
	const isOff = `cameras.every((one) => one.getTracks().every((track) => track.readyState === "ended"))`
	m.Wait(`!document.querySelector("#scan") && cameras.length === 1 && ` + isOff)

	m.Click("#scan-it")
	m.Wait(`document.querySelector("#scan video")?.videoWidth > 0`)
	m.Eval(`(window.barcode = "8941100512345")`, nil)
	m.Wait(`!document.querySelector("#scan") && document.querySelectorAll(".stock-row").length === 1 &&
		document.activeElement.id === "count-` + made.Variants[0].ID + `" && cameras.length === 2 && ` + isOff)
	m.check("stock-scanned")
	m.Eval(`(window.barcode = null, true)`, nil)
	m.Press("8" + browsertest.Enter) // and the next one
	m.Wait(`document.querySelector("#scan video")?.videoWidth > 0`)
	m.Press(browsertest.Escape)
	m.Click("#save")
	m.waitText(".toast", "1 count saved")
	if got := m.product("scanned jar").Variants[0]; *got.Stock != 8 {
		t.Errorf("got %d in stock, want the count", *got.Stock)
	}
}
