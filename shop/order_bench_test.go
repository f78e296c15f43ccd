package shop_test

import (
	"context"
	"testing"

	"storefront/shop"
)

func BenchmarkShop_PlaceOrder(b *testing.B) {
	for name, parallel := range map[string]int{"1": 1, "16": 8, "64": 32} { // goroutines, on 2 processors
		b.Run("goroutines="+name, func(b *testing.B) {
			s := newOrderShop(b, nil)
			s.exec(b, `UPDATE variants SET backorder = 1`)
			in := guestOrder(wants(s.mug, 1), wantsVariant(s.shirt, 0, 2), wants(s.lamp, 1))
			place := func() {
				if _, err := s.PlaceOrder(context.Background(), shop.Caller{}, in, ""); err != nil {
					b.Error(err)
				}
			}
			b.ReportAllocs()
			if parallel == 1 {
				for b.Loop() {
					place()
				}
				return
			}
			b.SetParallelism(parallel)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					place()
				}
			})
		})
	}
}

func BenchmarkShop_QuoteOrder(b *testing.B) {
	s := newOrderShop(b, nil)
	in := guestOrder(wants(s.mug, 1), wantsVariant(s.shirt, 0, 2), wants(s.lamp, 1))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.QuoteOrder(context.Background(), shop.Caller{}, in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkShop_FindOrder(b *testing.B) {
	s := newOrderShop(b, nil)
	order := s.mustPlace(b, shop.Caller{}, guestOrder(wants(s.mug, 1), wants(s.lamp, 1)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.FindOrder(context.Background(), shop.Caller{}, order.ID); err != nil {
			b.Fatal(err)
		}
	}
}
