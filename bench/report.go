package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// measured is the result of one server in one comparison: the median of several rounds.
type measured struct {
	What      string        `json:"what"`
	Server    string        `json:"server"`
	Rate      float64       `json:"requestsPerSecond"`
	P50       time.Duration `json:"p50Ns"`
	P99       time.Duration `json:"p99Ns"`
	Processor time.Duration `json:"processorPerRequestNs"`
	Memory    int           `json:"memoryBytes"`
	Bytes     int           `json:"bodyBytes"`
	Attacks   float64       `json:"attacksPerSecond,omitempty"`
}

// medianByP99 returns the median result.
func medianByP99(list []measured) measured {
	list = slices.SortedFunc(slices.Values(list), func(x, y measured) int { return cmp.Compare(x.P99, y.P99) })
	return list[len(list)/2]
}

// gate is a figure with its target.
type gate struct {
	What     string  `json:"what"`
	Baseline string  `json:"baseline"` // the compared server; "" if the figure is not a ratio
	Value    float64 `json:"value"`
	Unit     string  `json:"unit"`
	Gate     float64 `json:"gate"`
	Stretch  float64 `json:"stretch"`
	AtMost   bool    `json:"atMost"` // if set, lower is better
}

func (g gate) reaches(bound float64) bool {
	if g.AtMost {
		return g.Value <= bound
	}
	return g.Value >= bound
}

func (g gate) verdict() string {
	switch {
	case g.reaches(g.Stretch):
		return "stretch"
	case g.reaches(g.Gate):
		return "gate"
	}
	return "MISSED"
}

// report is the result of one run.
type report struct {
	Day      string     `json:"day"`
	Machine  string     `json:"machine"`
	Measured []measured `json:"measured"`
	Gates    []gate     `json:"gates"`
	Notes    []string   `json:"notes,omitempty"`
}

func (r *report) gate(what, baseline string, value, bound, stretch float64) {
	r.Gates = append(r.Gates, gate{What: what, Baseline: baseline, Value: value, Unit: " ×", Gate: bound, Stretch: stretch})
}

func (r *report) gateAtMost(what, baseline string, value, bound, stretch float64, unit string) {
	r.Gates = append(r.Gates, gate{What: what, Baseline: baseline, Value: value, Unit: unit, Gate: bound, Stretch: stretch, AtMost: true})
}

func (r *report) note(text string) { r.Notes = append(r.Notes, text) }

// print writes the tables as Markdown.
func (r *report) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s, %s\n\n", r.Day, r.Machine)
	table := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| what\t| server\t| req/s\t| p50 ms\t| p99 ms\t| CPU µs\t| RSS MiB\t| bytes\t|")
	fmt.Fprintln(table, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	for _, m := range r.Measured {
		fmt.Fprintf(table, "| %s\t| %s\t| %.0f\t| %s\t| %s\t| %d\t| %d\t| %d\t|\n",
			m.What, m.Server, m.Rate, milliseconds(m.P50), milliseconds(m.P99), m.Processor.Microseconds(), m.Memory>>20, m.Bytes)
	}
	_ = table.Flush()
	fmt.Fprintln(w)
	table = tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| what\t| compared with\t| measured\t| gate\t| stretch\t| reached\t|")
	fmt.Fprintln(table, "|---\t|---\t|---\t|---\t|---\t|---\t|")
	for _, g := range r.Gates {
		fmt.Fprintf(table, "| %s\t| %s\t| %.2f%s\t| %g\t| %g\t| %s\t|\n", g.What, g.Baseline, g.Value, g.Unit, g.Gate, g.Stretch, g.verdict())
	}
	_ = table.Flush()
	for _, note := range r.Notes {
		fmt.Fprintln(w, "\n"+note)
	}
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f", float64(d)/float64(time.Millisecond))
}

func machine() string {
	model := "unknown processor"
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, after, ok := bytes.Cut(data, []byte("model name")); ok {
			line, _, _ := strings.Cut(string(after), "\n")
			model = strings.TrimSpace(strings.TrimLeft(line, "\t :"))
		}
	}
	version, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		version = []byte(runtime.Version())
	}
	return fmt.Sprintf("%d × %s, %s, %s", runtime.NumCPU(), model, runtime.GOOS, strings.TrimSpace(string(version)))
}

// saveInto replaces the figures of some groups in the results of the last full run.
func (r *report) saveInto(chosen []group) error {
	data, err := os.ReadFile("result.json")
	if err != nil {
		return err
	}
	var full report
	if err := json.Unmarshal(data, &full); err != nil {
		return fmt.Errorf("result.json: %w", err)
	}
	for _, m := range r.Measured {
		full.Measured = slices.DeleteFunc(full.Measured, func(old measured) bool { return old.What == m.What && old.Server == m.Server })
	}
	for _, g := range r.Gates {
		full.Gates = slices.DeleteFunc(full.Gates, func(old gate) bool { return old.What == g.What && old.Baseline == g.Baseline })
	}
	full.Measured, full.Gates = append(full.Measured, r.Measured...), append(full.Gates, r.Gates...)
	for _, g := range chosen {
		begin := "The group " + g.name + " was measured later, on "
		full.Notes = slices.DeleteFunc(full.Notes, func(note string) bool { return strings.HasPrefix(note, begin) })
		full.note(begin + r.Day + ".")
	}
	for _, text := range r.Notes {
		if !slices.Contains(full.Notes, text) {
			full.note(text)
		}
	}
	return full.save()
}

// save writes result.json, result.md and chart.svg.
func (r *report) save() error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile("result.json", append(data, '\n'), 0o644); err != nil {
		return err
	}
	var page bytes.Buffer
	page.WriteString("# The last full run\n")
	r.print(&page)
	page.WriteString("\nThe first visit to the dashboard is measured in a browser, by protocol and form of its files: see README.md.\n")
	if err := os.WriteFile("result.md", page.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile("chart.svg", r.chart(), 0o644)
}
