package demo_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"storefront/shop/demo"
)

const imagePath = "/demo/images/"

// images lists the name of every picture that the demo's files refer to.
func images(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	add := func(owner, src string) {
		name, ok := strings.CutPrefix(src, imagePath)
		if !ok {
			t.Errorf("%s: picture %q is not under %s", owner, src, imagePath)
		}
		names[name] = true
	}
	for _, p := range readProducts(t) {
		for _, r := range p.rows {
			if r["Image Src"] != "" {
				add(p.row["Handle"], r["Image Src"])
			}
		}
	}
	for _, c := range decode[[]collection](t, demo.Collections()) {
		add(c.Handle, c.Image)
	}
	add("settings", decode[map[string]any](t, demo.Settings())["logoUrl"].(string))
	return names
}

func TestEveryImageIsServed(t *testing.T) {
	t.Parallel()
	for name := range images(t) {
		picture, ok := demo.Image(name)
		if !ok {
			t.Errorf("%s is not served", name)
			continue
		}
		if err := wellFormed(string(picture)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(picture) > 2048 {
			t.Errorf("%s takes %d bytes", name, len(picture))
		}
		if bytes.ContainsRune(picture, '$') {
			t.Errorf("%s has an unpainted role", name)
		}
		if n := bytes.Count(picture, []byte("://")); n != 1 {
			t.Errorf("%s names %d addresses, want the namespace alone", name, n)
		}
		if again, _ := demo.Image(name); !bytes.Equal(again, picture) {
			t.Errorf("%s changes from call to call", name)
		}
	}
}

func TestNothingElseIsServed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", ".svg", "-.svg", "saree.svg", "saree-.svg", "-red.svg", "saree-red", "saree-red.png", "saree-red.svg/",
		"saree-nocolour.svg", "nodrawing-red.svg", "SAREE-red.svg", "saree-red-red.svg", "collection-.svg",
		"collection-logo.svg", "collection-collection-saree-red.svg", "/saree-red.svg", "./saree-red.svg",
		"../pictograms/saree-red.svg", "../logo-red.svg", "*-red.svg", "saree\x00-red.svg", "products.csv",
	} {
		if _, ok := demo.Image(name); ok {
			t.Errorf("%q is served", name)
		}
	}
}

func TestEveryDrawingIsUsed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for name := range images(t) {
		drawing, _, _ := strings.Cut(strings.TrimPrefix(name, "collection-"), "-")
		used[drawing] = true
	}
	files, err := os.ReadDir("pictograms")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !used[strings.TrimSuffix(file.Name(), ".svg")] {
			t.Errorf("no product shows %s", file.Name())
		}
	}
}

// A shopper who picks another colour sees another picture.
func TestColoursLookDifferent(t *testing.T) {
	t.Parallel()
	colourOptions := map[string]bool{"Colour": true, "Shade": true, "রং": true}
	seen := 0
	for _, p := range readProducts(t) {
		if !colourOptions[p.row["Option1 Name"]] {
			continue
		}
		seen++
		own, colourOf := map[string]bool{}, map[string]string{}
		for _, r := range p.rows {
			own[r["Image Src"]] = true
		}
		for _, v := range p.variants() {
			picture, colour := v["Variant Image"], v["Option1 Value"]
			if !own[picture] || picture == "" {
				t.Errorf("%s: %q is not among the product's pictures", v["Variant SKU"], picture)
			}
			if other, ok := colourOf[picture]; ok && other != colour {
				t.Errorf("%s: %s and %s share %s", p.row["Handle"], colour, other, picture)
			}
			colourOf[picture] = colour
		}
	}
	if seen < 20 {
		t.Errorf("%d products come in colours, want at least 20", seen)
	}
}

func TestImagesAreDescribedAndNumbered(t *testing.T) {
	t.Parallel()
	for _, p := range readProducts(t) {
		position := 0
		for _, r := range p.rows {
			if r["Image Src"] == "" {
				continue
			}
			position++
			if r["Image Alt Text"] == "" || atoi(t, r["Image Position"]) != position {
				t.Errorf("%s: picture %d has position %s, text %q", p.row["Handle"], position, r["Image Position"], r["Image Alt Text"])
			}
		}
		if position == 0 {
			t.Errorf("%s has no picture", p.row["Handle"])
		}
	}
}
