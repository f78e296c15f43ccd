package barcode

import (
	"errors"
	"fmt"
	"strings"

	"github.com/boombuler/barcode/code128"
)

// maxBars is the maximum number of characters that scanners still read as a bar code on a narrow
// label.
const maxBars = 24

// ErrTooLong is returned for a text that does not fit on a label as a bar code.
var ErrTooLong = errors.New("the text is too long for a bar code")

// Code128 returns a bar code of ASCII text as an SVG image that can be stretched to any size.
func Code128(text string) (string, error) {
	if len(text) > maxBars {
		return "", ErrTooLong
	}
	code, err := code128.Encode(text)
	if err != nil {
		return "", fmt.Errorf("encode bar code: %w", err)
	}
	const quiet = 10 // modules at either side, which scanners require
	width := code.Bounds().Dx()
	var path strings.Builder
	for x := 0; x < width; x++ {
		begin := x
		for x < width && isBlack(code.At(x, 0).RGBA()) {
			x++
		}
		if x > begin {
			fmt.Fprintf(&path, "M%d 0h%dv1h-%dz", begin+quiet, x-begin, x-begin)
		}
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d 1" preserveAspectRatio="none" shape-rendering="crispEdges">`+
		`<path fill="#fff" d="M0 0h%[1]dv1H0z"/><path d="%[2]s"/></svg>`, width+2*quiet, path.String()), nil
}
