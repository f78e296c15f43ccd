package provider_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"storefront/provider"
)

func TestLocalOnly(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		peer, host, header string
		allowed            bool
	}{
		"by address":            {"127.0.0.1:5000", "127.0.0.1:8081", "", true},
		"by name":               {"127.0.0.1:5000", "localhost:8081", "", true},
		"by name, no port":      {"127.0.0.1:5000", "LocalHost", "", true},
		"by IPv6":               {"[::1]:5000", "[::1]:8081", "", true},
		"by IPv6, no port":      {"[::1]:5000", "[::1]", "", true},
		"mapped peer":           {"[::ffff:127.0.0.1]:5000", "127.0.0.1", "", true},
		"rebound name":          {"127.0.0.1:5000", "evil.example:8081", "", false},
		"localhost as a prefix": {"127.0.0.1:5000", "localhost.evil.example", "", false},
		"address as a prefix":   {"127.0.0.1:5000", "127.0.0.1.evil.example", "", false},
		"no host":               {"127.0.0.1:5000", "", "", false},
		"other machine":         {"192.168.1.7:5000", "127.0.0.1:8081", "", false},
		"no peer":               {"@", "127.0.0.1:8081", "", false},
		"X-Forwarded-For":       {"127.0.0.1:5000", "127.0.0.1", "X-Forwarded-For", false},
		"X-Forwarded-Proto":     {"127.0.0.1:5000", "127.0.0.1", "X-Forwarded-Proto", false},
		"Forwarded":             {"127.0.0.1:5000", "127.0.0.1", "Forwarded", false},
		"Via":                   {"127.0.0.1:5000", "127.0.0.1", "Via", false},
		"X-Real-IP":             {"127.0.0.1:5000", "127.0.0.1", "X-Real-IP", false},
	}
	handler := provider.LocalOnly(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr, r.Host = test.peer, test.host
			if test.header != "" {
				r.Header.Set(test.header, "")
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			want := http.StatusForbidden
			if test.allowed {
				want = http.StatusNoContent
			}
			if w.Code != want {
				t.Errorf("got status %d, want %d", w.Code, want)
			}
		})
	}
}
