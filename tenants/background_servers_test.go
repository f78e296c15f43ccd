package tenants

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"storefront/db/dbtest"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/endpoint"
	"storefront/shop/shoptest"
)

// The webhook of a commit at a server without the lease is sent by the other, which does not wait
// for its check of all shops.
func TestBackground_OtherServer(t *testing.T) {
	t.Parallel()
	c := dbtest.NewCluster(t)
	server := func() *Tenants {
		all, err := Open(Config{
			Dir: t.TempDir(), Schema: shoptest.Schema(t), PrivateProviders: true, Engine: c.Address("postgres"),
			Key: base64.StdEncoding.EncodeToString(make([]byte, 32)),
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { all.Close(context.Background()) })
		return all
	}
	first, second := server(), server()
	settings := shoptest.Raw(t, map[string]any{"name": "Acme", "currency": "BDT", "country": "BD"})
	s, err := first.Create(t.Context(), "acme", settings)
	if err != nil {
		t.Fatal(err)
	}
	var arrived atomic.Int64
	receiver := httptest.NewServer(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived.Add(1) }),
	)
	t.Cleanup(receiver.Close)
	in := endpoint.Input{URL: receiver.URL}
	if _, _, err := s.Endpoints.CreateEndpoint(t.Context(), access.Operator(), in); err != nil {
		t.Fatal(err)
	}
	for _, all := range []*Tenants{first, second} {
		startBackground(t, all)
		dbtest.Eventually(
			t,
			"the first server does the work",
			func() bool { return first.DoesBackground(t.Context()) },
		)
	}
	other, err := second.Shop(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	before := arrived.Load()
	for n := range int64(3) { // also after its own commits
		_, err := other.Catalogue.CreateProduct(
			t.Context(),
			access.Operator(),
			catalogue.ProductInput{
				Title: "Mug", Handle: "mug-" + string(rune('a'+n)), Variants: []catalogue.VariantInput{{Price: 100_00}},
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		dbtest.Eventually(
			t,
			"its webhook is sent",
			func() bool { return arrived.Load() > before+n },
		)
		t.Logf("sent after %s", time.Since(began))
	}
}
