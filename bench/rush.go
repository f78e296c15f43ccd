package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// A rush: many buyers want the same product within seconds, and there is little of it.
const (
	rushBuyers = 2000
	rushLength = 10 * time.Second
	rushStock  = 100
)

// rushFigures are the durations of the steps of all buyers.
type rushFigures struct {
	mu                             sync.Mutex
	pages, quotes, placed, refused []time.Duration
}

// measureRush measures the pages of the product, quotes and orders during a rush, while others read
// pages of the shop and staff its orders.
func (b *bench) measureRush(ctx context.Context) error {
	data, err := b.newShop("rush", productCount)
	if err != nil {
		return err
	}
	wanted := newProduct(0).handle // which is its SKU, too
	cmd := exec.CommandContext(ctx, b.binary, "stock", "set", uid, wanted, fmt.Sprint(rushStock), "--data", data)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("set stock: %w: %s", err, out)
	}
	key, err := createKey(ctx, b.binary, data)
	if err != nil {
		return err
	}
	p, err := b.startShop(ctx, "rush", "data-rush", nil)
	if err != nil {
		return err
	}
	got, others, err := b.rush(ctx, p, wanted, key)
	if err != nil {
		return err
	}
	var product struct {
		Variants []struct {
			AvailableQuantity int `json:"availableQuantity"`
		} `json:"variants"`
	}
	if err := call(p.address, http.MethodGet, "/api/v1/products/handle/"+wanted, "", &product); err != nil {
		return err
	}
	if left := product.Variants[0].AvailableQuantity; len(got.placed) != rushStock || left != 0 {
		return fmt.Errorf("%d orders were accepted and %d units are left of %d", len(got.placed), left, rushStock)
	}
	memory, err := p.peakMemory()
	if err != nil {
		return err
	}
	const during = "rush of 2,000 buyers: "
	for _, step := range []struct {
		what          string
		took          []time.Duration
		gate, stretch float64
	}{
		{"pages of the product", got.pages, 20, 10}, {"quotes", got.quotes, 0, 0},
		{"accepted orders", got.placed, 500, 100}, {"refused orders", got.refused, 100, 50},
		{"other pages", others[0], 20, 10}, {"lists of staff", others[1], 0, 0},
	} {
		slices.Sort(step.took)
		m := measured{What: during + step.what, Server: "storefront", Rate: float64(len(step.took)) / rushLength.Seconds(),
			P50: step.took[len(step.took)/2], P99: step.took[len(step.took)*99/100], Memory: memory}
		b.report.Measured = append(b.report.Measured, m)
		if step.gate > 0 {
			b.report.gateAtMost(m.What+", p99", "", float64(m.P99)/float64(time.Millisecond), step.gate, step.stretch, " ms")
		}
	}
	return b.stop(p)
}

// rush lets all buyers order. It returns the durations of their steps, and of the pages of others
// and the lists of staff.
func (b *bench) rush(ctx context.Context, p *process, wanted, key string) (got *rushFigures, others [2][]time.Duration, err error) {
	var product struct {
		ID string `json:"_id"`
	}
	if err := call(p.address, http.MethodGet, "/api/v1/products/handle/"+wanted, "", &product); err != nil {
		return nil, others, err
	}
	site := func(path string) request { return newRequest(uid+".localhost", http.MethodGet, path, nil, "") }
	got = new(rushFigures)
	start := time.Now()
	errs := make(chan error, rushBuyers+2)
	var wait sync.WaitGroup
	for i := range rushBuyers {
		body, err := guestOrder(product.ID, i)
		if err != nil {
			return nil, others, err
		}
		post := func(path string) request {
			return newRequest(p.address, http.MethodPost, path, map[string]string{"x-tenant": uid}, body)
		}
		buyer := [3]request{site("/products/" + wanted), post("/api/v1/orders/quote"), post("/api/v1/orders")}
		wait.Go(func() { errs <- got.buy(ctx, p, start.Add(time.Duration(i)*rushLength/rushBuyers), buyer) })
	}
	staff := newRequest(p.address, http.MethodGet, "/admin/v1/shops/"+uid+"/orders?limit=50", map[string]string{"Authorization": "Bearer " + key}, "")
	for i, other := range []load{
		{requests: []request{site("/"), site("/products/" + newProduct(1).handle), site("/collections/all")}, every: time.Second / 50},
		{requests: []request{staff}, every: time.Second / 10},
	} {
		wait.Go(func() {
			other.address, other.connections, other.want = p.address, 8, http.StatusOK
			took, _, err := other.durations(ctx, rushLength)
			others[i] = took
			errs <- err
		})
	}
	wait.Wait()
	close(errs)
	for e := range errs {
		err = errors.Join(err, e)
	}
	return got, others, err
}

// buy reads the page of the product, quotes and orders it. The page is due at a time, at which the
// buyer connects.
func (f *rushFigures) buy(ctx context.Context, p *process, due time.Time, requests [3]request) error {
	time.Sleep(time.Until(due))
	conn, err := dial(ctx, p.address, "", false)
	if err != nil {
		return err
	}
	defer conn.Close()
	responses := bufio.NewReader(conn)
	for i, r := range requests {
		if i > 0 {
			due = time.Now()
		}
		if _, err := conn.Write(r); err != nil {
			return err
		}
		status, _, err := readResponse(responses)
		if err != nil {
			return err
		}
		took := time.Since(due)
		f.mu.Lock()
		switch {
		case i == 0 && status == http.StatusOK:
			f.pages = append(f.pages, took)
		case i == 1 && (status == http.StatusOK || status == http.StatusConflict):
			f.quotes = append(f.quotes, took)
		case i == 2 && status == http.StatusCreated:
			f.placed = append(f.placed, took)
		case i == 2 && status == http.StatusConflict:
			f.refused = append(f.refused, took)
		default:
			err = fmt.Errorf("status %d for %q", status, firstLine(r))
		}
		f.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}
