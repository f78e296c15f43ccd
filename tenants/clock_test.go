package tenants

import (
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestClockWatch(t *testing.T) {
	t.Parallel()
	var logged strings.Builder
	c := &clockWatch{log: slog.New(slog.NewTextHandler(&logged, nil))}
	wall, running := time.Now(), time.Duration(0)
	advance := func(byClock time.Duration) string {
		logged.Reset()
		wall, running = wall.Add(byClock), running+backgroundPause
		c.check(wall, running)
		return logged.String()
	}
	for _, ordinary := range []time.Duration{0, backgroundPause, backgroundPause + 2*time.Second, backgroundPause} {
		if log := advance(ordinary); log != "" {
			t.Errorf("%s by the clock: got log %s, want none", ordinary, log)
		}
	}
	for _, jump := range []time.Duration{time.Hour, -time.Hour} {
		if log := advance(backgroundPause + jump); !strings.Contains(log, "NTP") || !strings.Contains(log, "by="+jump.String()) {
			t.Errorf("jump by %s: got log %q", jump, log)
		}
		if log := advance(backgroundPause); log != "" {
			t.Errorf("after a jump by %s: got log %s, want none", jump, log)
		}
	}
}
