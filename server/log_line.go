package server

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"
)

// requestLine is what the log says of a request. No text but the fault is a client's own: the id has
// letters and digits, and a method or route is one that we know.
type requestLine struct {
	time      time.Time
	level     slog.Level
	requestID string
	method    string
	route     string
	status    int
	duration  time.Duration
	bytes     int64
	tenant    string // "": none was found
	cause     string // "": none
}

func (l *requestLine) write(to slog.Handler) {
	if !to.Enabled(context.Background(), l.level) {
		return
	}
	if fast, ok := to.(*JSONLog); ok && l.cause == "" {
		var line [384]byte
		_, _ = fast.out.Write(l.appendJSON(line[:0], &fast.second))
		return
	}
	_ = to.Handle(context.Background(), l.record()) // a log that can not be written stops nothing
}

// record gives the line for any handler.
func (l *requestLine) record() slog.Record {
	record := slog.NewRecord(l.time, l.level, "request", 0)
	record.AddAttrs(
		slog.String("requestId", l.requestID),
		slog.String("method", l.method),
		slog.String("route", l.route),
		slog.Int("status", l.status),
		slog.Float64("durationMs", l.milliseconds()),
		slog.Int64("bytes", l.bytes),
	)
	if l.tenant != "" {
		record.AddAttrs(slog.String("tenant", l.tenant))
	}
	if l.cause != "" {
		record.AddAttrs(slog.String("error", l.cause))
	}
	return record
}

// appendJSON writes a line without a fault, byte for byte as slog's handler does: nothing in it
// needs to be escaped.
func (l *requestLine) appendJSON(b []byte, second *timestampCache) []byte {
	b = append(b, `{"time":"`...)
	b = second.appendTime(b, l.time)
	b = appendText(append(b, '"'), "level", l.level.String())
	b = append(b, `,"msg":"request"`...)
	b = appendText(b, "requestId", l.requestID)
	b = appendText(b, "method", l.method)
	b = appendText(b, "route", l.route)
	b = strconv.AppendInt(append(b, `,"status":`...), int64(l.status), 10)
	b = strconv.AppendFloat(append(b, `,"durationMs":`...), l.milliseconds(), 'f', -1, 64)
	b = strconv.AppendInt(append(b, `,"bytes":`...), l.bytes, 10)
	if l.tenant != "" {
		b = appendText(b, "tenant", l.tenant)
	}
	return append(b, "}\n"...)
}

// appendText writes a member whose value needs no escape.
func appendText(b []byte, name, value string) []byte {
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":"`...)
	b = append(b, value...)
	return append(b, '"')
}

func (l *requestLine) milliseconds() float64 { return float64(l.duration.Microseconds()) / 1000 }

// JSONLog is slog's handler for JSON, with a short way for the line of a request that went well:
// putting a record together and apart again takes longer than finding a prepared answer.
type JSONLog struct {
	*slog.JSONHandler
	out    *LogWriter
	second timestampCache
}

// NewJSONLog gives a handler that writes to a log.
func NewJSONLog(to *LogWriter) *JSONLog {
	return &JSONLog{JSONHandler: slog.NewJSONHandler(to, nil), out: to}
}

// timestampCache keeps how the present second is written: at thousands of lines a second, finding its
// date anew would be half of a line's cost.
type timestampCache struct{ last atomic.Pointer[cachedSecond] }

type cachedSecond struct {
	unix   int64
	zone   *time.Location
	before string // the fraction of a second
	after  string // the offset from UTC
}

// appendTime writes a time as time.RFC3339Nano does.
func (s *timestampCache) appendTime(b []byte, t time.Time) []byte {
	w := s.last.Load()
	if w == nil || w.unix != t.Unix() || w.zone != t.Location() {
		text := t.Truncate(time.Second).Format(time.RFC3339)
		const date = len("2006-01-02T15:04:05")
		w = &cachedSecond{unix: t.Unix(), zone: t.Location(), before: text[:date], after: text[date:]}
		s.last.Store(w)
	}
	b = append(b, w.before...)
	if n := t.Nanosecond(); n != 0 {
		digits := len(b) + 1
		b = append(b, ".000000000"...)
		for i := len(b) - 1; i >= digits; i-- {
			b[i] += byte(n % 10)
			n /= 10
		}
		b = bytes.TrimRight(b, "0")
	}
	return append(b, w.after...)
}
