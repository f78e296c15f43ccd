package server_test

import (
	"fmt"
	"testing"
)

// BenchmarkCache_MixedTraffic reports the share of cached responses among reads of 50 pages, beside
// one wrong password in 20 reads and one order in 200.
func BenchmarkCache_MixedTraffic(b *testing.B) {
	s := newSite(b, nil)
	_, products := stockShop(b, s.shop)
	for i := 0; b.Loop(); i++ {
		s.get(fmt.Sprintf("/api/v1/products?limit=%d", 1+i%50))
		if i%20 == 0 {
			s.send("POST", "/api/v1/auth/login", fmt.Sprintf(`{"user":"nobody%d@example.com","password":"wrong password"}`, i))
		}
		if i%200 == 0 {
			s.send("POST", "/api/v1/orders", fmt.Sprintf(`{"items":[{"productId":%q,"quantity":1}],"customer":{"name":"Rahima",
				"phoneNumber":"01811%06d"},"shippingAddress":{"line1":"House 1","city":"Dhaka"}}`, products[i/200%3].ID, i))
		}
	}
	stats := s.server.Prepared()
	b.ReportMetric(100*float64(stats.Hits)/float64(stats.Hits+stats.Misses), "%hits")
}
