package sqlite_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"storefront/db"
	"storefront/db/sqlite"
)

func BenchmarkViewPoint(b *testing.B) {
	s := newShop(b, sqlite.Options{})
	var stock int64
	read := func(_ context.Context, tx *db.Tx) error {
		return tx.QueryRow(`SELECT stock FROM items WHERE id = ?`, "a").Scan(&stock)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.View(b.Context(), shop, read); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, workers := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("%d", workers), func(b *testing.B) {
			s := newShop(b, sqlite.Options{})
			var next atomic.Int64
			b.SetParallelism((workers + 1) / 2) // times GOMAXPROCS
			if workers == 1 {
				for b.Loop() {
					update(b, s, shop, addOrder(next.Add(1)))
				}
			} else {
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if err := s.Update(b.Context(), shop, addOrder(next.Add(1))); err != nil {
							b.Error(err)
						}
					}
				})
			}
			st := s.Stats()
			b.ReportMetric(float64(st.Updates)/float64(st.Commits), "updates/commit")
		})
	}
}

func BenchmarkVersion(b *testing.B) {
	s := newShop(b, sqlite.Options{})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := s.Version(b.Context(), shop); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkExistsUnknown(b *testing.B) {
	s := openStore(b, b.TempDir(), sqlite.Options{})
	b.ReportAllocs()
	for b.Loop() {
		if ok, err := s.Exists(b.Context(), "nobody"); ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

// BenchmarkOpen opens a file that is not open, and closes another to make room.
func BenchmarkOpen(b *testing.B) {
	s := openStore(b, b.TempDir(), sqlite.Options{MaxOpen: 1})
	ids := []db.ID{"one", "two", "three"}
	for _, id := range ids {
		create(b, s, id)
	}
	for i := 0; b.Loop(); i++ {
		if _, err := s.Version(b.Context(), ids[i%len(ids)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCreate(b *testing.B) {
	s := openStore(b, b.TempDir(), sqlite.Options{})
	for i := 0; b.Loop(); i++ {
		if err := s.Create(b.Context(), db.ID(fmt.Sprintf("t%08d", i)), addItem("a", 1)); err != nil {
			b.Fatal(err)
		}
	}
}
