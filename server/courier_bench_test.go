package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/inbox"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// Five hundred webhooks a second, spread over fifty shops: -benchtime 10000x runs for twenty
// seconds. It fails if a webhook is refused or lost, and reports the 99th percentile of the
// response time.
func BenchmarkCourierWebhooks_500PerSecond(b *testing.B) {
	const shops, parcels, pause = 50, 4, 2 * time.Millisecond
	folder, err := tenants.Open(tenants.Config{Dir: b.TempDir(), Schema: shoptest.Schema(b)})
	if err != nil {
		b.Fatal(err)
	}
	defer folder.Close(context.Background())
	all := make([]*shop.Shop, shops)
	for i := range all {
		if all[i], err = folder.Create(b.Context(), fmt.Sprintf("shop-%d", i), shoptest.Raw(b, map[string]any{"name": "Shop", "currency": "BDT",
			"country": "BD"})); err != nil {
			b.Fatal(err)
		}
		if _, err := all[i].ConfigurePlugin(b.Context(), access.Caller{Operator: true}, plugin.CourierA, shoptest.Raw(b,
			map[string]any{"webhook_secret": secretA})); err != nil {
			b.Fatal(err)
		}
		mug, err := all[i].Catalogue.CreateProduct(b.Context(), access.Operator(),
			catalogue.ProductInput{Title: "Mug", Variants: []catalogue.VariantInput{{Price: 900_00}}})
		if err != nil {
			b.Fatal(err)
		}
		for j := range parcels {
			(&couriers{acme: all[i]}).ship(b, &mug.Product, plugin.CourierA, fmt.Sprintf("DL%d", j))
		}
	}
	srv, err := server.New(server.Config{Tenants: folder})
	if err != nil {
		b.Fatal(err)
	}
	web := httptest.NewServer(srv.Handler())
	defer web.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}, Timeout: 10 * time.Second}
	var group sync.WaitGroup
	took := make([]time.Duration, b.N)
	tick := time.NewTicker(pause)
	defer tick.Stop()
	b.ResetTimer()
	for i := range b.N {
		<-tick.C
		group.Go(func() {
			at := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC).Format(time.RFC3339)
			body := fmt.Sprintf(`{"event":"order.in-transit","consignment_id":"DL%d","timestamp":%q}`, i/shops%parcels, at)
			req, err := http.NewRequest(http.MethodPost, fmt.Sprintf("%s/courier/webhook/courier_a/shop-%d", web.URL, i%shops), strings.NewReader(body))
			if err != nil {
				b.Error(err)
				return
			}
			req.Header.Set("X-CourierA-Signature", secretA)
			began := time.Now()
			response, err := client.Do(req)
			if err != nil {
				b.Error(err)
				return
			}
			response.Body.Close()
			if took[i] = time.Since(began); response.StatusCode != http.StatusAccepted {
				b.Errorf("webhook %d: got status %d", i, response.StatusCode)
			}
		})
	}
	group.Wait()
	b.StopTimer()
	applied := 0
	for _, s := range all {
		page, err := s.Inbox.ListWebhooks(b.Context(), access.Operator(), inbox.WebhookFilter{Verdict: inbox.VerdictApplied})
		if err != nil {
			b.Fatal(err)
		}
		applied += page.Meta.TotalCount
	}
	if applied != b.N {
		b.Errorf("got %d webhooks applied of %d", applied, b.N)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
}
