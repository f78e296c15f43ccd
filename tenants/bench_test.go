package tenants_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"storefront/tenants"
)

// BenchmarkCreateShop creates shops, each with its file and signing key.
func BenchmarkCreateShop(b *testing.B) {
	all := open(b, b.TempDir(), nil)
	measureEach(b, func(i int) error {
		_, err := all.Create(b.Context(), fmt.Sprintf("shop-%06d", i), named(b, "Shop"))
		return err
	})
}

// BenchmarkOpenShop reads the settings of shops whose files are not open.
func BenchmarkOpenShop(b *testing.B) {
	const shops = 8
	all := open(b, b.TempDir(), func(cfg *tenants.Config) { cfg.MaxOpen = 1 })
	for i := range shops {
		if _, err := all.Create(b.Context(), fmt.Sprintf("shop-%06d", i), named(b, "Shop")); err != nil {
			b.Fatal(err)
		}
	}
	measureEach(b, func(i int) error {
		s, err := all.Shop(b.Context(), fmt.Sprintf("shop-%06d", i%shops))
		if err == nil {
			_, err = s.Settings(b.Context())
		}
		return err
	})
}

// measureEach reports the median and the 99th percentile, which an average hides.
func measureEach(b *testing.B, do func(i int) error) {
	b.Helper()
	var durations []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		if err := do(i); err != nil {
			b.Fatal(err)
		}
		durations = append(durations, time.Since(start))
	}
	slices.Sort(durations)
	milliseconds := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	b.ReportMetric(milliseconds(durations[len(durations)/2]), "p50-ms")
	b.ReportMetric(milliseconds(durations[len(durations)*99/100]), "p99-ms")
}

// BenchmarkListShops lists 3,000 shops in a process that has opened none: with the index as their
// creation has left it, and without it.
func BenchmarkListShops(b *testing.B) {
	dir := b.TempDir()
	all := open(b, dir, nil)
	for i := range 3000 {
		if _, err := all.Create(b.Context(), fmt.Sprintf("shop-%06d", i), named(b, "Shop")); err != nil {
			b.Fatal(err)
		}
	}
	if err := all.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
	list := func(b *testing.B, indexed bool) {
		for b.Loop() {
			if !indexed {
				_ = os.Remove(filepath.Join(dir, "shops.json"))
			}
			shops, err := open(b, dir, func(cfg *tenants.Config) { cfg.Command = true }).List(b.Context())
			if err != nil || len(shops) != 3000 {
				b.Fatalf("got %d shops, %v, want 3000", len(shops), err)
			}
		}
	}
	b.Run("indexed", func(b *testing.B) { list(b, true) })
	b.Run("rebuilt", func(b *testing.B) { list(b, false) })
}
