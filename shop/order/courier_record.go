package order

import (
	"context"
	"errors"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// CourierRecord is what a courier knows of the phone number of an order. It is for staff members
// only. An unknown share says nothing about the buyer.
type CourierRecord struct {
	Provider  plugin.Provider `json:"provider"`
	At        time.Time       `json:"at" doc:"Time of the lookup"`
	Delivered *float64        `json:"delivered" doc:"Share of the shipments that were delivered, in percent; null if unknown"`
	Cancelled *float64        `json:"cancelled" doc:"Likewise: that were cancelled"`
	Returned  *float64        `json:"returned" doc:"Likewise: that came back"`
	Shipments *string         `json:"shipments" doc:"How many there were, as the courier states it; null if unknown" example:"25+"`
	Reports   int64           `json:"reports" doc:"Complaints of other merchants about the number"`
}

const (
	// recordFresh is the time for which a courier's record is used: each phone number is looked up
	// once a day.
	recordFresh = 24 * time.Hour
	// recordRetry is the time after which a lookup that failed can be repeated.
	recordRetry = 10 * time.Minute
	// recordWait is the time that a buyer waits for a record that a rule about advances needs.
	recordWait = 2 * time.Second
	// staffWait is the time that a staff member waits.
	staffWait = 15 * time.Second
	// recordBatch limits the lookups before other work of the shop continues.
	recordBatch = 20
)

// courierRecordRow is a row of courier_records.
type courierRecordRow struct {
	provider   plugin.Provider
	answeredAt *int64 // nil until the courier has responded
	plugin.PhoneRecord
}

func (r *courierRecordRow) view() *CourierRecord {
	if r.answeredAt == nil {
		return nil
	}
	percent := func(share *int64) *float64 {
		if share == nil {
			return nil
		}
		return new(float64(*share) / 100)
	}
	return &CourierRecord{
		Provider: r.provider, At: db.FromMillis(*r.answeredAt), Delivered: percent(r.Delivered), Cancelled: percent(r.Cancelled),
		Returned: percent(r.Returned), Shipments: db.NullText(r.Shipments), Reports: r.Reports,
	}
}

// checkLookUp is the rule of [Orders.LookUpBuyer].
func (o *orderRow) checkLookUp(isOn bool) error {
	switch {
	case !isOn:
		return fault.Errorf(fault.CodeStateConflict, "Buyers are not looked up at couriers: switch it on in the settings.")
	case o.phone == "":
		return fault.Errorf(fault.CodeStateConflict, "The phone number of the buyer was erased.")
	}
	return nil
}

// recordLookup is the lookup of a phone number at a courier.
type recordLookup struct {
	phone   string
	mode    plugin.Mode
	adapter *plugin.Plugin
	access  plugin.Access
	began   int64
}

// newLookup returns the lookup of a phone number at the courier that has records, which the shop
// may not have begun yet. Codes: state_conflict (the shop has no such courier).
func (s *Orders) newLookup(ctx context.Context, phone string, mode plugin.Mode) (*recordLookup, error) {
	for i := range s.cfg.Plugins {
		if s.cfg.Plugins[i].Records == nil {
			continue
		}
		adapter, pluginAccess, err := s.courierFor(ctx, s.cfg.Plugins[i].Provider, mode)
		switch {
		case err != nil:
			return nil, err
		case adapter.Records != nil: // not practised
			return &recordLookup{phone: phone, mode: mode, adapter: adapter, access: pluginAccess}, nil
		}
	}
	return nil, fault.Errorf(fault.CodeStateConflict, "The shop has no courier that reports records: enter its account in the settings.")
}

// begin stores that the lookup begins. It returns false if the number was looked up less than a day
// ago, so that concurrent requests send one.
func (l *recordLookup) begin(tx *db.Tx) (bool, error) {
	l.began = db.Millis(tx.Now())
	return claimRecord(tx, l, l.began-recordFresh.Milliseconds())
}

// runLookup sends a lookup that has begun, and stores its result.
func (s *Orders) runLookup(ctx context.Context, l *recordLookup, wait time.Duration) error {
	asking, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	record, err := l.adapter.Records.PhoneRecord(asking, l.access, l.phone)
	saved := s.data.Update(context.WithoutCancel(ctx), func(_ context.Context, tx *db.Tx) error {
		if err != nil {
			return postponeRecord(tx, l, l.began-(recordFresh-recordRetry).Milliseconds())
		}
		return saveRecord(tx, l, &record, db.Millis(tx.Now()))
	})
	return errors.Join(err, saved)
}

// LookUpBuyer returns a courier's record of an order's phone number. It requests it unless that
// happened less than a day ago. Codes: not_found, state_conflict (records are switched off, the
// courier's account is not complete, or it refused), unavailable (it has not responded).
func (s *Orders) LookUpBuyer(ctx context.Context, caller access.Caller, invoiceUID string) (*CourierRecord, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	o, err := access.Read(ctx, s.data, caller, access.ToLookUpBuyer, func(tx *db.Tx, _ access.Staff) (*orderRow, error) {
		return requireSentOrder(tx, invoiceUID)
	})
	if err == nil {
		err = o.checkLookUp(set.CourierRecords)
	}
	if err != nil {
		return nil, err
	}
	lookup, err := s.newLookup(ctx, o.phone, o.mode())
	if err != nil {
		return nil, err
	}
	begun, err := access.Write(ctx, s.data, caller, access.ToLookUpBuyer, func(tx *db.Tx, who access.Staff) (bool, error) {
		begun, err := lookup.begin(tx)
		if err != nil {
			return false, err
		}
		if !begun {
			return false, nil
		}
		return true, who.Audit(tx, o.subject(), access.Set("provider", lookup.adapter.Provider))
	})
	if err != nil {
		return nil, err
	}
	if begun {
		if err := s.runLookup(ctx, lookup, staffWait); err != nil {
			return nil, errCourierList(lookup.adapter.Provider, err)
		}
	}
	return access.Read(ctx, s.data, caller, access.ToLookUpBuyer, func(tx *db.Tx, _ access.Staff) (*CourierRecord, error) {
		record, err := findCourierRecord(tx, o.phone, o.test)
		if view := record.view(); view != nil || err != nil {
			return view, err
		}
		return nil, &fault.Error{
			Code: fault.CodeUnavailable, RetryAfter: int(recordRetry.Seconds()), Message: "The courier has not responded. Try again in ten minutes.",
		}
	})
}

// lookUpBeforePlacing looks up the buyer of a cash order if its advance depends on a courier's
// record. An order does not fail because of a courier: the record then is unknown.
func (s *Orders) lookUpBeforePlacing(ctx context.Context, cmd *placeCommand) {
	set := cmd.set.Settings
	if !set.CourierRecords || !set.Advance.needsCourier() || cmd.req.method != status.PayCOD || cmd.req.phone == "" {
		return
	}
	if err := s.lookUpPhone(ctx, cmd.req.phone, set.ActiveMode, recordWait); err != nil {
		s.cfg.Log.InfoContext(ctx, "look up a buyer at the courier", "tenant", s.UID(), "error", err)
	}
}

// lookUpPhone looks up a phone number unless it was looked up less than a day ago.
func (s *Orders) lookUpPhone(ctx context.Context, phone string, mode plugin.Mode, wait time.Duration) error {
	lookup, err := s.newLookup(ctx, phone, mode)
	if err != nil {
		return err
	}
	var begun bool
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		begun, err = lookup.begin(tx)
		return err
	})
	if err != nil {
		return err
	}
	if !begun {
		return nil
	}
	return s.runLookup(ctx, lookup, wait)
}

// LookUpBuyers looks up the buyers of cash orders of the last day, each number once a day, if the
// merchant has switched it on. A lookup that failed is not repeated by itself.
func (s *Orders) LookUpBuyers(ctx context.Context) (next time.Time, err error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return time.Time{}, err
	}
	if !set.CourierRecords {
		return time.Time{}, nil
	}
	var due []newCashOrder
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		due, err = findNewCashOrders(tx, db.Millis(tx.Now().Add(-recordFresh)), recordBatch)
		return err
	})
	if err != nil {
		return time.Time{}, err
	}
	if len(due) == 0 {
		return time.Time{}, nil
	}
	now := s.now()
	if len(due) == recordBatch {
		next = now
	}
	last := due[0].number
	for _, o := range due {
		last = o.number
		if err = s.lookUpPhone(ctx, o.phone, o.mode, recordWait); err != nil && !fault.HasCode(err, fault.CodeStateConflict) {
			s.cfg.Log.InfoContext(ctx, "look up a buyer at the courier", "tenant", s.UID(), "order", o.number, "error", err)
			next = now.Add(time.Minute) // of the others
			break
		}
	}
	err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return saveLookedUp(tx, last) })
	return next, err
}
