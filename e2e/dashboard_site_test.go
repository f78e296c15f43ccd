package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// chooseImage chooses a picture in a field of files: a word in one colour on another.
func (m *merchant) chooseImage(field, name string, width, height int, ground, colour string) {
	m.t.Helper()
	m.Eval(fmt.Sprintf(`(async () => {
		const files = new DataTransfer(), input = document.querySelector(%q), canvas = document.createElement("canvas")
		canvas.width = %d
		canvas.height = %d
		const context = canvas.getContext("2d")
		context.fillStyle = %q
		context.fillRect(0, 0, canvas.width, canvas.height)
		context.fillStyle = %q
		context.fillRect(canvas.width / 4, canvas.height / 4, canvas.width / 2, canvas.height / 2)
		const blob = await new Promise((done) => canvas.toBlob(done, "image/png"))
		files.items.add(new File([blob], %q, {type: "image/png"}))
		input.files = files.files
		return input.dispatchEvent(new Event("change", {bubbles: true}))
	})()`, field, width, height, ground, colour, name), nil)
}

// shownDesign is a part of the design, as the Admin API returns it.
type shownDesign struct {
	Version     int
	Changed     bool
	Draft, Live struct {
		Design    string
		Tokens    struct{ Seed string }
		Templates struct {
			Home []struct {
				Kind     string
				Hidden   bool
				Settings struct {
					Title   struct{ En, Bn string }
					Link    string
					Picture struct{ MediaID string }
				}
			}
		}
	}
}

func (m *merchant) design() (found shownDesign) {
	m.t.Helper()
	m.Eval(`fetch("/admin/v1/shops/demo/design").then((response) => response.json())`, &found)
	return found
}

// openSiteDesign opens the dashboard. Its preview of the site runs no scripts.
func openSiteDesign(t *testing.T, p *process, width int) *merchant {
	t.Helper()
	m := openDashboard(t, p, width)
	m.AllowProblem("Blocked script execution")
	return m
}

// waitSaved waits until the server has what was changed.
func (m *merchant) waitSaved() {
	m.t.Helper()
	m.Wait(`/Buyers|ক্রেতা/.test(document.querySelector("#save-state").innerText) &&
		!Object.keys(localStorage).some((name) => name.startsWith("sf-design"))`)
}

// A merchant makes the shop her own with a thumb: a design, the logo's colour, a large picture.
func TestDashboard_Site(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--rate", "0", "--data", data)
	t.Run("by thumb", func(t *testing.T) { testSiteByThumb(t, p) })
	t.Run("two people", func(t *testing.T) { testSiteConflict(t, p) })
	t.Run("sections", func(t *testing.T) { testSiteSections(t, p) })
	t.Run("redirects and pages", func(t *testing.T) { testSiteTexts(t, p) })
	for i, width := range some([]int{360, 1280}, 0, 2) {
		t.Run(fmt.Sprintf("at %d px", width), func(t *testing.T) {
			m := openSiteDesign(t, p, width)
			for j, language := range some([]string{"en", "bn"}, 0, 2) {
				m.use(language, []string{"light", "dark"}[(i+j)%2])
				m.show("site", "#sections")
				m.FullScreenshot(m.shots + "site-full")
				m.show("site?section=0", "#section")
				m.FullScreenshot(m.shots + "site-section-full")
				m.show("site/pages", "#set-pages")
				m.show("site/redirects", "#redirects")
			}
		})
	}
}

// isNear reports whether a colour such as #7a2740 differs from another by what scaling a picture
// changes.
func isNear(colour string, want uint32) bool {
	var got uint32
	if _, err := fmt.Sscanf(colour, "#%06x", &got); err != nil {
		return false
	}
	for shift := 0; shift < 24; shift += 8 {
		if d := int(got>>shift&255) - int(want>>shift&255); d < -6 || d > 6 {
			return false
		}
	}
	return true
}

func testSiteByThumb(t *testing.T, p *process) {
	m := &taps{merchant: openSiteDesign(t, p, 360)}
	m.show("settings/brand", "#logo")
	m.chooseImage("#logo", "logo.png", 240, 240, "#ffffff", "#7a2740")
	m.WaitVisible("#set-brand [data-remove]")
	m.submit("#set-brand form")
	m.waitText(".toast", "Saved")
	m.show("home", ".tiles")

	began := time.Now()
	m.tap(`.bottom-tabs a[href$="/more"]`)
	m.WaitVisible(`main nav a[href$="/site"]`)
	m.tap(`main nav a[href$="/site"]`)
	m.WaitVisible(".phone iframe")
	m.check("site")
	m.tap(".design-choice:has([value=mela])")
	m.WaitVisible("#from-logo")
	m.tap("#from-logo")
	m.waitSaved()
	m.Wait(`document.querySelector("#sections [data-section='0']")`)
	m.tap("#sections [data-section='0']")
	m.WaitVisible("#section [data-picture]")
	m.chooseImage("#section [data-picture]", "hero.png", 1600, 1200, "#d8c3a5", "#22577f")
	m.n++ // the choice of the file
	m.WaitVisible(".focus-point img")
	m.Fill("#section [name$='title.en']", "Eid is near")
	m.waitSaved()
	m.check("site-section")
	m.tap("#publish")
	m.WaitVisible("#publish-dialog #publish-now")
	m.check("site-publish")
	m.tap("#publish-now")
	m.waitText(".toast", "Published")
	m.want("choose a design, the logo's colour and a picture, and publish", 8)
	t.Logf("published after %s", time.Since(began).Round(time.Millisecond))
	live := m.design()
	home := live.Live.Templates.Home
	if live.Version != 1 || live.Changed || live.Live.Design != "mela" || !isNear(live.Live.Tokens.Seed, 0x7a2740) {
		t.Errorf("got %+v, want mela with the logo's colour as version 1", live)
	}
	if len(home) == 0 || home[0].Kind != "hero" || home[0].Settings.Picture.MediaID == "" {
		t.Errorf("got sections %+v, want a hero with its picture first", home)
	}
	m.Go(p.url + "/")
	m.Wait(`document.body.innerText.includes("Eid is near")`)
	var shown bool
	if m.Eval(fmt.Sprintf(`[...document.images].some((one) => one.src.includes(%q))`, home[0].Settings.Picture.MediaID), &shown); !shown {
		t.Error("the home page does not show the picture")
	}
	m.Screenshot(m.shots + "site-live")
}

// What two people change in different parts is joined; of the same part they choose. What is typed
// survives a tab that is closed before it is saved.
func testSiteConflict(t *testing.T, p *process) {
	m := openSiteDesign(t, p, 360)
	m.AllowProblem("status of 412")
	other := openSiteDesign(t, p, 360)
	for _, one := range []*merchant{m, other} {
		one.show("site", "#sections")
	}
	other.Click(".design-choice:has([value=haat])")
	other.waitSaved()
	m.Click(".colour-choice:has([value='#14695f'])")
	m.waitSaved()
	if got := m.design().Draft; got.Design != "haat" || got.Tokens.Seed != "#14695f" {
		t.Errorf("got %+v, want both changes", got)
	}
	other.AllowProblem("status of 412")
	other.Click(".colour-choice:has([value='#b3401f'])")
	other.WaitVisible("#conflict")
	other.check("site-conflict")
	other.Click("#conflict .button.primary")
	other.waitSaved()
	if got := m.design().Draft.Tokens.Seed; got != "#b3401f" {
		t.Errorf("got colour %s, want the one that was chosen", got)
	}
	m.show("more", "main nav")
	m.show("site", "#sections")
	m.Eval(`(document.querySelector(".colour-choice [value='#0f7a3d']").click(), window.isOld = true, location.reload(), true)`, nil)
	m.Wait(`!window.isOld && document.querySelector("#sections")`)
	m.waitSaved()
	if got := m.design().Draft.Tokens.Seed; got != "#0f7a3d" {
		t.Errorf("got colour %s, want the one chosen before the page was closed", got)
	}
}

func testSiteSections(t *testing.T, p *process) {
	m := openSiteDesign(t, p, 360)
	m.AllowProblem("status of 422")
	kinds := func() string {
		var names []string
		for _, s := range m.design().Draft.Templates.Home {
			names = append(names, s.Kind)
		}
		return strings.Join(names, " ")
	}
	m.show("site", "#sections")
	var shown int // the sections of the design, until the home page has its own
	m.Eval(`document.querySelectorAll("#sections [data-section]").length`, &shown)
	m.Click("#add-section")
	m.WaitVisible("#kinds [data-kind=questions]")
	m.check("site-kinds")
	m.Click("#kinds [data-kind=questions]")
	m.WaitVisible("#section .add-entry")
	m.Click("#section .add-entry")
	m.WaitVisible("#section [name$='items[0].question.en']")
	m.Fill("#section [name$='items[0].question.en']", "Can I look before I pay?")
	m.waitSaved()
	before, isLast := strings.CutSuffix(kinds(), " questions")
	if !isLast || len(strings.Fields(before)) != shown {
		t.Errorf("got %q, want %d sections and then the new one", kinds(), shown)
	}
	m.Click("#section-done")
	m.WaitVisible("#sections li:last-child .up")
	m.Click("#sections li:last-child .up") // a button stands for a drag
	m.Click("#sections li:first-child a")
	m.WaitVisible("#hide-section")
	m.Click("#hide-section")
	m.Click("#section-done")
	m.WaitVisible("#sections")
	m.waitSaved()
	if home := m.design().Draft.Templates.Home; !home[0].Hidden || home[len(home)-2].Kind != "questions" {
		t.Errorf("got %+v, want the first one hidden and questions above the last", home)
	}
	m.Click("#sections li:nth-last-child(2) a")
	m.WaitVisible("#remove-section")
	m.Click("#remove-section")
	m.waitText(".toast", "removed")
	m.waitSaved()
	if got := kinds(); got != before {
		t.Errorf("got %q after the removal, want %q", got, before)
	}
	m.Click(".toast button")
	m.waitSaved()
	if got := kinds(); !strings.Contains(got, "questions") {
		t.Errorf("got %q after undoing, want the questions back", got)
	}
	m.show("site?section=0", "#section")
	m.Fill("#section [name$='link']", "nowhere")
	m.WaitVisible("#design-faults")
	m.Wait(`document.querySelector("#section [name$='link'][aria-invalid]")`)
	m.check("site-fault")
	m.Fill("#section [name$='link']", "/collections/all")
	m.waitSaved()
	if got := m.design().Draft.Templates.Home[0].Settings.Link; got != "/collections/all" {
		t.Errorf("got link %q", got)
	}
}

func testSiteTexts(t *testing.T, p *process) {
	m := openSiteDesign(t, p, 360)
	m.AllowProblem("status of 422")
	m.show("site/redirects", "#add-redirect")
	m.Click("#add-redirect")
	m.Fill("#redirect [name=from]", "/product-page/tea")
	m.Fill("#redirect [name=to]", "/collections/all")
	m.Click("#redirect form .primary")
	m.waitText("#redirects", "/product-page/tea")
	m.Click("#import-redirects")
	m.WaitVisible("#redirect-file .file")
	m.chooseFile("redirects.csv", "from,to\n/old,/collections/all\n/,/collections/all\n")
	m.waitText("#redirect-file [role=alert]", "Line 3")
	m.check("site-redirect-problems")
	m.chooseFile("redirects.csv", "from,to\n/old,/collections/all\n")
	m.waitText("#redirect-file", "1 new")
	m.Click("#run")
	m.waitText("#redirects", "/old")
	m.check("site-redirects")

	m.show("site/pages", "#add-page")
	m.Click("#add-page")
	m.WaitVisible("#set-pages details:last-of-type [name$='.title']")
	m.Fill("#set-pages details:last-of-type [name$='.title']", "Our weavers")
	m.Fill("#set-pages details:last-of-type [name$='.slug']", "our-weavers")
	m.Eval(`(document.querySelector("#set-pages details:last-of-type .rich .described").focus(), true)`, nil)
	m.Wait(`document.querySelector("#set-pages details:last-of-type .described:not([aria-busy=true])")`)
	m.check("site-pages-new")
	m.submit("#set-pages form")
	m.waitText(".toast", "Saved")
	m.Go(p.url + "/pages/our-weavers")
	m.waitText("h1", "Our weavers")
}
