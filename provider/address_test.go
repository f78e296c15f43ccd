package provider

import (
	"net/netip"
	"testing"
)

func TestIsPublic(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"1.1.1.1":              true,
		"103.16.101.52":        true,
		"172.15.255.255":       true,
		"172.32.0.1":           true,
		"100.63.255.255":       true,
		"100.128.0.1":          true,
		"2606:4700::1111":      true,
		"2400:cb00::1":         true,
		"::ffff:1.1.1.1":       true,
		"64:ff9b::1.1.1.1":     true,
		"0.0.0.0":              false,
		"0.1.2.3":              false,
		"10.0.0.1":             false,
		"10.255.255.255":       false,
		"100.64.0.1":           false,
		"100.100.100.200":      false,
		"100.127.255.255":      false,
		"127.0.0.1":            false,
		"127.255.255.254":      false,
		"168.63.129.16":        false,
		"169.254.169.254":      false,
		"172.16.0.1":           false,
		"172.31.255.255":       false,
		"192.0.0.192":          false,
		"192.168.1.1":          false,
		"198.18.0.1":           false,
		"198.51.100.7":         false,
		"203.0.113.7":          false,
		"224.0.0.1":            false,
		"240.0.0.1":            false,
		"255.255.255.255":      false,
		"::":                   false,
		"::1":                  false,
		"::ffff:127.0.0.1":     false,
		"::ffff:10.0.0.1":      false,
		"::127.0.0.1":          false,
		"64:ff9b::10.0.0.1":    false,
		"64:ff9b:1::1":         false,
		"100::1":               false,
		"2001::1":              false,
		"2001:db8::1":          false,
		"2002:7f00:1::":        false,
		"3fff::1":              false,
		"fc00::1":              false,
		"fd00::1":              false,
		"fd00:ec2::254":        false,
		"fe80::1":              false,
		"fe80::1%eth0":         false,
		"fec0::1":              false,
		"ff02::1":              false,
		"::ffff:0:127.0.0.1":   false,
		"::ffff:168.63.129.16": false,
	}
	for text, want := range tests {
		if got := isPublic(netip.MustParseAddr(text)); got != want {
			t.Errorf("isPublic(%s) = %v, want %v", text, got, want)
		}
	}
	if isPublic(netip.Addr{}) {
		t.Error("isPublic(netip.Addr{}) = true, want false")
	}
}
