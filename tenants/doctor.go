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

// Finding is the result of one check.
type Finding struct {
	Name    string `json:"name"`
	State   State  `json:"state"`
	Message string `json:"message"`
}

// State is the severity of a finding.
type State string

// The states of a finding.
const (
	StateOK      State = "ok"
	StateWarning State = "warning" // works, but not for everyone or not for long
	StateFailing State = "failing"
)

// Examination is the result of [Examine].
type Examination struct {
	Folder []Finding      `json:"folder"` // of the data folder, the machine and the public address
	Shops  []ExaminedShop `json:"shops"`
}

// ExaminedShop holds the findings of one shop.
type ExaminedShop struct {
	UID      string    `json:"uid"`
	Findings []Finding `json:"findings"`
}

// findings is a growing list of findings.
type findings []Finding

func (l *findings) add(name string, state State, format string, args ...any) {
	*l = append(*l, Finding{name, state, fmt.Sprintf(format, args...)})
}

// addResult adds the result of a check: the message ok, or the error with its remedy.
func (l *findings) addResult(name, ok string, err error) {
	if err != nil {
		l.add(name, StateFailing, "%s", remedy(err))
		return
	}
	l.add(name, StateOK, "%s", ok)
}

// remedy returns the message of err, with what to do about it if that is known.
func remedy(err error) string {
	if e := shop.AsError(err); e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// Examine checks the data folder of cfg, which must exist, the machine, and the shops uids, or all
// shops if uids is nil. It changes no sales data, applies no schema step, and may run beside a
// server. If progress is not nil it is called after each shop.
//
// Problems are findings, even a folder that cannot be opened, and one bad shop does not hide the
// others. The only other errors are ctx's. Codes: tenant_not_found (of uids).
func Examine(ctx context.Context, cfg Config, uids []string, progress func(n, of int)) (*Examination, error) {
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
		folder.add("key", StateOK, "No key yet: it is created with the first shop.")
	} else {
		folder.addResult("key", "Present, and readable by its owner only.", err)
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
		if progress != nil {
			progress(i+1, len(uids))
		}
	}
	return x, nil
}

// examineShop checks one shop. reached reports that the public address, and so the couriers'
// webhook addresses, can be requested. The only other errors are ctx's. Codes: tenant_not_found.
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
	found.addResult("sums", "Stock, orders, coupons and prices are consistent.", err)
	examineBacklog(ctx, &found, s)
	err = s.CheckSecrets(ctx)
	found.addResult("secrets", "The key opens all secrets.", err)
	if err == nil {
		t.examinePlugins(ctx, &found, s, reached)
	}
	return found, ctx.Err()
}

// examineFile checks a shop's file, and reports whether the content of the file can be checked.
func (t *Tenants) examineFile(ctx context.Context, found *findings, id db.ID) bool {
	checked, err := t.store.Check(ctx, id)
	if err == nil && len(checked.Faults) > 0 {
		err = fmt.Errorf("%w: %s", db.ErrCorrupt, strings.Join(checked.Faults, "; "))
	}
	found.addResult("file", "Intact.", err)
	if err == nil && len(checked.Foreign) > 0 {
		found.add("schema", StateFailing, "%s: %s. If nobody changed the schema on purpose, somebody else wrote the file: "+
			"restore a backup that `storefront backup verify` accepts.", db.ErrForeignSchema, strings.Join(checked.Foreign, "; "))
		return checked.Schema == checked.Newest
	}
	switch have, newest := checked.Schema, checked.Newest; {
	case err != nil:
		return false
	case have > newest:
		found.add("schema", StateFailing, "Version %d is newer than version %d of this program: %s.", have, newest, db.ErrNewer)
		return false
	case have < newest:
		found.add("schema", StateWarning, "Version %d of %d: upgrade it with `storefront migrate %s` or the shop's next request, "+
			"then run doctor again for the remaining checks.", have, newest, id)
		return false
	}
	found.add("schema", StateOK, "Version %d, up to date.", checked.Schema)
	return true
}

// examineBacklog checks for payments, shipments and webhooks that need attention.
func examineBacklog(ctx context.Context, found *findings, s *shop.Shop) {
	b, err := s.FindBacklog(ctx)
	switch {
	case err != nil:
		found.addResult("payments", "", err)
		return
	case b.Overdue > 0:
		found.add("payments", StateFailing, "Status checks of %d payments are overdue: start the server, or check its log for the cause.",
			b.Overdue)
	case b.NeedReview+b.RefundDue > 0:
		found.add("payments", StateWarning, "%d need review and %d are due for a refund: run `storefront payment list %s`, also with --status refund_due.",
			b.NeedReview, b.RefundDue, s.UID())
	default:
		found.add("payments", StateOK, "Nothing to do.")
	}
	if b.Flags > 0 {
		found.add("orders", StateWarning, "%d flags need a staff member: list them with `storefront order flags %s`.", b.Flags, s.UID())
	}
	if b.FailedStarts > 0 {
		found.add("payment starts", StateWarning, "%d payments could not be started in the last day, the last because: %s. "+
			"Run `storefront plugin validate %s` with the gateway.", b.FailedStarts, b.FailedStart, s.UID())
	} else {
		found.add("payment starts", StateOK, "Every payment of the last day was started.")
	}
	if b.UnclearRefunds > 0 {
		found.add("refunds", StateWarning, "The result of %d refunds is open: look them up in the gateway's panel, "+
			"then run `storefront payment resolve %s` with the refund, which `storefront payment show` lists.", b.UnclearRefunds, s.UID())
	} else {
		found.add("refunds", StateOK, "Nothing to do.")
	}
	switch {
	case len(b.Unanswered) > 0:
		found.add("parcels", StateWarning, "The courier did not respond to the booking for %s: run `storefront order ship` again to look it up.",
			strings.Join(b.Unanswered, ", "))
	case len(b.Stray) > 0:
		found.add("parcels", StateWarning, "Cancelled, but the shipment is still with a courier: %s. Cancel the shipment in the courier's panel.",
			strings.Join(b.Stray, ", "))
	default:
		found.add("parcels", StateOK, "Nothing to do.")
	}
	if b.Unmatched+b.Failed+b.Stored > 0 {
		found.add("provider calls", StateWarning, "%d match no order or shipment, %d failed, %d are unprocessed: "+
			"list them with `storefront webhook list %s --verdict unmatched` (or failed, stored), "+
			"and run `storefront webhook replay` when the cause is fixed.", b.Unmatched, b.Failed, b.Stored, s.UID())
		return
	}
	found.add("provider calls", StateOK, "All webhooks were processed.")
}
