package tenants

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop"
)

// shopState is the state of one shop between two checks.
type shopState struct {
	ModTime time.Time `json:"touched,omitzero"` // modification time at the last check; zero means to check again
	Due     time.Time `json:"due,omitzero"`     // by Config.Now; zero means that nothing is due
	// Announce is Due of the announcing jobs.
	Announce time.Time `json:"announce,omitzero"`
}

// savedState is the content of backgroundFile.
type savedState struct {
	Jobs   []string             `json:"jobs"`   // names of the executed jobs; with other jobs the state is invalid
	Schema int                  `json:"schema"` // after an upgrade every shop is opened, and thereby migrated
	Shops  map[db.ID]*shopState `json:"shops"`
}

func jobNames() []string {
	var names []string
	for _, w := range shop.BackgroundWork() {
		names = append(names, w.Name)
	}
	return names
}

// finish saves the state for the next start.
func (b *background) finish() {
	if !b.started {
		return // the state is incomplete
	}
	if err := b.saveState(); err != nil {
		b.log.Error("background state not saved", "error", err)
	}
}

// loadState loads the state that an earlier process saved.
func (b *background) loadState() {
	text, err := os.ReadFile(b.file())
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var state savedState
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	if err != nil {
		b.log.Warn("background state unreadable, checking all shops", "error", err)
		return
	}
	if !slices.Equal(state.Jobs, jobNames()) || state.Schema != b.tenants.schema.version() {
		return // saved by another version
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, w := range state.Shops {
		if w != nil {
			b.watched[id] = w
		}
	}
	b.checkSooner()
}

func (b *background) file() string { return filepath.Join(b.tenants.dir, backgroundFile) }

// saveState saves the state. Losing it costs one check of every shop. Shops with running jobs are
// checked by the next process.
func (b *background) saveState() error {
	b.mu.Lock()
	shops := make(map[db.ID]*shopState, len(b.watched))
	for id, w := range b.watched {
		if b.waiting[id] || b.running[id] || b.announcing[id] {
			w = &shopState{Due: w.Due, Announce: w.Announce}
		}
		shops[id] = w
	}
	text, err := json.Marshal(savedState{jobNames(), b.tenants.schema.version(), shops})
	b.mu.Unlock()
	if err != nil {
		return fmt.Errorf("save background state: %w", err)
	}
	next := b.file() + ".next"
	if err = os.WriteFile(next, text, 0o600); err == nil {
		err = os.Rename(next, b.file())
	}
	if err != nil {
		return fmt.Errorf("save background state: %w", err)
	}
	return nil
}
