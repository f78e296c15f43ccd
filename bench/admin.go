package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// adminGates are the gates of what staff read in a shop of 100,000 orders, by the name of the
// benchmark: the p99 in milliseconds. Those without one of their own are lists of 50 orders.
var adminGates = map[string]float64{"last_page": 60, "counts": 10, "one_order": 10, "summary": 30}

// salesGates are the gates of reports of a year in such a shop, by the name of the benchmark: the
// median in milliseconds.
var salesGates = map[string]float64{"overview": 30, "product": 30, "a_day_stale/product": 60}

// listGate is the gate of lists of orders with their total and of searches.
const listGate = 50

var adminMetric = regexp.MustCompile(`(?m)^BenchmarkListOrderRows/(\S+?)(?:-\d+)?\s.*?([\d.]+) cpu-ms\s+([\d.]+) p50-ms\s.*?([\d.]+) p99-ms`)

// measureAdmin measures with the program's own benchmark what staff read most, in a shop of 100,000
// orders.
func (b *bench) measureAdmin(ctx context.Context) error {
	times := "500x"
	if b.plan.short {
		times = "100x"
	}
	out, err := benchmarkShop(ctx, "^BenchmarkListOrderRows$", times)
	if err != nil {
		return err
	}
	found := 0
	for _, m := range adminMetric.FindAllStringSubmatch(string(out), -1) {
		var figures [3]float64
		for i := range figures {
			if figures[i], err = strconv.ParseFloat(m[i+2], 64); err != nil {
				return err
			}
		}
		used, p50, p99 := figures[0], figures[1], figures[2]
		what := "100,000 orders: " + strings.ReplaceAll(m[1], "_", " ")
		milliseconds := func(figure float64) time.Duration { return time.Duration(figure * float64(time.Millisecond)) }
		b.report.Measured = append(b.report.Measured, measured{
			What: what, Server: "storefront", P50: milliseconds(p50), P99: milliseconds(p99), Processor: milliseconds(used),
		})
		bound, ok := adminGates[m[1]]
		if !ok {
			bound = listGate
		}
		if ok {
			found++
		}
		b.report.gateAtMost(what+", p99", "", p99, bound, bound/2, " ms")
	}
	if found != len(adminGates) {
		return fmt.Errorf("the benchmark of orders has no figures: %s", out)
	}
	return b.measureSales(ctx, times)
}

var salesMetric = regexp.MustCompile(`(?m)^BenchmarkReportSales/(\S+?)(?:-\d+)?\s.*?([\d.]+) cpu-ms\s+([\d.]+) p50-ms`)

// measureSales measures reports of a year's sales in a shop of 100,000 orders of 10,000 products.
func (b *bench) measureSales(ctx context.Context, times string) error {
	out, err := benchmarkShop(ctx, "^BenchmarkReportSales$", times)
	if err != nil {
		return err
	}
	found := 0
	for _, m := range salesMetric.FindAllStringSubmatch(string(out), -1) {
		var figures [2]float64
		for i := range figures {
			if figures[i], err = strconv.ParseFloat(m[i+2], 64); err != nil {
				return err
			}
		}
		what := "sales of a year: " + strings.ReplaceAll(m[1], "_", " ")
		milliseconds := func(figure float64) time.Duration { return time.Duration(figure * float64(time.Millisecond)) }
		b.report.Measured = append(b.report.Measured, measured{
			What: what, Server: "storefront", P50: milliseconds(figures[1]), Processor: milliseconds(figures[0]),
		})
		if bound, ok := salesGates[m[1]]; ok {
			found++
			b.report.gateAtMost(what+", p50", "", figures[1], bound, bound/2, " ms")
		}
	}
	if found != len(salesGates) {
		return fmt.Errorf("the benchmark of sales has no figures: %s", out)
	}
	return nil
}

// benchmarkShop runs a benchmark of the domain and returns its output.
func benchmarkShop(ctx context.Context, name, times string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", name, "-benchtime", times, "-timeout", "1h", "./shop")
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return out, nil
}
