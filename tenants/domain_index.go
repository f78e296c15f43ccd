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
	"storefront/shop"
)

// domainsFile in the data folder remembers the shops' domains, so that a start opens the files of
// those shops only that have been written to since. It can be deleted: the settings are the truth.
const domainsFile = "domains.json"

// domainIndex knows the domains of all shops. A shop's settings are read again when its file's time
// changes, by whatever process.
type domainIndex struct {
	tenants *Tenants
	log     *slog.Logger
	owners  atomic.Pointer[map[string]DomainOwner] // nil: never looked

	mu    sync.Mutex // held by a look
	shops map[db.ID]*shopDomains
	saved time.Time // when domainsFile was written
}

// shopDomains is what the last look at a shop found.
type shopDomains struct {
	ModTime   time.Time `json:"touched,omitzero"` // the file's time before the look; zero: look again
	Domains   []string  `json:"domains,omitempty"`
	Suspended bool      `json:"suspended,omitempty"`
	unread    bool      // the file could not be read, and the log says so
}

func newDomainIndex(t *Tenants, log *slog.Logger) *domainIndex {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &domainIndex{tenants: t, log: log}
}

// refresh reads the settings of the shops that were written to since the last look.
func (x *domainIndex) refresh(ctx context.Context) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.shops == nil {
		x.load()
	}
	touched, err := x.tenants.store.ModTimes(ctx)
	if err != nil {
		return fmt.Errorf("look for domains: %w", err)
	}
	before := len(x.shops)
	maps.DeleteFunc(x.shops, func(id db.ID, _ *shopDomains) bool {
		_, there := touched[id]
		return !there
	})
	changed := len(x.shops) != before
	for _, id := range slices.Sorted(maps.Keys(touched)) {
		known := x.shops[id]
		if known != nil && touched[id].Equal(known.ModTime) {
			continue
		}
		if known == nil {
			known = &shopDomains{}
			x.shops[id] = known
		}
		learned, err := x.readShop(ctx, id, known)
		if err != nil {
			return err
		}
		if known.ModTime = touched[id]; known.unread || time.Since(touched[id]) < minModTimeAge {
			known.ModTime = time.Time{}
		}
		changed = changed || learned
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

// readShop brings known up to date. A shop that can not be read keeps the domains it had, so that its
// buyers see the shop's own error and not one of TLS. The error is ctx's alone.
func (x *domainIndex) readShop(ctx context.Context, id db.ID, known *shopDomains) (changed bool, err error) {
	_, settings, err := x.tenants.find(ctx, string(id))
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case shop.HasCode(err, shop.CodeTenantNotFound): // deleted since
		return false, nil
	case err != nil:
		if !known.unread {
			x.log.Warn("a shop's domains can not be read", "tenant", string(id), "error", err)
		}
		known.unread = true
		return false, nil
	}
	changed = !slices.Equal(known.Domains, settings.Domains) || known.Suspended != settings.Suspended
	known.Domains, known.Suspended, known.unread = slices.Clone(settings.Domains), settings.Suspended, false
	return changed, nil
}

// assign gives each name to one shop. Two can only claim it when a file was copied in by hand: then
// an open shop goes before a suspended one, and else the first by UID has it.
func (x *domainIndex) assign() map[string]DomainOwner {
	owners := make(map[string]DomainOwner)
	for _, id := range slices.Sorted(maps.Keys(x.shops)) {
		claim := x.shops[id]
		for _, name := range claim.Domains {
			owner, taken := owners[name]
			if taken {
				x.log.Warn("two shops claim a domain: take it from one of them", "domain", name, "tenant", owner.UID, "other", string(id))
			}
			if !taken || owner.Suspended && !claim.Suspended {
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
		x.log.Warn("the shops' domains are read anew", "error", err)
	}
	maps.DeleteFunc(x.shops, func(_ db.ID, known *shopDomains) bool { return known == nil })
}

// save writes domainsFile. Two processes may, and either's is good: what is too old in it is
// seen by its time.
func (x *domainIndex) save() (err error) {
	next, err := os.CreateTemp(x.tenants.dir, domainsFile+".*")
	if err != nil {
		return fmt.Errorf("remember the shops' domains: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("remember the shops' domains: %w", errors.Join(err, os.Remove(next.Name())))
		}
	}()
	if err := errors.Join(json.NewEncoder(next).Encode(x.shops), next.Close()); err != nil {
		return err
	}
	x.saved = time.Now()
	return os.Rename(next.Name(), x.file())
}
