package tenants

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"storefront/db"
	"storefront/shop"
)

// Finding is one thing that was examined.
type Finding struct {
	Name    string `json:"name"`
	State   State  `json:"state"`
	Message string `json:"message"`
}

// State says how a finding is.
type State string

// The states of a finding.
const (
	StateOK      State = "ok"
	StateWarning State = "warning" // works, and not for everyone or not for long
	StateFailing State = "failing"
)

// Examination is what Examine found.
type Examination struct {
	Folder []Finding      `json:"folder"` // of the data folder, the machine and the public address
	Shops  []ExaminedShop `json:"shops"`
}

// ExaminedShop is what was found of one shop.
type ExaminedShop struct {
	UID      string    `json:"uid"`
	Findings []Finding `json:"findings"`
}

// findings is a list that grows.
type findings []Finding

func (l *findings) add(name string, state State, format string, args ...any) {
	*l = append(*l, Finding{name, state, fmt.Sprintf(format, args...)})
}

// addResult adds what a look brought: sound, or the fault with what to do.
func (l *findings) addResult(name, sound string, err error) {
	if err != nil {
		l.add(name, StateFailing, "%s", remedy(err))
		return
	}
	l.add(name, StateOK, "%s", sound)
}

// remedy is an error in words, with what to do where that is known.
func remedy(err error) string {
	if e := shop.AsError(err); e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// Examine looks at the data folder of cfg, which must be there, at the machine and at what uids name;
// at all shops where uids is nil. It changes nothing that shops sell or owe, applies no schema step,
// and works beside a server. done, which may be nil, is told of each shop that was examined.
//
// What is wrong is a finding, also a folder that can not be opened; one bad shop does not keep it
// from the others. The error is ctx's. Codes: tenant_not_found, of uids.
func Examine(ctx context.Context, cfg Config, uids []string, done func(n, of int)) (*Examination, error) {
	x := &Examination{Folder: []Finding{}, Shops: []ExaminedShop{}}
	folder := (*findings)(&x.Folder)
	examineFolder(folder, cfg.Dir)
	t, err := open(cfg)
	if err != nil {
		folder.addResult("shops", "", err)
		return x, ctx.Err()
	}
	defer func() { _ = t.store.Close(context.WithoutCancel(ctx)) }() // nothing was written
	all, err := t.UIDs(ctx)
	if err != nil {
		folder.addResult("shops", "", err)
		return x, ctx.Err()
	}
	t.key, err = loadKey(cfg.Dir, cfg.Key, true)
	if errors.Is(err, fs.ErrNotExist) && len(all) == 0 {
		folder.add("key", StateOK, "There is none yet: it is made with the first shop.")
	} else {
		folder.addResult("key", "It is there, and for the owner alone.", err)
	}
	t.examineTimes(ctx, folder)
	reached := t.examineAddress(ctx, folder)
	if uids == nil {
		uids = all
	}
	for i, uid := range uids {
		found, err := t.examineShop(ctx, uid, reached)
		if err != nil {
			return nil, err
		}
		x.Shops = append(x.Shops, ExaminedShop{uid, found})
		if done != nil {
			done(i+1, len(uids))
		}
	}
	return x, nil
}

// examineShop looks at one shop. reached says that its couriers' addresses can be called. The error
// is ctx's. Codes: tenant_not_found.
func (t *Tenants) examineShop(ctx context.Context, uid string, reached bool) (found findings, err error) {
	id, err := t.requireExisting(ctx, uid)
	if err != nil {
		return nil, err
	}
	if !t.examineFile(ctx, &found, id) {
		return found, ctx.Err()
	}
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		found.addResult("settings", "", err)
		return found, ctx.Err()
	}
	faults, err := s.CheckInvariants(ctx)
	if err == nil && len(faults) > 0 {
		err = errors.New(strings.Join(faults, "; "))
	}
	found.addResult("sums", "Stock, orders, coupons and prices agree.", err)
	examineBacklog(ctx, &found, s)
	err = s.CheckSecrets(ctx)
	found.addResult("secrets", "The key opens them all.", err)
	if err == nil {
		t.examinePlugins(ctx, &found, s, reached)
	}
	return found, ctx.Err()
}

// examineFile looks at a shop's file, and reports whether there is more to look at in it.
func (t *Tenants) examineFile(ctx context.Context, found *findings, id db.ID) bool {
	checked, err := t.store.Check(ctx, id)
	if err == nil && len(checked.Faults) > 0 {
		err = fmt.Errorf("%w: %s", db.ErrCorrupt, strings.Join(checked.Faults, "; "))
	}
	found.addResult("file", "It is whole.", err)
	switch have, newest := checked.Schema, checked.Newest; {
	case err != nil:
		return false
	case have > newest:
		found.add("schema", StateFailing, "Version %d, and this program knows %d: %s.", have, newest, db.ErrNewer)
		return false
	case have < newest:
		found.add("schema", StateWarning, "Version %d of %d: `storefront migrate %s` or the shop's next request brings it up to date, and the rest can be examined.", have, newest, id)
		return false
	}
	found.add("schema", StateOK, "Version %d, the newest.", checked.Schema)
	return true
}

// examineBacklog looks for payments, parcels and calls that wait for someone.
func examineBacklog(ctx context.Context, found *findings, s *shop.Shop) {
	b, err := s.FindBacklog(ctx)
	switch {
	case err != nil:
		found.addResult("payments", "", err)
		return
	case b.Overdue > 0:
		found.add("payments", StateFailing, "The gateway should have been asked about %d payments long ago: start the server, or look at its log for what keeps it from that.", b.Overdue)
	case b.NeedReview+b.RefundDue > 0:
		found.add("payments", StateWarning, "%d have to be looked at and %d given back: `storefront payment list %s`, and with --status refund_due.", b.NeedReview, b.RefundDue, s.UID())
	default:
		found.add("payments", StateOK, "None waits for anyone.")
	}
	switch {
	case len(b.Unanswered) > 0:
		found.add("parcels", StateWarning, "No answer told whether a courier took the parcel of %s: `storefront order ship` again looks it up.", strings.Join(b.Unanswered, ", "))
	case len(b.Stray) > 0:
		found.add("parcels", StateWarning, "Cancelled, and still with a courier, is %s: cancel the parcel in the courier's panel.", strings.Join(b.Stray, ", "))
	default:
		found.add("parcels", StateOK, "None waits for anyone.")
	}
	if b.Unmatched+b.Failed+b.Stored > 0 {
		found.add("provider calls", StateWarning, "%d name no order or parcel of the shop, %d failed, %d were left: `storefront webhook list %s --verdict unmatched` (or failed, stored), and `storefront webhook replay` when the cause is gone.",
			b.Unmatched, b.Failed, b.Stored, s.UID())
		return
	}
	found.add("provider calls", StateOK, "All that came were applied.")
}
