package prepared

import "testing"

func TestChooseCodec(t *testing.T) {
	t.Parallel()
	const long, short = true, false
	for _, test := range []struct {
		accepted         []string
		preferCompressed bool
		want             string
	}{
		{[]string{"gzip"}, long, "gzip"},
		{[]string{"gzip, deflate, br, zstd"}, long, "zstd"},
		{[]string{"GZIP"}, long, "gzip"},
		{[]string{"x-gzip"}, long, "gzip"},
		{[]string{"gzip", "zstd"}, long, "zstd"}, // two field lines
		{[]string{"br, deflate"}, long, ""},
		{[]string{""}, long, ""},
		{[]string{"*"}, long, "zstd"},
		{[]string{"zstd;q=0, *"}, long, "gzip"},
		{[]string{"zstd;q=0.5, gzip;q=0.8"}, long, "gzip"},
		{[]string{"zstd ; Q=0.5 , gzip ; q=1.0"}, long, "gzip"},
		{[]string{"gzip;q=0"}, long, ""},
		{[]string{"gzip;q=0.000"}, long, ""},
		{[]string{"gzip;q=0.001"}, long, "gzip"},
		{[]string{"*;q=0"}, long, ""}, // nothing acceptable is left: uncompressed
		{[]string{"gzip, *;q=0"}, long, "gzip"},
		{[]string{"identity"}, long, ""},
		{[]string{"identity, gzip;q=0.5"}, long, ""},
		{[]string{"identity;q=0.5, gzip;q=0.5"}, long, "gzip"},
		{[]string{"identity;q=0"}, long, ""},
		{[]string{"gzip, identity;q=0"}, short, "gzip"},
		{[]string{"gzip, *;q=0"}, short, "gzip"},
		{[]string{"gzip, deflate, br, zstd"}, short, ""},
		{[]string{"gzip;q=nonsense"}, long, "gzip"},
		{[]string{";;,,;q=1,gzip;"}, long, "gzip"},
	} {
		got := ""
		if at := chooseCodec(test.accepted, test.preferCompressed); at >= 0 {
			got = codecs[at].name
		}
		if got != test.want {
			t.Errorf("Accept-Encoding %q, preferCompressed %v: got %q, want %q", test.accepted, test.preferCompressed, got, test.want)
		}
	}
}
