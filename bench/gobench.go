package main

import (
	"context"
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"
)

// benchmark is the result of a benchmark of the program's own.
type benchmark struct {
	name    string             // as in Site_Page/rendered
	figures map[string]float64 // by unit, as in ns/op
}

// goBench runs benchmarks of a package of the program, and returns their results in order.
func goBench(ctx context.Context, folder, pattern, times string) (all []benchmark, err error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$",
		"-bench", pattern, "-benchtime", times, "-timeout", "1h", folder)
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(fields[0], "Benchmark")
		if at := strings.LastIndexByte(name, '-'); at > 0 { // the number of processors
			name = name[:at]
		}
		found := benchmark{name, map[string]float64{}}
		for i := 2; i+1 < len(fields); i += 2 {
			if found.figures[fields[i+1]], err = strconv.ParseFloat(fields[i], 64); err != nil {
				return nil, fmt.Errorf("benchmark %s: %w", name, err)
			}
		}
		all = append(all, found)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the benchmark %s has no figures: %s", pattern, out)
	}
	return all, nil
}

// figureOf returns a figure of a benchmark, and infinity if it has none, which cannot be saved.
func figureOf(all []benchmark, name, unit string) float64 {
	for _, one := range all {
		if value, ok := one.figures[unit]; ok && one.name == name {
			return value
		}
	}
	return math.Inf(1)
}
