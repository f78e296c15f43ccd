package doctor

import (
	"storefront/db/sqlite"
	"storefront/tenants"

	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/staff"
	"storefront/tenants/album"
)

// Finding is the result of one check.
type Finding struct {
	Name    string      `json:"name"`
	Code    FindingCode `json:"code"`
	State   State       `json:"state"`
	Message string      `json:"message"`
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

// examiner checks an inspected data folder.
type examiner struct {
	*tenants.Tenants
	now       func() time.Time
	publicURL string
}

// findings is a growing list of findings.
type findings []Finding

// ok, warn and fail add a finding with that state.
func (l *findings) ok(code FindingCode, format string, args ...any) {
	*l = append(*l, NewFinding(code, StateOK, format, args...))
}

func (l *findings) warn(code FindingCode, format string, args ...any) {
	*l = append(*l, NewFinding(code, StateWarning, format, args...))
}

func (l *findings) fail(code FindingCode, format string, args ...any) {
	*l = append(*l, NewFinding(code, StateFailing, format, args...))
}

// addNamed adds a finding about a plugin.
func (l *findings) addNamed(
	code FindingCode, name string, state State, format string, args ...any,
) {
	*l = append(*l, newNamedFinding(code, name, state, format, args...))
}

// addResult adds the result of a check: the message ok, or the error with its remedy.
func (l *findings) addResult(code FindingCode, ok string, err error) {
	if err != nil {
		l.fail(code, "%s", remedy(err))
		return
	}
	l.ok(code, "%s", ok)
}

// remedy returns the message of err, with the remedy if it is known.
func remedy(err error) string {
	if e := shop.AsError(err); e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// Examine checks the data folder of cfg, which must exist, the machine, the places of backups and
// replicas, and the shops uids, or all shops if uids is nil. It changes no sales data, applies no
// schema step, and may run beside a server. If progress is not nil it is called after each shop.
//
// Problems are findings, even a folder that cannot be opened, and one bad shop does not hide the
// others. The only other errors are ctx's. Codes: tenant_not_found (of uids).
func Examine(
	ctx context.Context, cfg tenants.Config, from tenants.RestoreSources, uids []string,
	progress func(n, of int),
) (*Examination, error) {
	x := &Examination{Folder: []Finding{}, Shops: []ExaminedShop{}}
	folder := (*findings)(&x.Folder)
	examineFolder(folder, cfg.Dir)
	opened, err := tenants.Inspect(cfg)
	if err != nil {
		folder.addResult(CodeShops, "", err)
		return x, ctx.Err()
	}
	defer func() { _ = opened.Close(context.WithoutCancel(ctx)) }() // nothing was written
	t := &examiner{Tenants: opened, now: cfg.Now, publicURL: cfg.PublicURL}
	if t.now == nil {
		t.now = time.Now
	}
	all, err := t.UIDs(ctx)
	if err != nil && cfg.Engine != "" { // a finding of its own, if it is the database's
		all, err = t.FileUIDs(ctx)
	}
	if err != nil {
		folder.addResult(CodeShops, "", err)
		return x, ctx.Err()
	}
	t.examineDatabase(ctx, folder)
	err = t.ReadKey()
	if errors.Is(err, fs.ErrNotExist) && len(all) == 0 {
		folder.ok(CodeKey, "No key yet: it is created with the first shop.")
	} else {
		folder.addResult(CodeKey, "Present, and readable by its owner only.", err)
	}
	t.examineOperators(ctx, folder)
	t.examineTimes(ctx, folder)
	t.examineBackups(ctx, folder, from.BackupDir, from.BackupEvery)
	t.examineReplica(ctx, folder, from.Replica)
	reached := t.examineAddress(ctx, folder)
	if err := t.RefreshDomains(ctx); err != nil && t.Domains() == nil { // otherwise the index is not saved
		folder.addResult(CodeDomains, "", err)
	}
	isAll := uids == nil
	if isAll {
		uids = all
	}
	for i, uid := range uids {
		found, err := t.examineShop(ctx, uid, reached)
		if isAll && fault.HasCode(err, fault.CodeTenantNotFound) {
			continue // deleted since they were listed
		}
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
func (t *examiner) examineShop(
	ctx context.Context, uid string, reached bool,
) (found findings, err error) {
	readable, err := t.examineFile(ctx, &found, uid)
	if err != nil {
		return nil, err
	}
	if !readable {
		return found, ctx.Err()
	}
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		found.addResult(CodeSettings, "", err)
		return found, ctx.Err()
	}
	t.examineDomains(ctx, &found, s)
	faults, err := s.CheckInvariants(ctx)
	if err == nil && len(faults) > 0 {
		err = errors.New(listSome(faults, "; "))
	}
	found.addResult(CodeSums, "Stock, orders, coupons and prices are consistent.", err)
	t.examineImages(ctx, &found, uid)
	examineBacklog(ctx, &found, s)
	t.examineAPIKeys(ctx, &found, s)
	err = s.CheckSecrets(ctx)
	found.addResult(CodeSecrets, "The key opens all secrets.", err)
	if err == nil {
		t.examinePlugins(ctx, &found, s, reached)
	}
	return found, ctx.Err()
}

// examineFile checks a shop's file, and reports whether the content of the file can be checked.
// Codes: tenant_not_found.
func (t *examiner) examineFile(
	ctx context.Context, found *findings, uid string,
) (readable bool, err error) {
	checked, err := t.CheckFile(ctx, uid)
	switch {
	case shop.AsError(err).Code == fault.CodeTenantNotFound:
		return false, err
	case err == nil && checked == nil:
		found.addResult(CodeFile, "In PostgreSQL.", nil)
		return true, nil
	case err == nil && len(checked.Faults) > 0:
		err = fmt.Errorf("%w: %s", db.ErrCorrupt, listSome(checked.Faults, "; "))
	}
	found.addResult(CodeFile, "Intact.", err)
	return err == nil && examineSchema(found, uid, checked), nil
}

// examineSchema checks the schema of a shop's intact file, and reports whether its content can be
// checked.
func examineSchema(found *findings, uid string, checked *sqlite.CheckResult) bool {
	if len(checked.Foreign) > 0 {
		found.fail(CodeSchemaForeign,
			"%s: %s. If nobody changed the schema on purpose, another program wrote the file: "+
				"restore a backup that `storefront backup verify` "+
				"accepts.", db.ErrForeignSchema, listSome(checked.Foreign, "; "))
		return checked.Schema == checked.Newest
	}
	switch have, newest := checked.Schema, checked.Newest; {
	case have > newest:
		found.fail(CodeSchemaNewer,
			"Version %d is newer than version %d of this program: %s.", have, newest, db.ErrNewer)
		return false
	case have < newest:
		found.warn(CodeSchemaOlder,
			"Version %d of %d: migrate it with `storefront migrate %s`, or start the server of this "+
				"version, "+
				"then run doctor again for the remaining checks.", have, newest, uid)
		return false
	}
	found.ok(CodeSchema, "Version %d, up to date.", checked.Schema)
	return true
}

// examineImages counts the uploaded images with missing or damaged files.
func (t *examiner) examineImages(ctx context.Context, found *findings, uid string) {
	checked, err := t.VerifyImages(ctx, uid)
	if err == nil && len(checked.Missing)+len(checked.Damaged) > 0 {
		found.fail(CodeImagesLost,
			"Missing images: %d of %d, damaged: %d, such as %s. Copy their folders from "+
				"%s/%s in the folder of backups to the same place in the data folder, or upload them "+
				"again.", len(checked.Missing), checked.Images, len(checked.Damaged),
			listSome(append(checked.Missing, checked.Damaged...), ", "), album.Dir, uid)
		return
	}
	found.addResult(CodeImages, "All files are intact.", err)
}

// examineAPIKeys reports the API keys that have expired or soon will.
func (t *examiner) examineAPIKeys(ctx context.Context, found *findings, s *shop.Shop) {
	keys, err := s.Staff.ListAPIKeys(ctx, access.Operator())
	if err != nil {
		found.addResult(CodeAPIKeys, "", err)
		return
	}
	now := t.now()
	var ending []string
	for _, k := range keys {
		if k.IsExpired(now.Add(staff.ExpiryNotice)) {
			ending = append(ending, fmt.Sprintf("%s (%s) on %s",
				k.ID, cmp.Or(k.Label, "without a name"), k.ExpiresAt.UTC().Format(time.DateOnly)))
		}
	}
	if len(ending) > 0 {
		found.warn(CodeAPIKeysEnding,
			"Expired, or about to expire: %s. Create their successors with `storefront token create %s`, "+
				"then revoke them with `storefront token revoke %s`.", listSome(ending, ", "), s.UID(), s.UID())
		return
	}
	found.ok(CodeAPIKeys, "None expires within a week.")
}

// examineBacklog checks for payments, shipments and webhooks that need attention.
func examineBacklog(ctx context.Context, found *findings, s *shop.Shop) {
	b, err := s.FindBacklog(ctx, access.Operator())
	switch {
	case err != nil:
		found.addResult(CodePayments, "", err)
		return
	case b.Overdue > 0:
		found.fail(CodePaymentsOverdue,
			"Overdue status checks of payments: %d. Start the server, or check its log for the cause.",
			b.Overdue)
	case b.NeedReview+b.RefundDue > 0:
		found.warn(CodePaymentsReview,
			"Payments to review: %d, to refund: %d. Run `storefront payment list %s`, "+
				"also with --status refund_due.",
			b.NeedReview, b.RefundDue, s.UID())
	default:
		found.ok(CodePayments, "Nothing to do.")
	}
	if b.Flags > 0 {
		found.warn(CodeOrderFlags,
			"Flags for a staff member to check: %d. List them with `storefront api %s listFlags`.", b.Flags, s.UID())
	}
	if b.FailedStarts > 0 {
		found.warn(CodePaymentStarts,
			"Payments that could not be started in the last day: %d. The last reason: %s. "+
				"Run `storefront plugin validate %s` with the gateway.", b.FailedStarts, b.FailedStart, s.UID())
	} else {
		found.ok(CodePaymentStarts, "Every payment of the last day was started.")
	}
	if b.UnclearRefunds > 0 {
		found.warn(CodeRefunds, "Refunds with an unknown result: %d. Look them up in the gateway's panel, "+
			"then run `storefront payment resolve %s` with the refund, which `storefront api %s "+
			"getPayment` lists.",
			b.UnclearRefunds, s.UID(), s.UID())
	} else {
		found.ok(CodeRefunds, "Nothing to do.")
	}
	switch {
	case len(b.Unanswered) > 0:
		found.warn(CodeParcelsUnanswered, "The courier did not respond to the booking for %s: "+
			"run `storefront order ship` again to look it up.",
			listSome(b.Unanswered, ", "))
	case len(b.Stray) > 0:
		found.warn(CodeParcelsStray,
			"Cancelled, but the shipment is still with a courier: %s. Cancel the shipment in the "+
				"courier's panel.",
			listSome(b.Stray, ", "))
	default:
		found.ok(CodeParcels, "Nothing to do.")
	}
	if b.DisabledEndpoints > 0 {
		found.warn(CodeWebhookEndpoints,
			"Disabled: %d. List them with `storefront api %s listWebhookEndpoints`. "+
				"When the receiver works again, run updateWebhookEndpoint with --active, then "+
				"redeliverRange.", b.DisabledEndpoints, s.UID())
	}
	if b.Unmatched+b.Failed+b.Stored > 0 {
		found.warn(CodeWebhooks, "Without a matching order or shipment: %d, failed: %d, unprocessed: %d. "+
			"List them with `storefront webhook list %s --verdict unmatched` (or failed, stored), "+
			"and run `storefront webhook replay` when the cause is "+
			"fixed.", b.Unmatched, b.Failed, b.Stored, s.UID())
		return
	}
	found.ok(CodeWebhooks, "All webhooks were processed.")
}
