package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	hostileProducts = 5000
	buyersPerSecond = 20 // requests of the buyer
	maxSlowdown     = 3  // of the buyer's p99 during an attack
	maxMemory       = 512 << 20
	// attackerAddress is another address than the buyer's, as limits count by address.
	attackerAddress = "127.0.0.66"
)

// attack is what one hostile client does until it is stopped, over connections of its own.
type attack struct {
	name        string
	connections int
	every       time.Duration // between requests, over all connections
	request     func(n int64) request
	unread      time.Duration // how long a connection stays open without reading the response
}

// attacks returns the attacks on a shop at an address.
func attacks(address string) []attack {
	inShop := map[string]string{"x-tenant": uid}
	forged := newRequest(address, http.MethodPost, "/courier/webhook/courier_a/"+uid, nil, strings.Repeat("x", 1<<20))
	return []attack{
		{
			name: "unauthenticated bodies of 1 MiB", connections: 1000, every: 2 * time.Millisecond,
			request: func(int64) request { return forged },
		}, {
			name: "readers of long lists who do not read", connections: 120, every: 10 * time.Millisecond, unread: time.Second,
			request: func(n int64) request {
				return newRequest(address, http.MethodGet, fmt.Sprintf("/api/v1/products?limit=-1&minPrice=%d", n), inShop, "")
			},
		}, {
			name: "GraphQL documents of 100 searches", connections: 8, every: 50 * time.Millisecond,
			request: func(n int64) request { return newRequest(address, http.MethodPost, graphqlPath, inShop, searches(n)) },
		}, {
			name: "registrations and sign-ins", connections: 60, every: time.Second / 120,
			request: func(n int64) request {
				if n%2 == 0 {
					body := fmt.Sprintf(`{"name":"Buyer","email":"a%d-%d@example.com","password":"correct horse battery"}`, time.Now().UnixNano(), n)
					return newRequest(address, http.MethodPost, "/api/v1/auth/register", inShop, body)
				}
				return newRequest(address, http.MethodPost, "/api/v1/auth/login", inShop, fmt.Sprintf(`{"user":"a%d@example.com","password":"a wrong one"}`, n))
			},
		},
	}
}

// searches returns a document of 100 searches, which no other n has.
func searches(n int64) string {
	var document strings.Builder
	document.WriteString("{")
	for i := range 100 {
		fmt.Fprintf(&document, `s%d:products(search:"lamp a%d b%d",limit:10){nodes{title}}`, i, n, i)
	}
	document.WriteString("}")
	body, err := json.Marshal(map[string]string{"query": document.String()})
	if err != nil {
		panic(err) // a string is always valid JSON
	}
	return string(body)
}

// run attacks until ctx ends. The server may refuse anything.
func (a attack) run(ctx context.Context, address string) {
	var wait sync.WaitGroup
	var next atomic.Int64
	start := time.Now()
	for range a.connections {
		wait.Go(func() {
			for {
				n := next.Add(1) - 1
				select {
				case <-time.After(time.Until(start.Add(time.Duration(n) * a.every))):
					a.once(ctx, address, n)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	wait.Wait()
}

// once sends one request over a connection of its own.
func (a attack) once(ctx context.Context, address string, n int64) {
	dialer := net.Dialer{Timeout: time.Second, LocalAddr: &net.TCPAddr{IP: net.ParseIP(attackerAddress)}}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if a.unread > 0 {
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) // the system's buffer would hold most of the response
	}
	if _, err := conn.Write(a.request(n)); err != nil {
		return
	}
	if a.unread > 0 {
		select {
		case <-time.After(a.unread):
		case <-ctx.Done():
		}
		return
	}
	_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	_, _ = io.ReadFull(conn, make([]byte, len("HTTP/1.1 200")))
}

// buyer returns the load of an honest buyer: lists and products, most of them prepared, a search and the
// price of a cart.
func (b *bench) buyer(p *process) (load, error) {
	orders, err := b.orders(p)
	if err != nil {
		return load{}, err
	}
	_, cart, _ := strings.Cut(string(orders[0]), "\r\n\r\n")
	return load{
		address: p.address, connections: 8, want: http.StatusOK, every: time.Second / buyersPerSecond,
		requests: []request{
			b.get(p, listPath), b.get(p, "/api/v1/products/handle/"+newProduct(7).handle), b.get(p, query("/api/v1/products", "search", "kettle")),
			b.get(p, listPath), newRequest(p.address, http.MethodPost, "/api/v1/orders/quote", map[string]string{"x-tenant": uid}, cart),
		},
	}, nil
}

// measureHostile compares the p99 of an honest buyer beside each attack with that alone, and watches the
// server's memory. The server has production settings, rate limits included.
func (b *bench) measureHostile(ctx context.Context) error {
	csvFile := filepath.Join(b.folder, "hostile.csv")
	if err := writeCatalogue(csvFile, hostileProducts); err != nil {
		return err
	}
	if err := createShop(b.binary, filepath.Join(b.folder, "data-hostile"), csvFile); err != nil {
		return err
	}
	p, err := b.startServer(ctx, "hostile", "data-hostile", nil)
	if err != nil {
		return err
	}
	buyer, err := b.buyer(p)
	if err != nil {
		return err
	}
	peak := watchMemory(ctx, p)
	results := hostileResults{during: map[string][]measured{}}
	length, rounds := 10*b.plan.length, min(b.plan.rounds, 3)
	for range rounds {
		alone, err := buyer.run(ctx, length)
		if err != nil {
			return err
		}
		results.alone = append(results.alone, measured{Rate: alone.perSecond(), P50: alone.P50, P99: alone.P99})
		for _, a := range attacks(p.address) {
			during, err := buyerDuring(ctx, buyer, a, length)
			if err != nil {
				return fmt.Errorf("buyer during %s: %w", a.name, err)
			}
			memory, err := p.memory()
			if err != nil {
				return err
			}
			results.during[a.name] = append(results.during[a.name], measured{Rate: during.perSecond(), P50: during.P50, P99: during.P99, Memory: memory})
		}
	}
	if results.peak, err = peak(); err != nil {
		return err
	}
	for _, a := range attacks(p.address) {
		results.names = append(results.names, a.name)
	}
	results.report(&b.report)
	return b.stop(p)
}

func buyerDuring(ctx context.Context, buyer load, a attack, length time.Duration) (result, error) {
	attacking, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.run(attacking, buyer.address)
	}()
	during, err := buyer.run(ctx, length)
	stop()
	<-ended
	return during, err
}

// watchMemory samples the memory of a server until peak is called, which returns the highest sample.
func watchMemory(ctx context.Context, p *process) (peak func() (int, error)) {
	ctx, stop := context.WithCancel(ctx)
	var highest int
	var failed error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			memory, err := p.memory()
			highest, failed = max(highest, memory), errors.Join(failed, err)
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() (int, error) {
		stop()
		<-ended
		return highest, failed
	}
}

// hostileResults are the buyer's results alone and by attack, one per round, and the server's highest
// memory in bytes.
type hostileResults struct {
	names  []string // of the attacks, in order
	alone  []measured
	during map[string][]measured
	peak   int
}

// report adds the results with their gates: the median p99 during each attack, divided by that alone.
func (h hostileResults) report(r *report) {
	alone := medianByP99(h.alone)
	alone.What, alone.Server = "honest buyer", "storefront"
	r.Measured = append(r.Measured, alone)
	for _, name := range h.names {
		during := medianByP99(h.during[name])
		during.What, during.Server = "honest buyer beside "+name, "storefront"
		r.Measured = append(r.Measured, during)
		r.gateAtMost("buyer's p99 beside "+name, "alone", during.P99.Seconds()/alone.P99.Seconds(), maxSlowdown, 1.5, " ×")
	}
	r.gateAtMost("memory during all attacks", "", float64(h.peak)/(1<<20), maxMemory>>20, maxMemory>>21, " MiB")
}
