package courierb

import (
	"strings"
	"testing"
	"unicode/utf8"

	"storefront/shop/plugin"
)

// The police station ends the address, also of one that is too long for the courier.
func TestAddress_Station(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ address, station, want string }{
		{"House 12", "", "House 12"},
		{"House 12; Road 5", "Kotwali, Chattogram", "House 12  Road 5, Kotwali, Chattogram"},
		{strings.Repeat("বাড়ি ", 100), "ধানমন্ডি, Dhaka", " বাড়ি…, ধানমন্ডি, Dhaka"},
	} {
		got := address(plugin.ShipmentRequest{
			Address: plugin.ShipmentAddress{Way: test.address}, Station: test.station,
		}).Shorten(maxAddress)
		if !strings.HasSuffix(got, test.want) || utf8.RuneCountInString(got) > maxAddress {
			t.Errorf("got %q of %d characters, want the end %q", got, utf8.RuneCountInString(got), test.want)
		}
	}
}
