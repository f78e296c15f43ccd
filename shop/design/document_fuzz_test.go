package design

import (
	"encoding/json"
	"strings"
	"testing"

	"storefront/shop/fault"
)

// FuzzDocument checks that an accepted document can be rendered, and that nothing of it leaves the
// values of the stylesheet.
func FuzzDocument(f *testing.F) {
	f.Add([]byte(`{"design":"mela","tokens":{"seed":"#27497a","radius":24},"templates":{"home":[{"kind":"hero","settings":{"link":"/a"}}]}}`))
	f.Add([]byte(`{"design":"angan","templates":{"landing":[{"kind":"gallery","settings":{"pictures":[{"mediaId":"x","focus":{"x":1,"y":2}}]}}]}}`))
	f.Add([]byte(`{"design":"haat","tokens":{"seed":"#}</style>"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var d Document
		if json.Unmarshal(text, &d) != nil {
			return
		}
		var bad fault.Invalid
		if d.Check(&bad); bad.Err() != nil {
			return
		}
		shown := newPublished(d)
		if strings.ContainsAny(shown.Stylesheet, "<\\") || strings.Count(shown.Stylesheet, "{") != 5 {
			t.Errorf("got the stylesheet %s", shown.Stylesheet)
		}
		for _, one := range d.Templates.all() {
			for _, s := range *one.sections {
				if _, ok := s.Decode(); !ok {
					t.Errorf("the accepted section %s does not decode: %s", s.Kind, s.Settings)
				}
			}
		}
	})
}
