package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"storefront/shop/design"
)

// sectionExamples are the sections of a design's document, with pictures of the demo shop.
func sectionExamples(picture func(at int) string) map[string]string {
	return map[string]string{
		"announcement": `{"text":{"en":"Free delivery until Thursday","bn":"বৃহস্পতিবার পর্যন্ত ফ্রি ডেলিভারি"},"link":"/collections/all"}`,
		"hero": `{"picture":` + picture(0) + `,"title":{"en":"Made by hand","bn":"হাতে তৈরি"},
			"text":{"en":"Mugs of twelve potters of Patuakhali.","bn":"পটুয়াখালীর বারো কুমারের মগ।"},"button":{"en":"See them","bn":"দেখুন"}}`,
		"collection":  `{"collection":"women","count":4}`,
		"products":    `{"from":"bestSelling","count":4}`,
		"collections": `{}`,
		"pictureText": `{"picture":` + picture(1) + `,"side":"right","title":{"en":"Our garden","bn":"আমাদের বাগান"},
			"text":{"en":"The leaves are picked before sunrise, and roasted the same day.","bn":"ভোরের আগে পাতা তোলা হয়, সেদিনই ভাজা হয়।"},
			"button":{"en":"More","bn":"আরও"},"link":"/collections/all"}`,
		"text": `{"title":{"en":"Since 1987","bn":"১৯৮৭ থেকে"},"text":{"en":"A shop in Rajshahi.\n\nNow everywhere.",
			"bn":"রাজশাহীর একটি দোকান।\n\nএখন সবখানে।"},"centered":true}`,
		"gallery":   `{"pictures":[` + picture(0) + `,` + picture(1) + `,` + picture(2) + `]}`,
		"video":     `{"title":{"en":"In our kitchen","bn":"আমাদের রান্নাঘরে"},"picture":` + picture(2) + `,"link":"https://example.com/kitchen"}`,
		"questions": `{"items":[{"question":{"en":"Can I return it?","bn":"ফেরত দেওয়া যায়?"},"answer":{"en":"Within 7 days.","bn":"৭ দিনের মধ্যে।"}}]}`,
		"testimonials": `{"items":[{"text":{"en":"As on the picture.","bn":"ছবির মতোই।"},"name":{"en":"Rahima","bn":"রহিমা"},
			"place":{"en":"Dhaka","bn":"ঢাকা"}},{"text":{"en":"It came in two days.","bn":"দুই দিনে এসেছে।"},"name":{"en":"Nadia","bn":"নাদিয়া"}}]}`,
		"promises":     `{}`,
		"offer":        `{"title":{"en":"For our guests","bn":"আপনার জন্য"},"coupon":"SAVE150"}`,
		"contact":      `{}`,
		"productFacts": `{}`,
		"orderForm":    `{}`,
	}
}

// uploadExamples uploads the pictures of sectionExamples. It returns a function that returns
// sections of some kinds as JSON.
func uploadExamples(t testing.TB, data string) (sections func(kinds []string) string) {
	t.Helper()
	var media []string
	for _, photo := range []string{"mug", "tea", "pickle"} {
		var uploaded struct {
			ID string `json:"_id"`
		}
		out := run(t, "api", "demo", "uploadMedia", "--json", "--data", data, "--body", "../shop/demo/photos/"+photo+".jpg")
		if err := json.Unmarshal([]byte(out), &uploaded); err != nil {
			t.Fatal(err)
		}
		media = append(media, uploaded.ID)
	}
	examples := sectionExamples(func(at int) string {
		return `{"mediaId":"` + media[at] + `","alt":{"en":"Ours","bn":"আমাদের"}}`
	})
	return func(kinds []string) string {
		list := make([]design.Section, len(kinds))
		for i, kind := range kinds {
			list[i] = design.Section{Kind: kind, Settings: json.RawMessage(examples[kind])}
		}
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// Each kind of section is seen by itself: within the width of a phone and of a desk, with its
// text, in both languages. The pictures are those of docs/design.md.
func TestBuyer_Sections(t *testing.T) {
	onlyWithAll(t)
	t.Parallel()
	data := demoData(t)
	p := serve(t, "--dev", "--data", data)
	var home, landing []string
	for _, kind := range design.Kinds() {
		if kind.Landing {
			landing = append(landing, kind.Name)
		} else {
			home = append(home, kind.Name)
		}
	}
	sections := uploadExamples(t, data)
	publishDesign(t, data, `{"design":"angan","tokens":{},"templates":{"home":`+sections(home)+`}}`)
	saveLanding(t, data, "each", sections(landing))

	for _, c := range []struct {
		width          int
		scheme, prefix string
	}{{360, "light", "/bn"}, {1000, "light", ""}} {
		page, site := newVisitor(t, p, c.width, c.scheme)
		for path, kinds := range map[string][]string{"/": home, "/l/each": landing} {
			page.Go(site + c.prefix + path)
			for at, kind := range kinds {
				checkSection(page, kind, fmt.Sprintf("main > :nth-child(%d of :not(.form-bar))", at+1), c.width)
			}
			if path == "/" {
				checkColours(page)
			}
		}
	}
}

// checkColours checks that uploaded pictures have their colours until they arrive.
func checkColours(page *window) {
	page.t.Helper()
	var shown []struct{ Want, Got string }
	page.Eval(`[...document.querySelectorAll("main img[data-colour]")].map((image) => ({
		want: image.dataset.colour,
		got: "#" + getComputedStyle(image).backgroundColor.match(/\d+/g).map((n) => (+n).toString(16).padStart(2, "0")).join(""),
	}))`, &shown)
	for _, one := range shown {
		if one.Got != one.Want {
			page.t.Errorf("got the colour %s behind a picture, want %s", one.Got, one.Want)
		}
	}
	if len(shown) == 0 {
		page.t.Error("got no picture with its colour")
	}
}

// checkSection checks that a section has content, within the width.
func checkSection(page *window, kind, selector string, width int) {
	page.t.Helper()
	var box struct {
		Width, Height float64
		Text          string
	}
	page.Eval(fmt.Sprintf(`(() => {
		const section = document.querySelector(%q), {width, height} = section.getBoundingClientRect()
		return {width, height, text: section.innerText + [...section.querySelectorAll("img")].map((one) => one.alt).join(" ")}
	})()`, selector), &box)
	if box.Width > float64(width) || box.Height < 20 || strings.TrimSpace(box.Text) == "" {
		page.t.Errorf("%s at %d: got %+v, want a section within the width", kind, width, box)
	}
	page.ElementScreenshot(fmt.Sprintf("section-%s-%d", kind, width), selector)
}

// docs/design.md names each kind of section with its settings and has its picture.
func TestDocuments_Sections(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for _, kind := range design.Kinds() {
		at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "](design/"+kind.Name+".jpg)") })
		if at < 0 {
			t.Errorf("no picture of %s", kind.Name)
			continue
		}
		if _, err := os.Stat("../docs/design/" + kind.Name + ".jpg"); err != nil {
			t.Error(err)
		}
		for _, field := range kind.Fields {
			if !strings.Contains(lines[at], "`"+field.Name+"`") {
				t.Errorf("%s: no setting %s in %q", kind.Name, field.Name, lines[at])
			}
		}
	}
}
