package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// measureReads compares answers that the shop has prepared with a bare server's.
func (b *bench) measureReads(ctx context.Context) error {
	got, err := b.compare(ctx, "list of 20, prepared",
		contestant{name: "storefront", process: b.shop, requests: []request{b.get(b.shop, listPath)}},
		contestant{name: "limit", process: b.limit, requests: []request{b.get(b.limit, "/list")}},
		contestant{name: "PocketBase", process: b.peer, requests: []request{b.get(b.peer, peerList)}})
	if err != nil {
		return err
	}
	b.report.gate("list of 20, prepared", "limit", got.ratio("storefront", "limit"), 0.75, 0.90)

	etag, err := etagOf(b.shop.address, listPath)
	if err != nil {
		return err
	}
	known := newRequest(b.shop.address, http.MethodGet, listPath, map[string]string{"x-tenant": uid, "If-None-Match": etag}, "")
	got, err = b.compare(ctx, "304",
		contestant{name: "storefront", process: b.shop, requests: []request{known}, want: http.StatusNotModified},
		contestant{name: "limit, 1 KB", process: b.limit, requests: []request{b.get(b.limit, "/small")}})
	if err != nil {
		return err
	}
	b.report.gate("304", "limit, 1 KB", got.ratio("storefront", "limit, 1 KB"), 0.80, 0.95)

	got, err = b.compare(ctx, "GraphQL list, prepared",
		contestant{name: "storefront", process: b.shop, requests: []request{b.graphql(b.shop)}},
		contestant{name: "limit", process: b.limit, requests: []request{newRequest(b.limit.address, http.MethodPost, "/graphql", nil, graphqlBody)}})
	if err != nil {
		return err
	}
	b.report.gate("GraphQL list, prepared", "limit", got.ratio("storefront", "limit"), 0.60, 0.75)
	return nil
}

// measureMisses compares answers that have to be made with PocketBase's.
func (b *bench) measureMisses(ctx context.Context) error {
	got, err := b.compare(ctx, "list of 20, made",
		contestant{name: "storefront", process: b.uncached, requests: []request{b.get(b.uncached, listPath)}},
		contestant{name: "PocketBase", process: b.peer, requests: []request{b.get(b.peer, peerList)}})
	if err != nil {
		return err
	}
	b.report.gate("list of 20 with total, made", "PocketBase", got.ratio("storefront", "PocketBase"), 4, 8)

	handles := make([]string, productCount)
	for i := range handles {
		handles[i] = newProduct(i).handle
	}
	ids, err := peerIDs(b.peer.address)
	if err != nil {
		return err
	}
	got, err = b.compare(ctx, "one product, made",
		contestant{name: "storefront", process: b.uncached, requests: requests(handles, func(h string) request { return b.get(b.uncached, "/api/v1/products/handle/"+h) })},
		contestant{name: "PocketBase", process: b.peer, requests: requests(ids, func(id string) request { return b.get(b.peer, "/api/collections/products/records/"+id) })})
	if err != nil {
		return err
	}
	b.report.gate("one product, made", "PocketBase", got.ratio("storefront", "PocketBase"), 4, 6)

	words := []string{"lamp", "panjabi", "saree", "kettle", "shawl"}
	got, err = b.compare(ctx, "search, made",
		contestant{name: "storefront", process: b.uncached, requests: requests(words, func(w string) request {
			return b.get(b.uncached, query("/api/v1/products", "limit", "20", "search", w))
		})},
		contestant{name: "PocketBase", process: b.peer, requests: requests(words, func(w string) request {
			filter := fmt.Sprintf("(title~'%s'||description~'%s')", w, w)
			return b.get(b.peer, query("/api/collections/products/records", "perPage", "20", "filter", filter))
		})})
	if err != nil {
		return err
	}
	b.report.gate("search, made", "PocketBase", got.ratio("storefront", "PocketBase"), 4, 8)

	_, err = b.compare(ctx, "GraphQL list, made", contestant{name: "storefront", process: b.uncached, requests: []request{b.graphql(b.uncached)}})
	return err
}

// peerIDs are PocketBase's ids of the products.
func peerIDs(address string) ([]string, error) {
	var page struct {
		Items []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	if err := ask(address, http.MethodGet, "/api/collections/products/records?perPage=1000&fields=id", "", &page); err != nil {
		return nil, err
	}
	ids := []string{}
	for _, item := range page.Items {
		ids = append(ids, item.ID)
	}
	return ids, nil
}

// orders are guests' orders of one product each, cash on delivery.
func (b *bench) orders(p *process) ([]request, error) {
	var list struct {
		Nodes []struct {
			ID       string `json:"_id"`
			Variants []struct {
				ID string `json:"_id"`
			} `json:"variants"`
		} `json:"nodes"`
	}
	if err := ask(p.address, http.MethodGet, "/api/v1/products?limit=100", "", &list); err != nil {
		return nil, err
	}
	orders := []request{}
	for i, product := range list.Nodes {
		body, err := json.Marshal(map[string]any{
			"items":           []map[string]any{{"productId": product.ID, "variantId": product.Variants[0].ID, "quantity": 1}},
			"customer":        map[string]string{"name": "Rahima Khatun", "phoneNumber": fmt.Sprintf("01711-%06d", i)},
			"shippingAddress": map[string]string{"line1": "House 12, Road 5", "area": "Dhanmondi", "city": "Dhaka"},
		})
		if err != nil {
			return nil, err
		}
		orders = append(orders, newRequest(p.address, http.MethodPost, "/api/v1/orders", map[string]string{"x-tenant": uid}, string(body)))
	}
	return orders, nil
}

// orderGates are the bounds of a whole order beside a row of the peer's.
var orderGates = []struct {
	buyers        int
	gate, stretch float64
}{{16, 2.5, 3.5}, {64, 3.5, 5}}

const peerRow = "PocketBase FULL, one row"

// rowOf are buyers who add one row each to the peer's orders.
func rowOf(peer *process, buyers int) contestant {
	row := newRequest(peer.address, http.MethodPost, "/api/collections/orders/records", nil,
		`{"name":"Rahima Khatun","phone":"+8801711000000","address":"House 12, Road 5, Dhanmondi","city":"Dhaka","total":58000,"items":[{"product":"lamp-0001","quantity":1}]}`)
	return contestant{name: peerRow, process: peer, requests: []request{row}, connections: buyers}
}

func (b *bench) measureOrders(ctx context.Context) error {
	orders, err := b.orders(b.shop)
	if err != nil {
		return err
	}
	for _, n := range orderGates {
		what := fmt.Sprintf("order, %d buyers", n.buyers)
		got, err := b.compare(ctx, what,
			contestant{name: "storefront, whole order", process: b.shop, requests: orders, want: http.StatusCreated, connections: n.buyers},
			rowOf(b.peerFull, n.buyers))
		if err != nil {
			return err
		}
		b.report.gate(what, peerRow, got.ratio("storefront, whole order", peerRow), n.gate, n.stretch)
	}
	return nil
}

// measureSlowDisk compares buyers together with one alone, and with the peer's, on a disk whose every
// fsync takes 2 ms more: those of small servers are like that, and slower.
func (b *bench) measureSlowDisk(ctx context.Context) error {
	strace, err := exec.LookPath("strace")
	if err != nil {
		b.report.note("orders on a slow disk: not measured, since strace is not installed")
		return nil
	}
	under := []string{strace, "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:delay_exit=2000"}
	p, err := b.startShop(ctx, "slow", "data-slow", under)
	if err != nil {
		return err
	}
	peer, err := b.startPeer(ctx, "peer-slow", os.DevNull, under, "PEER_FULL=1")
	if err != nil {
		return err
	}
	for _, server := range []*process{p, peer} {
		if err := server.child(); err != nil {
			return err
		}
	}
	orders, err := b.orders(p)
	if err != nil {
		return err
	}
	buyers := func(n int) contestant {
		return contestant{name: fmt.Sprintf("storefront, %d buyers", n), process: p, requests: orders, want: http.StatusCreated, connections: n}
	}
	const what = "order, fsync + 2 ms"
	got, err := b.compare(ctx, what, buyers(1), buyers(16), buyers(64), rowOf(peer, 16))
	if err != nil {
		return err
	}
	if err := errors.Join(b.stop(p), b.stop(peer)); err != nil {
		return err
	}
	for _, n := range orderGates { // the peer commits row by row, however many wait
		b.report.gate(fmt.Sprintf("%s, %d buyers", what, n.buyers), peerRow, got.ratio(buyers(n.buyers).name, peerRow), n.gate, n.stretch)
	}
	alone := buyers(1).name
	b.report.gate("orders of 16 buyers, fsync + 2 ms", "one after another", got.ratio(buyers(16).name, alone), 4, 6)
	b.report.gate("orders of 64 buyers, fsync + 2 ms", "one after another", got.ratio(buyers(64).name, alone), 9, 12)
	return nil
}

// measureLogins compares the catalogue's slowest answers beside eight logins with those without.
func (b *bench) measureLogins(ctx context.Context) error {
	const logins, perSecond = 8, 500
	signIns := []request{}
	for i := range logins {
		var account struct{}
		phone := fmt.Sprintf("01811-%06d", i)
		if err := ask(b.shop.address, http.MethodPost, "/api/v1/auth/register",
			fmt.Sprintf(`{"name":"Buyer","phoneNumber":%q,"password":"correct horse battery"}`, phone), &account); err != nil {
			return err
		}
		signIns = append(signIns, newRequest(b.shop.address, http.MethodPost, "/api/v1/auth/login", map[string]string{"x-tenant": uid},
			fmt.Sprintf(`{"user":%q,"password":"correct horse battery"}`, phone)))
	}
	catalogue := load{address: b.shop.address, requests: []request{b.get(b.shop, listPath)}, connections: 32, want: http.StatusOK, every: time.Second / perSecond}
	var quiet, beside []measured
	for range b.plan.rounds {
		alone, err := catalogue.run(ctx, 2*b.plan.length)
		if err != nil {
			return err
		}
		quiet = append(quiet, measured{Rate: alone.perSecond(), P50: alone.P50, P99: alone.P99})
		flood, stop := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() {
			_, err := load{address: b.shop.address, requests: signIns, connections: logins, want: http.StatusOK}.run(flood, time.Hour)
			ended <- err
		}()
		both, err := catalogue.run(ctx, 2*b.plan.length)
		stop()
		if flooded := <-ended; err == nil && !errors.Is(flooded, context.Canceled) {
			err = flooded
		}
		if err != nil {
			return err
		}
		beside = append(beside, measured{Rate: both.perSecond(), P50: both.P50, P99: both.P99})
	}
	calm, busy := middleP99(quiet), middleP99(beside)
	calm.What, calm.Server = "list at 500/s", "storefront"
	busy.What, busy.Server = "list at 500/s beside 8 logins", "storefront"
	b.report.Measured = append(b.report.Measured, calm, busy)
	b.report.ceiling("catalogue's p99 beside 8 logins", "without", busy.P99.Seconds()/calm.P99.Seconds(), 10, 4, " ×")
	return nil
}

var benchmarkMetric = regexp.MustCompile(`(?m)^Benchmark(Create|Open)Shop\S*\s.*?([\d.]+) p99-ms`)

// measureFiles measures a shop's file by the program's own benchmarks, and what a start costs.
func (b *bench) measureFiles(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^Benchmark(Create|Open)Shop$", "-benchtime", "1000x", "./tenants")
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	found := map[string]float64{}
	for _, m := range benchmarkMetric.FindAllSubmatch(out, -1) {
		if found[string(m[1])], err = strconv.ParseFloat(string(m[2]), 64); err != nil {
			return err
		}
	}
	if len(found) != 2 {
		return fmt.Errorf("benchmarks of a shop's file gave no figures: %s", out)
	}
	b.report.ceiling("open a shop's file, p99", "", found["Open"], 6, 4, " ms")
	b.report.ceiling("make a shop, p99", "", found["Create"], 4, 2, " ms")

	starts := []measured{}
	for range b.plan.rounds {
		p, err := b.startShop(ctx, "start", "data-slow", nil)
		if err != nil {
			return err
		}
		memory, err := p.memory()
		if err != nil {
			return err
		}
		starts = append(starts, measured{P99: p.started, Memory: memory})
		if err := b.stop(p); err != nil {
			return err
		}
	}
	started := middleP99(starts)
	b.report.ceiling("start to the first answer", "", float64(started.P99)/float64(time.Millisecond), 50, 20, " ms")
	b.report.ceiling("memory after the start", "", float64(started.Memory)/(1<<20), 30, 18, " MiB")
	info, err := os.Stat(b.binary)
	if err != nil {
		return err
	}
	b.report.ceiling("stripped binary", "", float64(info.Size())/1e6, 25, 18, " MB")
	return nil
}
