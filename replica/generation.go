package replica

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"storefront/db"
)

// generationTime is the layout of the time in a generation's name. Names sort by time.
const generationTime = "20060102T150405.000Z"

func newGeneration(now time.Time) string {
	var suffix [4]byte
	rand.Read(suffix[:])
	return now.UTC().Format(generationTime) + "-" + hex.EncodeToString(suffix[:])
}

// generationStart parses the start time in a generation's name.
func generationStart(name string) (time.Time, error) {
	at, _, ok := strings.Cut(name, "-")
	if !ok {
		return time.Time{}, fmt.Errorf("parse generation %q: no time", name)
	}
	return time.Parse(generationTime, at)
}

// generation is one history of a tenant's file on the target.
type generation struct {
	name  string
	began time.Time
}

// generations returns a tenant's generations, the oldest first.
func (t *Target) generations(ctx context.Context, id db.ID) ([]generation, error) {
	names, err := t.place.list(ctx, string(id))
	if err != nil {
		return nil, err
	}
	var found []generation
	for _, name := range names {
		if began, err := generationStart(name); err == nil {
			found = append(found, generation{name, began})
		}
	}
	return found, nil
}

// prune deletes the generations that are not needed to restore any moment after oldest, because a
// later one had replaced them by then.
func (t *Target) prune(ctx context.Context, id db.ID, oldest time.Time) error {
	all, err := t.generations(ctx, id)
	if err != nil {
		return err
	}
	for i := 0; i+1 < len(all) && all[i+1].began.Before(oldest); i++ {
		if err := t.place.client(string(id) + "/" + all[i].name).DeleteAll(ctx); err != nil {
			return fmt.Errorf("delete generation %s: %w", all[i].name, err)
		}
	}
	return nil
}
