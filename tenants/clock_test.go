package tenants

import (
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestClockWatch(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	c := &clockWatch{log: slog.New(slog.NewTextHandler(&said, nil))}
	wall, running := time.Now(), time.Duration(0)
	pass := func(byClock time.Duration) string {
		said.Reset()
		wall, running = wall.Add(byClock), running+backgroundPause
		c.check(wall, running)
		return said.String()
	}
	for _, ordinary := range []time.Duration{0, backgroundPause, backgroundPause + 2*time.Second, backgroundPause} {
		if log := pass(ordinary); log != "" {
			t.Errorf("%s by the clock: %s", ordinary, log)
		}
	}
	for _, jump := range []time.Duration{time.Hour, -time.Hour} {
		if log := pass(backgroundPause + jump); !strings.Contains(log, "NTP") || !strings.Contains(log, "by="+jump.String()) {
			t.Errorf("a jump by %s: %q", jump, log)
		}
		if log := pass(backgroundPause); log != "" {
			t.Errorf("told twice: %s", log)
		}
	}
}
