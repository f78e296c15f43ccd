package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"storefront/db"
	"storefront/db/sqlite"
	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/plan"
	"storefront/shop/plugin"
)

// indexFile in the data folder stores the shops' domains, names and states, so that a start and a
// list of all shops open only files that were written later. It can be deleted: the settings are
// authoritative.
const indexFile = "shops.json"

// indexReaders is the number of shops that are read concurrently.
const indexReaders = 4

// shopIndex is the index of all shops' domains, names and states. A shop's settings are read again
// when any process changes its file, as seen by the modification time.
type shopIndex struct {
	tenants *Tenants
	log     *slog.Logger
	owners  atomic.Pointer[map[string]DomainOwner] // nil before the first refresh
	only    atomic.Pointer[db.ID]                  // the only shop; nil if there is none or another

	mu    sync.Mutex // held during refresh
	shops map[db.ID]*indexedShop
	saved time.Time // time of the last write of indexFile

	createdMu sync.Mutex
	created   map[db.ID]createdShop // by this process since the last refresh
}

// createdShop is a new shop. Its file need not be read unless it was written later.
type createdShop struct {
	entry *indexedShop
	at    time.Time // after its file was written
}

// indexedShop is a shop as of the last refresh.
type indexedShop struct {
	ModTime   time.Time   `json:"touched,omitzero"` // modification time before the file was read; zero means to read it again
	Domains   []string    `json:"domains,omitempty"`
	Confirmed []string    `json:"confirmed,omitempty"` // see Settings.ConfirmedDomains
	Suspended bool        `json:"suspended,omitempty"`
	Held      bool        `json:"held,omitempty"` // suspended by the operator
	DeleteAt  time.Time   `json:"deleteAt,omitzero"`
	Name      string      `json:"name"`
	Currency  string      `json:"currency"`
	Country   string      `json:"country"`
	Mode      plugin.Mode `json:"mode"`
	Plan      string      `json:"plan,omitempty"` // "" means none
	// PlanRevision is the revision of the plan's limits that the shop has.
	PlanRevision int64  `json:"planRevision,omitempty"`
	Defaults     string `json:"defaults,omitempty"` // hash of the installation's defaults that the shop has
	// PlanPercent is as of [shop.Shop.PlanPercent], until the end of the month.
	PlanPercent int       `json:"planPercent,omitempty"`
	PlanUntil   time.Time `json:"planUntil,omitzero"`
	// Activity is as of the last write.
	Activity shop.Activity `json:"activity,omitzero"`
	unread   error         // the reason why the file could not be read, which was logged; nil if it was read
}

func newShopIndex(t *Tenants, log *slog.Logger) *shopIndex {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &shopIndex{tenants: t, log: log}
}

// maxUnsaved limits the new shops that a process may omit from indexFile; the next process reads
// them.
const maxUnsaved = 8

// close saves the index if it lacks many shops that this process has created. Otherwise the next
// list would open each of them.
func (x *shopIndex) close(ctx context.Context) {
	x.createdMu.Lock()
	few := len(x.created) <= maxUnsaved
	x.createdMu.Unlock()
	if few {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	_, _, err := x.findModified(ctx)
	if err == nil {
		err = x.save()
	}
	if err != nil {
		x.log.Debug("index of shops not saved", "error", err)
	}
}

// addCreated adds a shop that this process has just created, imported or restored.
func (x *shopIndex) addCreated(id db.ID, settings *shop.Settings) {
	entry := &indexedShop{}
	entry.set(settings)
	x.createdMu.Lock()
	defer x.createdMu.Unlock()
	if x.created == nil {
		x.created = map[db.ID]createdShop{}
	}
	x.created[id] = createdShop{entry, time.Now()}
}

func (e *indexedShop) set(settings *shop.Settings) {
	e.Domains, e.Suspended, e.unread = slices.Clone(settings.Domains), settings.IsClosed(), nil
	e.Held, e.DeleteAt = settings.Suspension != nil, time.Time{}
	if e.Held {
		e.DeleteAt = settings.Suspension.DeleteAt
	}
	e.Confirmed = slices.Clone(settings.ConfirmedDomains)
	e.Plan, e.PlanRevision = "", 0
	if settings.Plan != nil {
		e.Plan, e.PlanRevision = settings.Plan.Name, settings.Plan.Revision
	}
	e.Defaults = settings.Defaults.Hash()
	e.Name, e.Currency, e.Country, e.Mode = settings.Name, settings.Currency, settings.Country, settings.ActiveMode
}

// findModified returns the modification times of all shops. It removes missing shops from the
// index, and adds created ones without later writes: the files of new shops are dated back.
func (x *shopIndex) findModified(ctx context.Context) (modified map[db.ID]time.Time, changed bool, err error) {
	if x.shops == nil {
		x.load()
	}
	x.createdMu.Lock()
	created := x.created
	x.created = nil
	x.createdMu.Unlock()
	if modified, err = x.tenants.store.ModTimes(ctx); err != nil {
		return nil, false, fmt.Errorf("refresh domains: %w", err)
	}
	delete(modified, Installation)
	before := len(x.shops)
	maps.DeleteFunc(x.shops, func(id db.ID, _ *indexedShop) bool {
		_, ok := modified[id]
		return !ok
	})
	changed = len(x.shops) != before
	for id, c := range created {
		if at, ok := modified[id]; ok && c.at.Sub(at) >= minModTimeAge {
			c.entry.ModTime = at
			x.shops[id], changed = c.entry, true
		}
	}
	return modified, changed, nil
}

// refresh reads the settings of the shops that were written after the last refresh.
func (x *shopIndex) refresh(ctx context.Context) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	modified, changed, err := x.findModified(ctx)
	if err != nil {
		return err
	}
	updated, err := x.readChanged(ctx, modified)
	if err != nil {
		return err
	}
	changed = changed || updated
	if changed || x.owners.Load() == nil {
		owners := x.assign()
		x.owners.Store(&owners)
		var only *db.ID // stored once: without one for a moment, its pages would be missing
		for id := range x.shops {
			if len(x.shops) == 1 {
				only = &id
			}
		}
		x.only.Store(only)
	}
	if !changed && time.Since(x.saved) < saveInterval {
		return nil
	}
	return x.save()
}

// readChanged updates the entries of the shops that were written after they were read.
func (x *shopIndex) readChanged(ctx context.Context, modified map[db.ID]time.Time) (changed bool, err error) {
	var readers sync.WaitGroup
	var updated atomic.Bool
	var failed atomic.Pointer[error]
	slots := make(chan struct{}, indexReaders)
	for _, id := range slices.Sorted(maps.Keys(modified)) {
		entry := x.shops[id]
		if entry != nil && modified[id].Equal(entry.ModTime) {
			continue
		}
		if entry == nil {
			entry = &indexedShop{}
			x.shops[id] = entry
		}
		slots <- struct{}{}
		readers.Go(func() {
			defer func() { <-slots }()
			change, err := x.readShop(ctx, id, entry)
			if err != nil {
				failed.Store(&err)
				return
			}
			if entry.ModTime = modified[id]; entry.unread != nil || time.Since(modified[id]) < minModTimeAge {
				entry.ModTime = time.Time{}
			}
			if change {
				updated.Store(true)
			}
		})
	}
	readers.Wait()
	if err := failed.Load(); err != nil {
		return false, *err
	}
	return updated.Load(), nil
}

// list returns a copy of the entries of shops, after a refresh. An index that cannot be saved is
// complete nevertheless.
func (x *shopIndex) list(ctx context.Context, ids []db.ID) (map[db.ID]indexedShop, error) {
	if err := x.refresh(ctx); err != nil {
		if !errors.Is(err, errIndexUnsaved) {
			return nil, err
		}
		x.log.Debug("index of shops not saved", "error", err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	found := make(map[db.ID]indexedShop, len(ids))
	for _, id := range ids {
		if entry := x.shops[id]; entry != nil {
			found[id] = *entry
		}
	}
	return found, nil
}

// errIndexUnsaved means that the index is complete in memory and could not be saved.
var errIndexUnsaved = errors.New("save index of shops")

// readShop updates entry from the shop's settings. If the shop cannot be read its entry retains the
// old domains, so that buyers get the shop's error instead of a TLS error. The only error is ctx's.
func (x *shopIndex) readShop(ctx context.Context, id db.ID, entry *indexedShop) (changed bool, err error) {
	s, settings, err := x.tenants.find(ctx, string(id))
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case fault.HasCode(err, fault.CodeTenantNotFound): // deleted in the meantime
		return false, nil
	case err != nil:
		if entry.unread == nil {
			x.log.Warn("read settings of shop failed", "tenant", string(id), "error", err)
		}
		entry.unread = err
		return false, nil
	}
	before := *entry
	entry.set(settings)
	entry.PlanPercent, entry.PlanUntil = 0, time.Time{}
	if settings.Plan != nil {
		if err := x.readPlan(ctx, s, entry); err != nil { // the next write is seen
			x.log.Warn("read warnings of plan failed", "tenant", string(id), "error", err)
		}
	}
	if activity, err := s.FindActivity(ctx); err == nil {
		entry.Activity = *activity
	} else if ctx.Err() == nil {
		x.log.Warn("read activity of shop failed", "tenant", string(id), "error", err)
	}
	return before.ModTime.IsZero() || !before.equals(entry), nil
}

// equals reports whether two entries have the same content, without the time of the file and the
// activity, which changes with every order.
func (e *indexedShop) equals(other *indexedShop) bool {
	a, b := *e, *other
	for _, one := range []*indexedShop{&a, &b} {
		one.Domains, one.Confirmed, one.Activity, one.unread = nil, nil, shop.Activity{}, nil
		one.ModTime, one.DeleteAt, one.PlanUntil = time.Time{}, time.Time{}, time.Time{}
	}
	return reflect.DeepEqual(a, b) && slices.Equal(e.Domains, other.Domains) && slices.Equal(e.Confirmed, other.Confirmed) &&
		e.DeleteAt.Equal(other.DeleteAt) && e.PlanUntil.Equal(other.PlanUntil)
}

// readPlan reads how close the shop is to the limits of its plan.
func (x *shopIndex) readPlan(ctx context.Context, s *shop.Shop, entry *indexedShop) (err error) {
	zone, err := s.TimeZone(ctx)
	if err != nil {
		return err
	}
	_, entry.PlanUntil = plan.Month(x.tenants.now(), zone)
	entry.PlanPercent, err = s.PlanPercent(ctx)
	return err
}

// planPercent returns the highest part of a limit of its plan, in per cent, at which the shop was
// warned in the present month.
func (e *indexedShop) planPercent(now time.Time) int {
	if !now.Before(e.PlanUntil) {
		return 0
	}
	return e.PlanPercent
}

// assign returns the owner of each name. No shop owns a name of the server, which a command that
// does not know the names may have entered. Two shops can claim one only if a file was copied into
// the data folder by hand: then an open shop precedes a suspended one, and otherwise the lower UID
// wins.
func (x *shopIndex) assign() map[string]DomainOwner {
	owners := make(map[string]DomainOwner)
	for _, id := range slices.Sorted(maps.Keys(x.shops)) {
		claim := x.shops[id]
		for _, name := range claim.Domains {
			if x.tenants.IsOwnHost(name) {
				x.log.Warn("a shop claims a name of the server: remove it from the shop", "domain", name, "tenant", string(id))
				continue
			}
			owner, claimed := owners[name]
			if claimed {
				x.log.Warn("two shops claim a domain: remove it from one of them", "domain", name, "tenant", owner.UID, "other", string(id))
			}
			if !claimed || owner.Suspended && !claim.Suspended {
				owners[name] = DomainOwner{string(id), claim.Suspended, slices.Contains(claim.Confirmed, name)}
			}
		}
	}
	return owners
}

func (x *shopIndex) file() string { return filepath.Join(x.tenants.dir, indexFile) }

func (x *shopIndex) load() {
	x.shops = make(map[db.ID]*indexedShop)
	text, err := os.ReadFile(x.file())
	if err == nil {
		err = json.Unmarshal(text, &x.shops)
	}
	if err != nil {
		clear(x.shops)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.log.Warn("index of shops unreadable, reading all shops", "error", err)
	}
	maps.DeleteFunc(x.shops, func(_ db.ID, entry *indexedShop) bool { return entry == nil })
}

// save writes indexFile. Processes may write it at the same time: either version is usable,
// because outdated entries are recognized by their modification times.
func (x *shopIndex) save() (err error) {
	next, err := os.CreateTemp(x.tenants.dir, indexFile+".*")
	if err != nil {
		return fmt.Errorf("%w: %w", errIndexUnsaved, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w: %w", errIndexUnsaved, errors.Join(err, os.Remove(next.Name())))
		}
	}()
	if err := errors.Join(json.NewEncoder(next).Encode(x.shops), sqlite.InheritOwner(next.Name()), next.Close()); err != nil {
		return err
	}
	x.saved = time.Now()
	return os.Rename(next.Name(), x.file())
}
