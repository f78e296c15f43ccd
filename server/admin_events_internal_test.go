package server

import (
	"fmt"
	"strings"
	"testing"

	"storefront/shop/fault"
)

// One shop has at most a quarter of the server's streams, and all together have no more than all.
func TestEventStreams_Acquire(t *testing.T) {
	t.Parallel()
	var s eventStreams
	refused := func(of string, want string) {
		t.Helper()
		if _, err := s.acquire(of); !fault.HasCode(err, fault.CodeUnavailable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", of, err, want)
		}
	}
	var releases []func()
	for i := range 4 {
		of := fmt.Sprint("shop-", i)
		for range 125 {
			release, err := s.acquire(of)
			if err != nil {
				t.Fatal(err)
			}
			releases = append(releases, release)
		}
		if i < 3 {
			refused(of, "The shop has 125 open streams")
		}
	}
	refused("another", "The server has 500 open streams")
	releases[0]()
	refused("shop-1", "The shop has 125 open streams")
	release, err := s.acquire("shop-0")
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range append(releases[1:], release) {
		release()
	}
	if s.open != 0 || len(s.ofShops) != 0 {
		t.Errorf("got %d streams and %v after all have ended, want none", s.open, s.ofShops)
	}
}
