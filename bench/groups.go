package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// measureReads compares prepared responses with the minimal server's.
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

// measureMisses compares uncached responses with PocketBase's.
func (b *bench) measureMisses(ctx context.Context) error {
	got, err := b.compare(ctx, "list of 20, uncached",
		contestant{name: "storefront", process: b.uncached, requests: []request{b.get(b.uncached, listPath)}},
		contestant{name: "PocketBase", process: b.peer, requests: []request{b.get(b.peer, peerList)}})
	if err != nil {
		return err
	}
	b.report.gate("list of 20 with total, uncached", "PocketBase", got.ratio("storefront", "PocketBase"), 4, 8)

	handles := make([]string, productCount)
	for i := range handles {
		handles[i] = newProduct(i).handle
	}
	ids, err := peerIDs(b.peer.address)
	if err != nil {
		return err
	}
	got, err = b.compare(ctx, "one product, uncached",
		contestant{name: "storefront", process: b.uncached, requests: requests(handles, func(h string) request {
			return b.get(b.uncached, "/api/v1/products/handle/"+h)
		})},
		contestant{name: "PocketBase", process: b.peer, requests: requests(ids, func(id string) request {
			return b.get(b.peer, "/api/collections/products/records/"+id)
		})})
	if err != nil {
		return err
	}
	b.report.gate("one product, uncached", "PocketBase", got.ratio("storefront", "PocketBase"), 4, 6)

	words := []string{"lamp", "panjabi", "saree", "kettle", "shawl"}
	got, err = b.compare(ctx, "search, uncached",
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
	b.report.gate("search, uncached", "PocketBase", got.ratio("storefront", "PocketBase"), 4, 8)

	_, err = b.compare(ctx, "GraphQL list, uncached", contestant{name: "storefront", process: b.uncached, requests: []request{b.graphql(b.uncached)}})
	return err
}

// peerIDs returns PocketBase's IDs of the products.
func peerIDs(address string) ([]string, error) {
	var page struct {
		Items []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	if err := call(address, http.MethodGet, "/api/collections/products/records?perPage=1000&fields=id", "", &page); err != nil {
		return nil, err
	}
	ids := []string{}
	for _, item := range page.Items {
		ids = append(ids, item.ID)
	}
	return ids, nil
}

// listed is a product of a list.
type listed struct {
	ID     string `json:"_id"`
	Handle string `json:"handle"`
}

// products returns the first 100 products of a shop.
func (b *bench) products(p *process) ([]listed, error) {
	var list struct {
		Nodes []listed `json:"nodes"`
	}
	err := call(p.address, http.MethodGet, "/api/v1/products?limit=100", "", &list)
	return list.Nodes, err
}

// orders returns requests for guests' orders of one product each, cash on delivery.
func (b *bench) orders(p *process) (orders []request, err error) {
	products, err := b.products(p)
	if err != nil {
		return nil, err
	}
	for i, product := range products {
		body, err := guestOrder(product.ID, i)
		if err != nil {
			return nil, err
		}
		header := map[string]string{"x-tenant": uid}
		orders = append(orders, newRequest(p.address, http.MethodPost, "/api/v1/orders", header, body))
	}
	return orders, nil
}

// orderGates are the gates for orders compared with single rows of the peer.
var orderGates = []struct {
	buyers        int
	gate, stretch float64
}{{16, 2.5, 3.5}, {64, 3.5, 5}}

const peerRow = "PocketBase FULL, one row"

// insertRow returns a contestant in which each buyer inserts one row into the peer's orders.
func insertRow(peer *process, buyers int) contestant {
	row := newRequest(peer.address, http.MethodPost, "/api/collections/orders/records", nil,
		`{"name":"Rahima Khatun","phone":"+8801711000000","address":"House 12, Road 5, Dhanmondi","city":"Dhaka","total":58000,`+
			`"items":[{"product":"lamp-0001","quantity":1}]}`)
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
			insertRow(b.peerFull, n.buyers))
		if err != nil {
			return err
		}
		b.report.gate(what, peerRow, got.ratio("storefront, whole order", peerRow), n.gate, n.stretch)
	}
	return b.noteOrderCost(ctx)
}

// noteOrderCost notes what an order of three lines costs the database, by the test that limits it.
func (b *bench) noteOrderCost(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-v", "-run", "^TestPlaceOrder_Cost$", "./shop/order")
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	costs := regexp.MustCompile(`\w+ an order: .*`).FindAllString(string(out), -1)
	b.report.note("Cost of an order of three lines, and of counting it later, one of a hundred: " + strings.Join(costs, "; ") + ".")
	return nil
}

// measureSlowDisk compares many concurrent buyers with one, and with the peer, on a disk whose
// fsync takes 2 ms longer. Disks of small servers are at least as slow.
func (b *bench) measureSlowDisk(ctx context.Context) error {
	strace, err := exec.LookPath("strace")
	if err != nil {
		b.report.note("orders on a slow disk: not measured, strace is not installed")
		return nil
	}
	under := []string{strace, "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null",
		"-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:delay_exit=2000"}
	p, err := b.startShop(ctx, "slow", "data-slow", under)
	if err != nil {
		return err
	}
	peer, err := b.startPeer(ctx, "peer-slow", os.DevNull, under, "PEER_FULL=1")
	if err != nil {
		return err
	}
	for _, server := range []*process{p, peer} {
		if err := server.useChild(); err != nil {
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
	got, err := b.compare(ctx, what, buyers(1), buyers(16), buyers(64), insertRow(peer, 16))
	if err != nil {
		return err
	}
	if err := errors.Join(b.stop(p), b.stop(peer)); err != nil {
		return err
	}
	for _, n := range orderGates { // the peer commits each row separately
		b.report.gate(fmt.Sprintf("%s, %d buyers", what, n.buyers), peerRow, got.ratio(buyers(n.buyers).name, peerRow), n.gate, n.stretch)
	}
	alone := buyers(1).name
	b.report.gate("orders of 16 buyers, fsync + 2 ms", "one buyer", got.ratio(buyers(16).name, alone), 4, 6)
	b.report.gate("orders of 64 buyers, fsync + 2 ms", "one buyer", got.ratio(buyers(64).name, alone), 9, 12)
	return nil
}

// measureLogins compares the p99 of the catalogue during eight concurrent logins with that without.
func (b *bench) measureLogins(ctx context.Context) error {
	const logins, perSecond = 8, 500
	signIns := []request{}
	for i := range logins {
		var account struct{}
		phone := fmt.Sprintf("01811-%06d", i)
		if err := call(b.shop.address, http.MethodPost, "/api/v1/auth/register",
			fmt.Sprintf(`{"name":"Buyer","phoneNumber":%q,"password":"correct horse battery"}`, phone), &account); err != nil {
			return err
		}
		signIns = append(signIns, newRequest(b.shop.address, http.MethodPost, "/api/v1/auth/login", map[string]string{"x-tenant": uid},
			fmt.Sprintf(`{"user":%q,"password":"correct horse battery"}`, phone)))
	}
	catalogue := load{
		address: b.shop.address, requests: []request{b.get(b.shop, listPath)}, connections: 32, want: http.StatusOK, every: time.Second / perSecond,
	}
	var quiet, during []measured
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
		during = append(during, measured{Rate: both.perSecond(), P50: both.P50, P99: both.P99})
	}
	calm, busy := medianByP99(quiet), medianByP99(during)
	calm.What, calm.Server = "list at 500/s", "storefront"
	busy.What, busy.Server = "list at 500/s during 8 logins", "storefront"
	b.report.Measured = append(b.report.Measured, calm, busy)
	b.report.gateAtMost("catalogue p99 during 8 logins", "without logins", busy.P99.Seconds()/calm.P99.Seconds(), 10, 4, " ×")
	return nil
}

// measureFiles measures a shop's file with the program's own benchmarks, and the program's start.
func (b *bench) measureFiles(ctx context.Context) error {
	all, err := goBench(ctx, "./tenants", "^Benchmark(Create|Open)Shop$", "1000x")
	if err != nil {
		return err
	}
	b.report.gateAtMost("open a shop's file, p99", "", figureOf(all, "OpenShop", "p99-ms"), 6, 4, " ms")
	b.report.gateAtMost("create a shop, p99", "", figureOf(all, "CreateShop", "p99-ms"), 4, 2, " ms")

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
	started := medianByP99(starts)
	b.report.gateAtMost("start to first response", "", float64(started.P99)/float64(time.Millisecond), 50, 20, " ms")
	b.report.gateAtMost("memory after start", "", float64(started.Memory)/(1<<20), 30, 18, " MiB")
	info, err := os.Stat(b.binary)
	if err != nil {
		return err
	}
	b.report.gateAtMost("stripped binary", "", float64(info.Size())/1e6, 25, 18, " MB")
	return nil
}
