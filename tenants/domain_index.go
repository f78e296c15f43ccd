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
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"storefront/db"
	"storefront/shop/fault"
)

// domainsFile in the data folder stores the shops' domains, so that a start opens only the files
// that were written since. It can be deleted: the settings are authoritative.
const domainsFile = "domains.json"

// domainIndex is the index of all shops' domains. A shop's settings are read again when any process
// changes its file, as seen by the modification time.
type domainIndex struct {
	tenants *Tenants
	log     *slog.Logger
	owners  atomic.Pointer[map[string]DomainOwner] // nil before the first refresh

	mu    sync.Mutex // held during refresh
	shops map[db.ID]*shopDomains
	saved time.Time // when domainsFile was written
}

// shopDomains are the domains of a shop as of the last refresh.
type shopDomains struct {
	ModTime   time.Time `json:"touched,omitzero"` // modification time before the file was read; zero: read again
	Domains   []string  `json:"domains,omitempty"`
	Suspended bool      `json:"suspended,omitempty"`
	unread    bool      // the file could not be read, which was logged
}

func newDomainIndex(t *Tenants, log *slog.Logger) *domainIndex {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &domainIndex{tenants: t, log: log}
}

// refresh reads the settings of the shops that were written since the last refresh.
func (x *domainIndex) refresh(ctx context.Context) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.shops == nil {
		x.load()
	}
	modified, err := x.tenants.store.ModTimes(ctx)
	if err != nil {
		return fmt.Errorf("refresh domains: %w", err)
	}
	before := len(x.shops)
	maps.DeleteFunc(x.shops, func(id db.ID, _ *shopDomains) bool {
		_, ok := modified[id]
		return !ok
	})
	changed := len(x.shops) != before
	for _, id := range slices.Sorted(maps.Keys(modified)) {
		entry := x.shops[id]
		if entry != nil && modified[id].Equal(entry.ModTime) {
			continue
		}
		if entry == nil {
			entry = &shopDomains{}
			x.shops[id] = entry
		}
		updated, err := x.readShop(ctx, id, entry)
		if err != nil {
			return err
		}
		if entry.ModTime = modified[id]; entry.unread || time.Since(modified[id]) < minModTimeAge {
			entry.ModTime = time.Time{}
		}
		changed = changed || updated
	}
	if changed || x.owners.Load() == nil {
		owners := x.assign()
		x.owners.Store(&owners)
	}
	if !changed && time.Since(x.saved) < saveInterval {
		return nil
	}
	return x.save()
}

// readShop updates entry from the shop's settings. If the shop cannot be read its entry retains the
// old domains, so that buyers get the shop's error instead of a TLS error. The only error is ctx's.
func (x *domainIndex) readShop(ctx context.Context, id db.ID, entry *shopDomains) (changed bool, err error) {
	_, settings, err := x.tenants.find(ctx, string(id))
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case fault.HasCode(err, fault.CodeTenantNotFound): // deleted meanwhile
		return false, nil
	case err != nil:
		if !entry.unread {
			x.log.Warn("read domains of shop failed", "tenant", string(id), "error", err)
		}
		entry.unread = true
		return false, nil
	}
	changed = !slices.Equal(entry.Domains, settings.Domains) || entry.Suspended != settings.Suspended
	entry.Domains, entry.Suspended, entry.unread = slices.Clone(settings.Domains), settings.Suspended, false
	return changed, nil
}

// assign returns the owner of each name. Two shops can claim one only if a file was copied into the
// data folder by hand: then an open shop precedes a suspended one, and otherwise the lower UID
// wins.
func (x *domainIndex) assign() map[string]DomainOwner {
	owners := make(map[string]DomainOwner)
	for _, id := range slices.Sorted(maps.Keys(x.shops)) {
		claim := x.shops[id]
		for _, name := range claim.Domains {
			owner, claimed := owners[name]
			if claimed {
				x.log.Warn("two shops claim a domain: remove it from one of them", "domain", name, "tenant", owner.UID, "other", string(id))
			}
			if !claimed || owner.Suspended && !claim.Suspended {
				owners[name] = DomainOwner{string(id), claim.Suspended}
			}
		}
	}
	return owners
}

func (x *domainIndex) file() string { return filepath.Join(x.tenants.dir, domainsFile) }

func (x *domainIndex) load() {
	x.shops = make(map[db.ID]*shopDomains)
	text, err := os.ReadFile(x.file())
	if err == nil {
		err = json.Unmarshal(text, &x.shops)
	}
	if err != nil {
		clear(x.shops)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.log.Warn("domains file unreadable, reading all shops", "error", err)
	}
	maps.DeleteFunc(x.shops, func(_ db.ID, entry *shopDomains) bool { return entry == nil })
}

// save writes domainsFile. Processes may write it at the same time: either version is usable,
// because outdated entries are recognized by their modification times.
func (x *domainIndex) save() (err error) {
	next, err := os.CreateTemp(x.tenants.dir, domainsFile+".*")
	if err != nil {
		return fmt.Errorf("save domains: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("save domains: %w", errors.Join(err, os.Remove(next.Name())))
		}
	}()
	if err := errors.Join(json.NewEncoder(next).Encode(x.shops), next.Close()); err != nil {
		return err
	}
	x.saved = time.Now()
	return os.Rename(next.Name(), x.file())
}
