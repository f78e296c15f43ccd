package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// adminGates are the gates of the most frequent reads of staff in a shop of 100,000 orders, by the
// name of the benchmark: the p99 in milliseconds. Benchmarks without a gate of their own are lists
// of 50 orders.
var adminGates = map[string]float64{"last_page": 60, "counts": 10, "one_order": 10, "summary": 30}

// salesGates are the gates of reports of a year in such a shop, by the name of the benchmark: the
// median in milliseconds.
var salesGates = map[string]float64{"overview": 30, "product": 30, "a_day_stale/product": 60}

// listGate is the gate of lists of orders with their total and of searches.
const listGate = 50

// measureAdmin measures, with the benchmarks of the domain, the most frequent reads of staff in a
// shop of 100,000 orders, and reports of a year's sales in it.
func (b *bench) measureAdmin(ctx context.Context) error {
	times := "500x"
	if b.plan.short {
		times = "100x"
	}
	err := b.benchmarkShop(ctx, "ListOrderRows", times, "100,000 orders", adminGates, func(f shopFigures) {
		bound, ok := adminGates[f.name]
		if !ok {
			bound = listGate
		}
		b.report.gateAtMost("100,000 orders: "+f.title()+", p99", "", f.p99, bound, bound/2, " ms")
	})
	if err != nil {
		return err
	}
	return b.benchmarkShop(ctx, "ReportSales", times, "sales of a year", salesGates, func(f shopFigures) {
		if bound, ok := salesGates[f.name]; ok {
			b.report.gateAtMost("sales of a year: "+f.title()+", p50", "", f.p50, bound, bound/2, " ms")
		}
	})
}

// shopFigures are the results of a benchmark of the domain, in milliseconds. p99 is 0 if it reports
// none.
type shopFigures struct {
	name                string
	processor, p50, p99 float64
}

func (f shopFigures) title() string { return strings.ReplaceAll(f.name, "_", " ") }

// benchmarkShop runs a benchmark of the domain, adds its figures to the report, and calls gate with
// each. Those that gates names must be among them.
func (b *bench) benchmarkShop(
	ctx context.Context, name, times, what string, gates map[string]float64, gate func(shopFigures),
) error {
	all, err := goBench(ctx, "./shop", "^Benchmark"+name+"$", times)
	if err != nil {
		return err
	}
	found := 0
	for _, one := range all {
		_, title, _ := strings.Cut(one.name, "/")
		figures := one.figures
		f := shopFigures{name: title, processor: figures["cpu-ms"], p50: figures["p50-ms"], p99: figures["p99-ms"]}
		milliseconds := func(figure float64) time.Duration {
			return time.Duration(figure * float64(time.Millisecond))
		}
		b.report.Measured = append(b.report.Measured, measured{
			What: what + ": " + f.title(), Server: "storefront",
			P50: milliseconds(f.p50), P99: milliseconds(f.p99), Processor: milliseconds(f.processor),
		})
		if _, ok := gates[f.name]; ok {
			found++
		}
		gate(f)
	}
	if found != len(gates) {
		return fmt.Errorf("the benchmark %s has %d of %d figures", name, found, len(gates))
	}
	return nil
}
