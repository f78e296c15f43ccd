package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"strconv"
	"testing"
)

var update = flag.Bool("update", false, "write chart.svg from result.json")

// The committed chart is that of the committed results, and its bars have one scale.
func TestChart_Committed(t *testing.T) {
	text, err := os.ReadFile("result.json")
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	got := r.chart()
	if *update {
		if err := os.WriteFile("chart.svg", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile("chart.svg"); err != nil || string(want) != string(got) {
		t.Errorf("chart.svg is not that of result.json (%v): run go test . -run Chart -update", err)
	}
	var bars []float64
	var rates []float64
	decoder := xml.NewDecoder(bytes.NewReader(got))
	isNumber := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			attributes := map[string]string{}
			for _, a := range token.Attr {
				attributes[a.Name.Local] = a.Value
			}
			if x, err := strconv.ParseFloat(attributes["x"], 64); err == nil && x < 0 || attributes["text-anchor"] != "" {
				t.Errorf("a label may be cut off: %v", attributes)
			}
			if token.Name.Local == "rect" && attributes["x"] == "0" {
				length, err := strconv.ParseFloat(attributes["width"], 64)
				if err != nil {
					t.Fatal(err)
				}
				bars, isNumber = append(bars, length), true
			}
		case xml.CharData:
			if rate, err := strconv.ParseFloat(string(token), 64); err == nil && isNumber {
				rates, isNumber = append(rates, rate), false
			}
		}
	}
	if len(bars) != 2*len(chartRows) || len(rates) != len(bars) {
		t.Fatalf("got %d bars and %d numbers, want two for each of %d rows", len(bars), len(rates), len(chartRows))
	}
	for i, bar := range bars {
		if ratio := bar / bars[0] * rates[0] / rates[i]; ratio < 0.98 || ratio > 1.02 {
			t.Errorf("bar %d: got length %.1f for %.0f requests per second, want the scale of the first", i, bar, rates[i])
		}
	}
}
