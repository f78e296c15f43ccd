package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"storefront/e2e/browsertest"
)

// shownCollection is a collection, as the Admin API returns it.
type shownCollection struct {
	ID              string `json:"_id"`
	Title, Handle   string
	DescriptionHTML string
	Position        int
	ProductIDs      []string
	Image           *struct{ Alt, URL string }
}

// collections returns the titles of the collections in their order.
func (m *merchant) collections() (titles []string) {
	m.t.Helper()
	m.Eval(`fetch("/admin/v1/shops/demo/collections?limit=100").then((response) => response.json()).then((list) => list.nodes.map((one) => one.title))`,
		&titles)
	return titles
}

func (m *merchant) collection(name string) (one shownCollection) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/collections/" + encodeURIComponent(%q)).then((response) => response.json())`, name), &one)
	return one
}

// drag drags an item of a list by its picture to the place of another.
func (m *merchant) drag(list string, from, to int) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`(() => {
		const rows = [...document.querySelectorAll(%q)], grip = rows[%d].querySelector(".grip")
		const at = (element) => element.getBoundingClientRect()
		const send = (type, y) => grip.dispatchEvent(new PointerEvent(type, {bubbles: true, cancelable: true, button: 0, clientX: at(grip).x, clientY: y}))
		const start = at(rows[%[2]d]), end = at(rows[%[3]d])
		send("pointerdown", start.y + start.height / 2)
		send("pointermove", start.y + start.height / 2 + 10)
		send("pointermove", end.y + (%[2]d < %[3]d ? end.height - 4 : 4))
		send("pointerup", end.y)
		return true
	})()`, list, from, to), nil)
}

// A merchant creates a collection, arranges it and the others, and deletes it, with a phone.
func TestDashboard_Collections(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	t.Run("order", func(t *testing.T) { testCollectionOrder(t, p, data) })
	t.Run("a new one", func(t *testing.T) { testNewCollection(t, p) })
	t.Run("two people", func(t *testing.T) { testCollectionConflict(t, p, data) })
	t.Run("viewer", func(t *testing.T) { testCollectionsOfViewer(t, p, data) })
	t.Run("failures", func(t *testing.T) { testCollectionsFailures(t, p) })
	for i, width := range some([]int{320, 360, 1280}, 0, 3) {
		t.Run(fmt.Sprintf("at %d px", width), func(t *testing.T) {
			m := openDashboard(t, p, width)
			id := m.collection(m.collections()[0]).ID
			for j, language := range some([]string{"en", "bn"}, i%2, 2) {
				m.use(language, []string{"light", "dark"}[(i+j)%2])
				m.show("collections", "#collections [data-item]")
				m.show("collections/"+id, "#members [data-item]")
				m.Click("#add-products")
				m.WaitVisible("#add [data-add]")
				m.check("collection-add")
				m.Eval(`(document.querySelector("#add .icon-button").click(), true)`, nil)
			}
		})
	}
}

func testCollectionOrder(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 360)
	before := m.collections()
	if len(before) < 3 {
		t.Fatalf("got the collections %q, want some to arrange", before)
	}
	m.show("more", "main nav a")
	m.Click(`main nav a[href$="/collections"]`)
	m.WaitVisible("#collections .down")
	m.check("collections")
	m.Click("#collections li:first-child .down")
	m.Wait(`document.activeElement.matches("#collections li:nth-child(2) .down")`) // the button goes with its row
	m.Press(browsertest.Enter)
	m.Wait(`document.activeElement.matches("#collections li:nth-child(3) .move-button")`)
	m.Eval(`(document.querySelector("#collections li:nth-child(3) .grip").focus(), true)`, nil)
	m.Press(browsertest.ArrowUp)
	m.Wait(`document.activeElement.matches("#collections li:nth-child(2) .grip")`)
	m.drag("#collections li", 2, 0)
	m.check("collections-moved")
	m.Click("#save")
	m.waitText(".toast", "Saved")
	want := append([]string{before[2], before[1], before[0]}, before[3:]...)
	if got := m.collections(); !slices.Equal(got, want) {
		t.Errorf("got the order %q, want %q", got, want)
	}

	// Somebody else adds one meanwhile: both orders are shown, and the new one stays.
	m.Click("#collections li:first-child .down")
	m.WaitVisible("#save")
	run(t, "api", "demo", "saveCollection", "--title", "Winter", "--data", data)
	m.Click("#save")
	m.WaitVisible("#other-order")
	m.waitText("#other-order", "Winter")
	m.check("collections-conflict")
	m.Click("#use-mine")
	m.Wait(`!document.querySelector("#save") && document.querySelector("#collections").innerText.includes("Winter")`)
	want = append([]string{want[1], want[0]}, append(want[2:], "Winter")...)
	if got := m.collections(); !slices.Equal(got, want) {
		t.Errorf("got the order %q, want %q", got, want)
	}
}

func testNewCollection(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 404") // whether the name is free
	m.AllowProblem("status of 422")
	m.show("collections", "#new-collection")
	taken := m.collections()[0]
	m.Click("#new-collection")
	m.WaitVisible("#new-one #title")
	m.submit("#new-one form")
	m.Wait(`document.activeElement.id === "title" && document.activeElement.ariaInvalid === "true"`)
	m.Fill("#new-one #title", strings.ToUpper(taken))
	m.submit("#new-one form")
	m.waitText("#new-one .error", "already")
	m.check("collection-taken")
	m.Fill("#new-one #title", "ঈদ ২০২৬")
	m.submit("#new-one form")
	m.WaitVisible("#add-products")
	m.check("collection-empty")
	m.Fill("#title", "ঈদ ২০২৬!")
	m.Wait(`document.querySelector("#descriptionHtml").isContentEditable`)
	m.Fill("#descriptionHtml", "For Eid.")
	m.Eval(`(getSelection().selectAllChildren(document.querySelector("#descriptionHtml")), true)`, nil)
	m.Click("[data-format=H3]")
	m.Click("[data-format=A]")
	m.Fill("#descriptionHtml-address", "example.com/eid")
	m.Press(browsertest.Enter)
	m.choosePhotos(1)
	m.Wait(`document.querySelector(".photo img") && document.querySelectorAll(".photo .job-bar").length === 0`)
	m.Click(".photo")
	m.WaitVisible("#photo #alt")
	m.Fill("#photo #alt", "A lamp")
	m.Eval(`(document.querySelector("#photo .icon-button").click(), true)`, nil)
	m.Click("#add-products")
	m.WaitVisible("#add [data-add]")
	m.check("collection-add")
	m.Eval(`([...document.querySelectorAll("#add [data-add]")].slice(0, 4).forEach((one) => one.click()), true)`, nil)
	m.Wait(`document.querySelectorAll("#add :checked").length === 4`)
	m.Click("#add .primary")
	m.Wait(`document.querySelectorAll("#members li").length === 4`)
	ids := func() (all []string) {
		m.Eval(`[...document.querySelectorAll("#members li")].map((one) => one.dataset.item)`, &all)
		return all
	}
	added := ids()
	m.drag("#members li", 0, 2)
	m.Click("#members li:last-child .up")
	m.Click("#members li:first-child button.grow")
	m.WaitVisible("#member [data-action=last]")
	m.check("collection-product")
	m.Click("#member [data-action=last]")
	m.Wait(fmt.Sprintf(`document.querySelector("#members li:last-child").dataset.item === %q`, added[1]))
	m.Click("#members li:first-child button.grow")
	m.Click("#member [data-action=out]")
	m.waitText(".toast", "taken out")
	want := ids()
	if !slices.Equal(want, []string{added[3], added[0], added[1]}) {
		t.Errorf("added %q, got %q", added, want)
	}
	m.check("collection-filled")
	m.Click("#save")
	m.waitText(".toast", "Saved")
	m.Wait(`!document.querySelector("#save")`)
	got := m.collection("ঈদ ২০২৬!")
	if !slices.Equal(got.ProductIDs, want) || got.Image == nil || got.Image.Alt != "A lamp" ||
		got.DescriptionHTML != `<h3><a href="https://example.com/eid" rel="nofollow">For Eid.</a></h3>` {
		t.Errorf("got %+v, want a picture, a text and the products %q", got, want)
	}
	m.check("collection-saved")
	m.Click(".photo")
	m.Click("#photo [data-action=remove]")
	m.Click("#save")
	m.Wait(`!document.querySelector("#save")`)
	if got := m.collection(got.ID); got.Image != nil {
		t.Errorf("got the picture %+v, want none", got.Image)
	}
	m.Click("#collection-more")
	m.Click("#collection-menu [data-action=delete]")
	m.WaitVisible("#ask-delete .bad")
	m.check("collection-delete")
	m.Click("#ask-delete .bad")
	m.waitText(".toast", "deleted")
	m.WaitVisible("#collections")
	if titles := m.collections(); slices.Contains(titles, "ঈদ ২০২৬!") {
		t.Errorf("got %q, want it deleted", titles)
	}
}

// What two people change at once is not lost: neither the name that each has typed nor a product
// that one has added.
func testCollectionConflict(t *testing.T, p *process, data string) {
	m := openDashboard(t, p, 1280)
	m.AllowProblem("status of 412")
	first := m.collection(m.collections()[0])
	other := m.create(map[string]any{"title": "Late lamp", "variants": []any{map[string]any{"price": 90000, "stock": 4}}})
	m.show("collections/"+first.ID, "#members .down")
	m.Fill("#title", "Mine")
	m.Click("#members li:first-child .down")
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/collections/%s", {method: "PATCH", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({title: "Theirs", descriptionHtml: "<p>New</p>"})}).then((response) => response.ok)`, first.ID), nil)
	run(t, "api", "demo", "addToCollection", "--id", first.ID, "--products", other.Handle, "--data", data)
	m.Click("#save")
	m.WaitVisible("#conflict")
	m.waitText("#conflict", "Theirs")
	m.waitText("#conflict", "Late lamp")
	m.check("collection-conflict")
	m.Click("#conflict .primary")
	m.waitText(".toast", "Saved")
	m.Wait(`!document.querySelector("#save")`)
	got := m.collection(first.ID)
	want := append([]string{first.ProductIDs[1], first.ProductIDs[0]}, append(first.ProductIDs[2:], other.ID)...)
	if got.Title != "Mine" || got.DescriptionHTML != "<p>New</p>" || !slices.Equal(got.ProductIDs, want) {
		t.Errorf("got %+v, want the own name and order, the text of the other and the product %s", got, other.ID)
	}
}

func testCollectionsOfViewer(t *testing.T, p *process, data string) {
	m := asMember(t, p, data, "viewer")
	m.show("collections", "#collections [data-item]")
	m.Click("#collections a")
	m.WaitVisible("#members [data-item]")
	m.check("collection-viewer")
	var n int
	if m.Eval(`document.querySelectorAll(".move-button, .grip, #add-products, #collection-more, " +
		"#collection :enabled:is(input, textarea)").length`, &n); n != 0 {
		t.Errorf("got %d controls, want none", n)
	}
}

func testCollectionsFailures(t *testing.T, p *process) {
	m := openDashboard(t, p, 360)
	m.AllowProblem("status of 500")
	m.AllowProblem("status of 404")
	m.AllowProblem("ERR_INTERNET_DISCONNECTED")
	m.show("collections/01KAJ3V5W7X9Y1Z3A5B7C9D1E3", ".empty")
	m.show("collections", "#collections .down")
	m.Click("#collections li:first-child .down")
	m.WaitVisible("#discard")
	m.SetOffline(true)
	m.Click("#save")
	m.waitText(".banner", "Offline since")
	m.check("collections-offline")
	m.SetOffline(false)
	m.Wait(`!document.querySelector("#save")`) // sent once the network is back
	m.show("home", ".tiles")
	m.Eval(`(() => {
		const real = fetch
		window.fetch = (address, ...rest) => /collections\/x/.test(address) ? new Promise((done) => { window.fail = () =>
			done(new Response('{"code": "internal", "requestId": "01TEST"}', {status: 500})) }) : real(address, ...rest)
		location.hash = "#/demo/collections/x"
		return true
	})()`, nil)
	m.Wait("window.fail && document.querySelector('.skeleton:not(.unseen)')")
	m.Eval(`(window.fail(), true)`, nil)
	m.waitText(".empty", "01TEST")
	m.check("collections-failed")
}
