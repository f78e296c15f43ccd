package metrics

import (
	"bytes"
	"strconv"
	"strings"
)

// Writer writes the response to one scrape. All samples of a name must be written in succession.
type Writer struct {
	text bytes.Buffer
	last string // name of the last HELP
}

// Gauge writes a value that can go up and down. labels are pairs of name and value.
func (w *Writer) Gauge(name, help string, value float64, labels ...string) {
	w.head(name, help, "gauge")
	w.sample(name, value, labels)
}

// Counter writes a value that only grows while the process runs. Its name ends in _total.
func (w *Writer) Counter(name, help string, value float64, labels ...string) {
	w.head(name, help, "counter")
	w.sample(name, value, labels)
}

func (w *Writer) histogram(name, help string, h *histogram, labels ...string) {
	w.head(name, help, "histogram")
	labels = append(labels[:len(labels):len(labels)], "le", "")
	var count uint64
	for i := range h.counts {
		count += h.counts[i].Load()
		bound := "+Inf"
		if i < len(h.bounds) {
			bound = number(h.bounds[i])
		}
		labels[len(labels)-1] = bound
		w.sample(name+"_bucket", float64(count), labels)
	}
	labels = labels[:len(labels)-2]
	w.sample(name+"_sum", float64(h.sum.Load())*h.scale, labels)
	w.sample(name+"_count", float64(count), labels)
}

func (w *Writer) head(name, help, kind string) {
	if name == w.last {
		return
	}
	w.last = name
	w.text.WriteString("# HELP " + name + " " + escaper.Replace(help) + "\n# TYPE " + name + " " + kind + "\n")
}

// escaper escapes the characters that would end a label's value or a line.
var escaper = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

func (w *Writer) sample(name string, value float64, labels []string) {
	w.text.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		w.text.WriteByte(separator)
		w.text.WriteString(labels[i] + `="` + escaper.Replace(labels[i+1]) + `"`)
	}
	if len(labels) > 0 {
		w.text.WriteByte('}')
	}
	w.text.WriteString(" " + number(value) + "\n")
}

func number(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }
