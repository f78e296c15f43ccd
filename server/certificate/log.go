package certificate

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"go.uber.org/zap/zapcore"
)

// zapCore writes certmagic's log to a slog handler. Its info lines become debug lines: [Manager]
// itself logs the events for operators.
type zapCore struct {
	handler slog.Handler
}

var levels = map[zapcore.Level]slog.Level{
	zapcore.DebugLevel: slog.LevelDebug - 4,
	zapcore.InfoLevel:  slog.LevelDebug,
	zapcore.WarnLevel:  slog.LevelWarn,
}

func slogLevel(level zapcore.Level) slog.Level {
	if ours, ok := levels[level]; ok {
		return ours
	}
	return slog.LevelWarn // a failure is retried: it is not final yet
}

// Enabled reports whether the handler logs a level.
func (z zapCore) Enabled(level zapcore.Level) bool {
	return z.handler.Enabled(context.Background(), slogLevel(level))
}

// With returns a core that adds fields to each entry.
func (z zapCore) With(fields []zapcore.Field) zapcore.Core {
	return zapCore{z.handler.WithAttrs(attributes(fields))}
}

// Check adds the core to an entry if the handler logs its level.
func (z zapCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if z.Enabled(entry.Level) {
		return checked.AddCore(entry, z)
	}
	return checked
}

// Write writes an entry to the handler.
func (z zapCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	record := slog.NewRecord(entry.Time, slogLevel(entry.Level), "certificates: "+entry.Message, 0)
	record.AddAttrs(attributes(fields)...)
	return z.handler.Handle(context.Background(), record)
}

// Sync does nothing: the handler does not buffer.
func (z zapCore) Sync() error { return nil }

// secretFields are the fields with values that only the authority and the server may see.
var secretFields = []string{
	"account",
	"key",
	"key_authorization",
	"keyAuth",
	"token",
	"private_key",
}

func attributes(fields []zapcore.Field) []slog.Attr {
	encoded := zapcore.NewMapObjectEncoder()
	for _, field := range fields {
		if !slices.Contains(secretFields, field.Key) {
			field.AddTo(encoded)
		}
	}
	attrs := make([]slog.Attr, 0, len(encoded.Fields))
	for _, name := range slices.Sorted(maps.Keys(encoded.Fields)) {
		attrs = append(attrs, slog.Any(name, encoded.Fields[name]))
	}
	return attrs
}
