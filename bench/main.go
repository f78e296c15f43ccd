// Command bench compares a shop served by the real program with the least that a Go server can do
// and with PocketBase, on one machine, by one load, in turn. Run it in its folder:
//
//	go run . [-short] [-keep]
//
// It prints a table with the ratios that are the project's gates, and writes them to result.json
// and chart.svg. Only ratios within one run mean anything: see README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"
)

// plan says how long and how often each thing is measured.
type plan struct {
	length time.Duration // of one load
	rounds int           // how often each server has its turn
	short  bool
}

func main() {
	log.SetFlags(0)
	short := flag.Bool("short", false, "end within two minutes, with less certainty")
	keep := flag.Bool("keep", false, "keep the folder with the servers' data and logs")
	only := flag.String("only", "", "groups to measure, such as reads,orders: "+strings.Join(groupNames(), ", "))
	flag.Parse()
	chosen, err := choose(*only)
	if err != nil {
		log.Fatal("bench: ", err)
	}
	p := plan{length: time.Second, rounds: 15}
	if *short {
		p = plan{length: 600 * time.Millisecond, rounds: 3, short: true}
	}
	// The load leaves one processor to the server, like wrk with one thread.
	runtime.GOMAXPROCS(1)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, p, *keep, chosen); err != nil {
		log.Fatal("bench: ", err)
	}
}

// group is measured as one.
type group struct {
	name    string
	measure func(*bench, context.Context) error
}

var groups = []group{
	{"reads", (*bench).measureReads}, {"misses", (*bench).measureMisses}, {"orders", (*bench).measureOrders},
	{"logins", (*bench).measureLogins}, {"disk", (*bench).measureSlowDisk}, {"files", (*bench).measureFiles},
}

func groupNames() (names []string) {
	for _, g := range groups {
		names = append(names, g.name)
	}
	return names
}

// choose gives the groups with these names, all when there are none.
func choose(names string) (chosen []group, err error) {
	if names == "" {
		return groups, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		at := slices.IndexFunc(groups, func(g group) bool { return g.name == name })
		if at < 0 {
			return nil, fmt.Errorf("there is no group %q, but %s", name, strings.Join(groupNames(), ", "))
		}
		chosen = append(chosen, groups[at])
	}
	return chosen, nil
}

func run(ctx context.Context, p plan, keep bool, chosen []group) (err error) {
	folder, err := os.MkdirTemp("", "storefront-bench-")
	if err != nil {
		return err
	}
	if keep {
		fmt.Println("data and logs:", folder)
	} else {
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	}
	b := newBench(folder, p)
	if err := b.build(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.stopAll()) }()
	if err := b.start(ctx); err != nil {
		return err
	}
	for _, group := range chosen {
		fmt.Fprintln(os.Stderr, "measuring", group.name)
		if err := group.measure(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", group.name, err)
		}
	}
	b.report.print(os.Stdout)
	if len(chosen) < len(groups) {
		return nil
	}
	return b.report.save()
}
