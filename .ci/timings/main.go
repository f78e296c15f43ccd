// Command timings reads the output of go test -json. It prints what go test prints without -json,
// and appends the seconds of each test to a file:
//
//	go test -json ./... | go run ./.ci/timings FILE
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

func main() {
	times, err := os.OpenFile(os.Args[1], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		err = copyEvents(os.Stdin, os.Stdout, times)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "timings:", err)
		os.Exit(1)
	}
}

// copyEvents writes the output of packages and of failed tests to out, and the seconds of all
// top-level tests to times. The output of a test that does not end, as after a panic, follows when
// its package fails.
func copyEvents(in io.Reader, out, times io.Writer) error {
	held := map[string]map[string]*strings.Builder{} // output by package and test
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if len(line) > 0 && json.Unmarshal(line, &e) != nil {
			fmt.Fprintf(out, "%s", line) // output of the go command itself
			continue
		}
		switch {
		case e.Action == "build-output" || e.Action == "output" && e.Test == "":
			if e.Output != "PASS\n" {
				fmt.Fprint(out, e.Output)
			}
		case e.Action == "output":
			hold(held, e)
		case e.Action == "fail" && e.Test == "":
			for _, text := range held[e.Package] {
				fmt.Fprint(out, text)
			}
			delete(held, e.Package)
		case e.Action == "fail" || e.Action == "pass" || e.Action == "skip":
			if text := held[e.Package][e.Test]; text != nil && e.Action == "fail" {
				fmt.Fprint(out, text)
			}
			delete(held[e.Package], e.Test)
			if e.Test != "" && !strings.Contains(e.Test, "/") {
				fmt.Fprintf(times, "%7.1f s  %s %s\n", e.Elapsed, e.Package, e.Test)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func hold(held map[string]map[string]*strings.Builder, e event) {
	if held[e.Package] == nil {
		held[e.Package] = map[string]*strings.Builder{}
	}
	if held[e.Package][e.Test] == nil {
		held[e.Package][e.Test] = &strings.Builder{}
	}
	held[e.Package][e.Test].WriteString(e.Output)
}
