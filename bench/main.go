// Command bench compares a shop served by the real program with a minimal Go server and with
// PocketBase, in turn, on one machine and with the same load. Run it in its folder:
//
//	go run . [-short] [-keep]
//
// It prints the results with the ratios that are the project's gates, and writes them to
// result.json, result.md and chart.svg. Only ratios within one run are comparable: see README.md.
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

// plan is the duration and the number of measurements.
type plan struct {
	length time.Duration // of one measurement
	rounds int           // measurements per server
	short  bool
}

func main() {
	log.SetFlags(0)
	short := flag.Bool("short", false, "finish within two minutes, with less accuracy")
	keep := flag.Bool("keep", false, "do not remove the servers' data and logs")
	only := flag.String("only", "", "comma-separated groups to measure, of "+strings.Join(groupNames(), ", "))
	save := flag.Bool("save", false, "with -only, replace the figures of these groups in the last full run's")
	attackName := flag.String("attack", "", "the name of an attack, which a run of the group hostile starts")
	address := flag.String("address", "", "the address that is attacked")
	flag.Parse()
	chosen, err := chooseGroups(*only)
	if err != nil {
		log.Fatal("bench: ", err)
	}
	p := plan{length: time.Second, rounds: 15}
	if *short {
		p = plan{length: 600 * time.Millisecond, rounds: 3, short: true}
	}
	// The load generator leaves one processor to the server, like wrk with one thread.
	runtime.GOMAXPROCS(1)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *attackName != "" {
		if err := runAttack(ctx, *attackName, *address); err != nil {
			log.Fatal("bench: ", err)
		}
		return
	}
	if err := run(ctx, p, *keep, *save, chosen); err != nil {
		log.Fatal("bench: ", err)
	}
}

// group is a set of measurements that run together.
type group struct {
	name    string
	measure func(*bench, context.Context) error
	alone   bool // needs none of the servers that are started for all groups
}

var groups = []group{
	{name: "reads", measure: (*bench).measureReads}, {name: "misses", measure: (*bench).measureMisses},
	{name: "orders", measure: (*bench).measureOrders}, {name: "logins", measure: (*bench).measureLogins},
	{name: "disk", measure: (*bench).measureSlowDisk}, {name: "files", measure: (*bench).measureFiles},
	{name: "search", measure: (*bench).measureSearch, alone: true}, {name: "hostile", measure: (*bench).measureHostile, alone: true},
	{name: "admin", measure: (*bench).measureAdmin, alone: true}, {name: "photo", measure: (*bench).measurePhoto, alone: true},
	{name: "engines", measure: (*bench).measureEngines, alone: true}, {name: "outbox", measure: (*bench).measureOutbox, alone: true},
	{name: "rush", measure: (*bench).measureRush, alone: true}, {name: "site", measure: (*bench).measureSite, alone: true},
	{name: "browser", measure: (*bench).measureBrowser, alone: true},
}

func groupNames() (names []string) {
	for _, g := range groups {
		names = append(names, g.name)
	}
	return names
}

// chooseGroups returns the groups with the given comma-separated names. An empty string means all.
func chooseGroups(names string) (chosen []group, err error) {
	if names == "" {
		return groups, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		at := slices.IndexFunc(groups, func(g group) bool { return g.name == name })
		if at < 0 {
			return nil, fmt.Errorf("unknown group %q, must be one of %s", name, strings.Join(groupNames(), ", "))
		}
		chosen = append(chosen, groups[at])
	}
	return chosen, nil
}

func run(ctx context.Context, p plan, keep, save bool, chosen []group) (err error) {
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
	compared := slices.ContainsFunc(chosen, func(g group) bool { return !g.alone })
	if err := b.build(ctx, compared); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.stopAll()) }()
	if compared {
		if err := b.start(ctx); err != nil {
			return err
		}
	}
	for _, group := range chosen {
		fmt.Fprintln(os.Stderr, "measuring", group.name)
		if err := group.measure(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", group.name, err)
		}
	}
	b.report.Day, b.report.Machine = time.Now().UTC().Format(time.DateOnly), machine()
	b.report.print(os.Stdout)
	if len(chosen) == len(groups) {
		return b.report.save()
	}
	if !save {
		return nil
	}
	return b.report.saveInto(chosen)
}
