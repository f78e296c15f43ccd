package barcode_test

import (
	"errors"
	"strings"
	"testing"

	"storefront/server/admin/barcode"
)

func TestCode128(t *testing.T) {
	t.Parallel()
	image, err := barcode.Code128("DL221126K7M2")
	if err != nil || !strings.Contains(image, `viewBox="0 0 176 1"`) {
		t.Errorf("got %s, %v, want 156 modules in a margin of 10", image, err)
	}
	if _, err := barcode.Code128(strings.Repeat("A", 25)); !errors.Is(err, barcode.ErrTooLong) {
		t.Errorf("a long text: got %v, want ErrTooLong", err)
	}
	if _, err := barcode.Code128("অর্ডার"); err == nil {
		t.Error("text in Bangla: got no error")
	}
}
