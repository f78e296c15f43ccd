package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	hostileProducts = 20_000
	buyersPerSecond = 50 // requests of the buyer
	maxSlowdown     = 3  // of the buyer's p99 during an attack
	maxMemory       = 512 << 20
)

// buyer returns the load of an honest buyer: lists and products, most of them prepared, a search
// and the price of a cart.
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

// measureHostile compares the p99 of an honest buyer beside each attack with that alone, and
// watches the server's memory. The server has production settings, rate limits included. As a
// control, the same attacks go to a minimal server that refuses them: what the buyer waits then is
// the attacker's share of the machine. The floods of HTTP/2 go to a server with TLS.
func (b *bench) measureHostile(ctx context.Context) error {
	const folder = "data-hostile"
	data, err := b.newShop("hostile", hostileProducts)
	if err != nil {
		return err
	}
	key, err := createKey(ctx, b.binary, data)
	if err != nil {
		return err
	}
	p, err := b.startServer(ctx, "hostile", folder, nil)
	if err != nil {
		return err
	}
	control, err := b.startMinimal(ctx, "control", "/small=1024")
	if err != nil {
		return err
	}
	buyer, err := b.buyer(p)
	if err != nil {
		return err
	}
	plain := slices.Concat(readerAttacks(p.address), staffAttacks(p.address, key))
	if err := b.measureAttacks(ctx, hostileResults{server: p, control: control}, buyer, plain, key); err != nil {
		return err
	}
	if err := errors.Join(b.stop(control), b.stop(p)); err != nil {
		return err
	}
	if p, control, err = b.startSecure(ctx, folder); err != nil {
		return err
	}
	buyer.address, buyer.secure = p.address, true // the products have the same IDs
	if err := b.measureAttacks(ctx, hostileResults{server: p, control: control, over: " over TLS"}, buyer, floods, key); err != nil {
		return err
	}
	return errors.Join(b.stop(control), b.stop(p))
}

// measureAttacks measures the buyer alone and beside each attack, and reports the results.
func (b *bench) measureAttacks(ctx context.Context, results hostileResults, buyer load, attacks []attack, key string) error {
	peak := watchMemory(ctx, results.server)
	results.during, results.controls = map[string][]measured{}, map[string][]measured{}
	for _, a := range attacks {
		results.names = append(results.names, a.name)
	}
	length := 5 * b.plan.length
	for range min(b.plan.rounds, 5) {
		alone, err := buyer.run(ctx, length)
		if err != nil {
			return err
		}
		results.alone = append(results.alone, measured{Rate: alone.perSecond(), P50: alone.P50, P99: alone.P99})
		for _, name := range results.names {
			during, err := buyerDuring(ctx, buyer, name, results.control.address, key, length)
			if err != nil {
				return fmt.Errorf("control of %s: %w", name, err)
			}
			results.controls[name] = append(results.controls[name], during)
			if during, err = buyerDuring(ctx, buyer, name, results.server.address, key, length); err != nil {
				return fmt.Errorf("buyer during %s: %w", name, err)
			}
			if during.Memory, err = results.server.memory(); err != nil {
				return err
			}
			results.during[name] = append(results.during[name], during)
		}
	}
	var err error
	if results.peak, err = peak(); err != nil {
		return err
	}
	results.report(&b.report)
	return nil
}

// buyerDuring measures the buyer beside an attack on an address.
func buyerDuring(ctx context.Context, buyer load, name, address, key string, length time.Duration) (measured, error) {
	attacker, err := startAttack(name, address, key)
	if err != nil {
		return measured{}, err
	}
	during, err := buyer.run(ctx, length)
	rate, failed := attacker.stop()
	return measured{Rate: during.perSecond(), P50: during.P50, P99: during.P99, Attacks: rate}, errors.Join(err, failed)
}

// watchMemory samples the memory of a server until peak is called, which returns the highest
// sample.
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

// hostileResults are the buyer's results alone and by attack, one per round, and the server's
// highest memory in bytes.
type hostileResults struct {
	server, control *process
	over            string // how the buyer is connected

	names    []string // of the attacks, in order
	alone    []measured
	during   map[string][]measured
	controls map[string][]measured // beside the same attack on another server
	peak     int
}

// report adds the results with their gates: the p99 during each attack, divided by that alone in
// the same round; the median over all rounds.
func (h hostileResults) report(r *report) {
	add := func(what string, rounds []measured) {
		m := medianByP99(rounds)
		m.What, m.Server = what, "storefront"
		r.Measured = append(r.Measured, m)
	}
	add("honest buyer"+h.over, h.alone)
	for _, name := range h.names {
		add("honest buyer"+h.over+" beside "+name, h.during[name])
		add("control: "+name+", elsewhere", h.controls[name])
		slowdown, control := slowdown(h.during[name], h.alone), slowdown(h.controls[name], h.alone)
		r.gateAtMost("buyer's p99 beside "+name, "alone", slowdown, maxSlowdown, 1.5, " ×")
		r.note(fmt.Sprintf("Control: the buyer's p99 is %.2f × beside %s at another server. "+
			"%.0f a second reached this one, %.0f that.", control, name, medianByP99(h.during[name]).Attacks, medianByP99(h.controls[name]).Attacks))
	}
	r.gateAtMost("memory during all attacks"+h.over, "", float64(h.peak)/(1<<20), maxMemory>>20, maxMemory>>21, " MiB")
}

// slowdown returns the median over all rounds of the p99 divided by that alone.
func slowdown(during, alone []measured) float64 {
	var ratios []float64
	for i, m := range during {
		ratios = append(ratios, m.P99.Seconds()/alone[i].P99.Seconds())
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}
