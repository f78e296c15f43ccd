package barcode_test

import (
	"encoding/xml"
	"image/color"
	"regexp"
	"strconv"
	"testing"

	"github.com/boombuler/barcode/qr"

	"storefront/server/admin/barcode"
)

// The image has the modules of the code, within a margin of four.
func TestQRSVG(t *testing.T) {
	t.Parallel()
	const text = "otpauth://totp/Rina%20%26%20Sons:rina@example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Rina"
	image, err := barcode.QR(text)
	if err != nil {
		t.Fatal(err)
	}
	var svg struct {
		ViewBox string `xml:"viewBox,attr"`
		Paths   []struct {
			D string `xml:"d,attr"`
		} `xml:"path"`
	}
	if err := xml.Unmarshal([]byte(image), &svg); err != nil || len(svg.Paths) != 2 {
		t.Fatalf("got %v, %+v", err, svg)
	}
	want, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		t.Fatal(err)
	}
	side := want.Bounds().Dx()
	if size := strconv.Itoa(side + 8); svg.ViewBox != "0 0 "+size+" "+size {
		t.Errorf("got viewBox %q, want %s modules", svg.ViewBox, size)
	}
	black := map[[2]int]bool{}
	for _, run := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-\d+z`).FindAllStringSubmatch(svg.Paths[1].D, -1) {
		var n [3]int
		for i := range n {
			n[i], _ = strconv.Atoi(run[i+1])
		}
		for x := range n[2] {
			black[[2]int{n[0] + x, n[1]}] = true
		}
	}
	for y := range side {
		for x := range side {
			if got := black[[2]int{x + 4, y + 4}]; got != (want.At(x, y) == color.Black) {
				t.Fatalf("module %d, %d: got black %v", x, y, got)
			}
		}
	}
	if _, err := barcode.QR(string(make([]byte, 4000))); err == nil {
		t.Error("a text that is too long: got no error")
	}
}
