package server

import (
	"net/http"
	"net/netip"
	"testing"
	"time"
)

func TestClientAddress(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, tt := range []struct {
		name, remote string
		forwarded    []string
		want         string
	}{
		{"direct", "203.0.113.7:4711", nil, "203.0.113.7"},
		{"direct, with a forged hop", "203.0.113.7:4711", []string{"198.51.100.1"}, "203.0.113.7"},
		{"behind a proxy", "10.0.0.1:80", []string{"198.51.100.1"}, "198.51.100.1"},
		{"behind two proxies", "10.0.0.1:80", []string{"198.51.100.1, 10.9.9.9"}, "198.51.100.1"},
		{"with a forged hop before", "10.0.0.1:80", []string{"192.0.2.66, 198.51.100.1"}, "198.51.100.1"},
		{"in several headers", "10.0.0.1:80", []string{"192.0.2.66", "198.51.100.1", "10.2.2.2"}, "198.51.100.1"},
		{"proxies only", "10.0.0.1:80", []string{"10.3.3.3, 10.2.2.2"}, "10.3.3.3"},
		{"no header from the proxy", "10.0.0.1:80", nil, "10.0.0.1"},
		{"invalid header from the proxy", "10.0.0.1:80", []string{"198.51.100.1, unknown"}, "10.0.0.1"},
		{"hop with a port", "10.0.0.1:80", []string{"198.51.100.1:9999"}, "198.51.100.1"},
		{"IPv6", "[2001:db8:1:2:3:4:5:6]:443", nil, "2001:db8:1:2::/64"},
		{"IPv6 of the same customer", "[2001:db8:1:2::99]:443", nil, "2001:db8:1:2::/64"},
		{"IPv6 hop in brackets", "[fd00::1]:80", []string{"[2001:db8::1]:77"}, "2001:db8::/64"},
		{"IPv6 hop with a zone", "[fd00::1]:80", []string{"fe80::1%eth0"}, "fe80::/64"},
		{"IPv4 in IPv6", "[::ffff:203.0.113.7]:80", nil, "203.0.113.7"},
		{"proxy as IPv4 in IPv6", "[::ffff:10.0.0.1]:80", []string{"198.51.100.1"}, "198.51.100.1"},
		{"no network", "@", []string{"198.51.100.1"}, ""},
	} {
		r := &http.Request{RemoteAddr: tt.remote, Header: http.Header{"X-Forwarded-For": tt.forwarded}}
		if got := clientAddress(r, proxies); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCallerOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		sent   []string
		bearer string
		bad    bool
	}{
		{"none", nil, "", false},
		{"empty", []string{""}, "", false},
		{"bearer", []string{"Bearer abc.def.ghi"}, "abc.def.ghi", false},
		{"lower case", []string{"bearer abc"}, "abc", false},
		{"two blanks", []string{"Bearer  abc"}, "abc", false},
		{"no token", []string{"Bearer "}, "", true},
		{"scheme only", []string{"Bearer"}, "", true},
		{"basic", []string{"Basic dTpw"}, "", true},
		{"bare token", []string{"abc.def.ghi"}, "", true},
		{"two tokens", []string{"Bearer a b"}, "", true},
		{"two headers", []string{"Bearer a", "Bearer b"}, "", true},
	} {
		r := &http.Request{Header: http.Header{"X-Order-Token": {"tok"}}}
		if tt.sent != nil {
			r.Header["Authorization"] = tt.sent
		}
		got := callerOf(r, nil)
		if got.Bearer != tt.bearer || got.BadAuthorization != tt.bad || got.OrderToken != "tok" || got.Operator {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

func TestRateLimiter(t *testing.T) {
	t.Parallel()
	c := newRateLimiter(50, 200)
	now := time.Unix(1_700_000_000, 0)
	for i := range 200 {
		if wait := c.allow("a", 1, now); wait != 0 {
			t.Fatalf("request %d of the burst: got a wait of %d s, want 0", i+1, wait)
		}
	}
	if wait := c.allow("a", 1, now); wait != 1 {
		t.Errorf("request 201: got a wait of %d s, want 1", wait)
	}
	if c.allow("b", 1, now) != 0 || c.allow("", 1, now) != 0 {
		t.Error("one client limits another")
	}
	now = now.Add(time.Second)
	passed := 0
	for c.allow("a", 1, now) == 0 {
		passed++
	}
	if passed != 50 {
		t.Errorf("after a second: got %d allowed, want 50", passed)
	}
}

func TestRateLimiter_EvictsIdleClientsFirst(t *testing.T) {
	t.Parallel()
	shard := rateShard{busyUntil: map[string]time.Time{}}
	now := time.Unix(1_700_000_000, 0)
	for i := range maxClients {
		shard.busyUntil[string(rune(i+0x100))] = now.Add(time.Duration(i%2*2-1) * time.Minute)
	}
	shard.evict(now)
	if got := len(shard.busyUntil); got != maxClients/2 {
		t.Errorf("got %d clients left, want the busy half", got)
	}
	for i := range maxClients {
		shard.busyUntil[string(rune(i+0x100))] = now.Add(time.Minute)
	}
	shard.evict(now)
	if got := len(shard.busyUntil); got != maxClients-1 {
		t.Errorf("got %d busy clients left, want room for one", got)
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	const etag = `"abc"`
	for header, want := range map[string]bool{
		"": false, `"abc"`: true, `W/"abc"`: true, `*`: true, `"x", "abc"`: true, ` "x" ,W/"abc" `: true,
		`"x"`: false, `abc`: false, `"ABC"`: false, `w/"abc"`: false,
	} {
		if got := matches([]string{header}, etag); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}
