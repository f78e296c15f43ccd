package shop

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/order"
	"storefront/shop/plugin"
)

// WriteHistory writes the past of a shop that has never had an order, for a demo: all of it in one
// transaction, or nothing. write executes the use cases of the past shop at the times that setNow
// sets, and may run again. The past shop has other providers, which need no settings, and refuses
// and confirms no order by the shop's settings. The numbers of its orders end before the first
// number of a shop. No provider is queried about open orders, and no buyer is sent a message.
func (s *Shop) WriteHistory(
	ctx context.Context, caller access.Caller, orders int64, providers []plugin.Plugin,
	write func(ctx context.Context, past *Shop, now time.Time, setNow func(time.Time)) error,
) error {
	who, err := s.data.Authorize(ctx, caller, access.ToWriteHistory)
	if err != nil {
		return err
	}
	return s.data.UpdateAloneAs(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		exists, err := order.ReserveNumbers(tx, orders)
		if err != nil {
			return err
		}
		if exists {
			return nil
		}
		cfg, now := s.cfg, tx.Now()
		cfg.Now = func() time.Time { return now }
		cfg.Store, cfg.Plugins = cfg.Store.Within(tx, cfg.Now), providers
		cfg.Products, cfg.Observer = nil, nil // others must not see what is not stored yet
		past := New(cfg)
		past.adjust = adjustInPast
		if err := write(ctx, past, now, func(at time.Time) { now = at }); err != nil {
			return err
		}
		return endWork(tx, "The order was not placed by a buyer.")
	})
}

// adjustInPast changes the settings that refuse or confirm orders.
func adjustInPast(set *Settings) {
	set.ActiveMode, set.AutoConfirm, set.Suspended, set.ProofOfWork = plugin.Live, false, false, nil
	set.OpenOrdersPerPhone, set.OpenOrdersPerClient = order.NoLimit, order.NoLimit
	set.CODProofAbove, set.CashForBadRecords = 0, order.CashAllow
}
