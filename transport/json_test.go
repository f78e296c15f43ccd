package transport_test

import (
	"testing"

	"storefront/transport"
)

func TestParseWhole(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"2.0": 2, "20e-1": 2, "2E+1": 20, "-0.0": 0, "0e5": 0, "0.00e-99": 0, "1.50e2": 150, "-2.0": -2,
		"9007199254740992.0": 1 << 53, "1e15": 1e15, "0e999999999999999999999": 0,
	} {
		if got, ok := transport.ParseWhole(text); got != want || !ok {
			t.Errorf("%s: got %d, %t, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"2.5", "1e-1", "2.0000000000000000001", "9007199254740993.0", "1e17", "1e400", "1e-999999999999999999999", "1.5e0"} {
		if got, ok := transport.ParseWhole(text); ok {
			t.Errorf("%s: got %d, want no whole number", text, got)
		}
	}
}
