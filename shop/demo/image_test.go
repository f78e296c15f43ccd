package demo_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"storefront/shop/demo"
)

const (
	imagePath = "/demo/images/"
	photoPath = "/demo/photos/"
)

// images returns the names of all drawings that the demo's files refer to.
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
			if src := r["Image Src"]; src != "" && !strings.HasPrefix(src, photoPath) {
				add(p.row["Handle"], src)
			}
		}
	}
	for _, c := range decode[[]collection](t, demo.Collections()) {
		add(c.Handle, c.Image)
	}
	add("settings", decode[map[string]any](t, demo.Settings())["logoUrl"].(string))
	return names
}

func TestImage_References(t *testing.T) {
	t.Parallel()
	for name := range images(t) {
		picture, ok := demo.Image(name)
		if !ok {
			t.Errorf("%s does not exist", name)
			continue
		}
		if err := wellFormed(string(picture)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(picture) > 2048 {
			t.Errorf("%s: got %d bytes", name, len(picture))
		}
		if bytes.ContainsRune(picture, '$') {
			t.Errorf("%s contains a placeholder of a colour", name)
		}
		if n := bytes.Count(picture, []byte("://")); n != 1 {
			t.Errorf("%s: got %d URLs, want only the namespace", name, n)
		}
		if again, _ := demo.Image(name); !bytes.Equal(again, picture) {
			t.Errorf("%s differs between two calls", name)
		}
	}
}

func TestImage_UnknownNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", ".svg", "-.svg", "saree.svg", "saree-.svg", "-red.svg", "saree-red", "saree-red.png", "saree-red.svg/",
		"saree-nocolour.svg", "nodrawing-red.svg", "SAREE-red.svg", "saree-red-red.svg", "collection-.svg",
		"collection-logo.svg", "collection-collection-saree-red.svg", "/saree-red.svg", "./saree-red.svg",
		"../pictograms/saree-red.svg", "../logo-red.svg", "*-red.svg", "saree\x00-red.svg", "products.csv",
	} {
		if _, ok := demo.Image(name); ok {
			t.Errorf("%q: got a picture, want none", name)
		}
	}
}

func TestImage_UnusedDrawings(t *testing.T) {
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
			t.Errorf("no product uses %s", file.Name())
		}
	}
}

// Each colour of a product has its own picture.
func TestProducts_ImagesByColour(t *testing.T) {
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
		t.Errorf("got %d products in several colours, want at least 20", seen)
	}
}

func TestProducts_ImageOrderAndAltText(t *testing.T) {
	t.Parallel()
	for _, p := range readProducts(t) {
		position := 0
		for _, r := range p.rows {
			if r["Image Src"] == "" {
				continue
			}
			position++
			if r["Image Alt Text"] == "" || atoi(t, r["Image Position"]) != position {
				t.Errorf("%s: picture %d: got position %s, text %q", p.row["Handle"], position, r["Image Position"], r["Image Alt Text"])
			}
		}
		if position == 0 {
			t.Errorf("%s has no picture", p.row["Handle"])
		}
	}
}
