package server

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"
)

// requestLine is the log line of a request. Only cause may contain text of a client: the request ID
// has letters, digits and ".-_", method and route are known ones, and client is an address or a
// hash.
type requestLine struct {
	time      time.Time
	level     slog.Level
	requestID string
	method    string
	route     string
	status    int
	duration  time.Duration
	bytes     int64
	client    string // empty if unknown or not to be logged
	tenant    string // empty if no tenant was found
	actor     string // ID of the staff member or the API key; empty outside the Admin API
	sampled   int    // number of cached responses represented by this line; 0 for a line of its own
	cause     string // empty for a success
	// suppressed is the number of refused requests of the same client without a line.
	suppressed uint64
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
	_ = to.Handle(context.Background(), l.record()) // logging errors are ignored
}

// record returns the line as a record for any handler.
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
	if l.client != "" {
		record.AddAttrs(slog.String("client", l.client))
	}
	if l.tenant != "" {
		record.AddAttrs(slog.String("tenant", l.tenant))
	}
	if l.actor != "" {
		record.AddAttrs(slog.String("actor", l.actor))
	}
	if l.sampled > 0 {
		record.AddAttrs(slog.Int("sampled", l.sampled))
	}
	if l.suppressed > 0 {
		record.AddAttrs(slog.Uint64("suppressed", l.suppressed))
	}
	if l.cause != "" {
		record.AddAttrs(slog.String("error", l.cause))
	}
	return record
}

// appendJSON appends a line without a cause, byte for byte as slog's handler would. No part of the
// line needs escaping.
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
	if l.client != "" {
		b = appendText(b, "client", l.client)
	}
	if l.tenant != "" {
		b = appendText(b, "tenant", l.tenant)
	}
	if l.actor != "" {
		b = appendText(b, "actor", l.actor)
	}
	if l.sampled > 0 {
		b = strconv.AppendInt(append(b, `,"sampled":`...), int64(l.sampled), 10)
	}
	if l.suppressed > 0 {
		b = strconv.AppendUint(append(b, `,"suppressed":`...), l.suppressed, 10)
	}
	return append(b, "}\n"...)
}

// appendText appends a member with a value that needs no escaping.
func appendText(b []byte, name, value string) []byte {
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":"`...)
	b = append(b, value...)
	return append(b, '"')
}

func (l *requestLine) milliseconds() float64 { return float64(l.duration.Microseconds()) / 1000 }

// JSONLog is slog's JSON handler with a fast path for the line of a successful request: building a
// record and encoding it takes longer than serving a cached response.
type JSONLog struct {
	*slog.JSONHandler
	out    *LogWriter
	second timestampCache
}

// NewJSONLog returns a handler that writes lines of a level or higher to w. A nil level means
// [slog.LevelInfo].
func NewJSONLog(w *LogWriter, level slog.Leveler) *JSONLog {
	return &JSONLog{JSONHandler: slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}), out: w}
}

// timestampCache stores the text of the current second: at thousands of lines a second, formatting
// the date would be half of a line's cost.
type timestampCache struct{ last atomic.Pointer[cachedSecond] }

type cachedSecond struct {
	unix   int64
	zone   *time.Location
	before string // up to the fraction of a second
	after  string // the offset from UTC
}

// appendTime appends a time in the format time.RFC3339Nano.
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
