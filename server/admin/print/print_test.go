package print_test

import (
	"os"
	"regexp"
	"testing"
)

// A page of a roll is as high as its content. Browsers without such pages use the size before.
func TestStyle_RollHeight(t *testing.T) {
	t.Parallel()
	for _, width := range []string{"80mm", "58mm"} {
		css, err := os.ReadFile("style/" + width + ".css")
		if err != nil {
			t.Fatal(err)
		}
		sizes := regexp.MustCompile(`@page \{ size: ([^;]+);`).FindAllStringSubmatch(string(css), -1)
		if len(sizes) != 2 || sizes[0][1] != width+" 297mm" || sizes[1][1] != width+" auto" {
			t.Errorf("%s: got page sizes %q, want one of 297 mm and then one without a height", width, sizes)
		}
	}
}
