package shop

import (
	"context"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/plugin"
	"storefront/shop/staff"
)

// SetupStep names a step of setting up a shop.
type SetupStep string

// The steps of setting up a shop, in their order.
const (
	SetupLogo           SetupStep = "logo"
	SetupProduct        SetupStep = "product" // a published product with an image
	SetupDeliveryCharge SetupStep = "deliveryCharge"
	SetupCourier        SetupStep = "courier" // shipments can be booked in the shop's mode
	SetupPayment        SetupStep = "payment" // buyers can pay online in the shop's mode
	SetupSMS            SetupStep = "sms"
	SetupSecondFactor   SetupStep = "secondFactor" // of every owner
	SetupDomain         SetupStep = "domain"
	SetupTestOrder      SetupStep = "testOrder" // an order was placed, in any mode
)

// SetupTask is a step of setting up a shop, and whether it is done.
type SetupTask struct {
	Step SetupStep `json:"step"`
	Done bool      `json:"done"`
	Link string    `json:"link" doc:"Path of the operation that does it, below the shop's, such as settings"`
}

// findSetup returns the steps of setting up the shop, nil if all are done or hidden by the setting.
func (s *Shop) findSetup(ctx context.Context, who access.Staff) ([]SetupTask, error) {
	set, values, err := s.loadPluginValues(ctx)
	if err != nil || set.SetupHidden {
		return nil, err
	}
	ready := func(can plugin.Capability) bool {
		return slices.ContainsFunc(s.plugins, func(p plugin.Plugin) bool {
			missing, has := p.Missing(can, set.ActiveMode, values[p.Provider])
			return has && len(missing) == 0
		})
	}
	var product, sms, factor, order bool
	err = s.data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		if product, err = catalogue.HasProductWithImage(tx); err != nil {
			return err
		}
		if sms, err = s.Sender.HasSMS(tx); err != nil {
			return err
		}
		if factor, err = staff.OwnersHaveSecondFactor(tx); err != nil {
			return err
		}
		order, err = hasOrder(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	tasks := []SetupTask{
		{SetupLogo, set.logoURL != "", "settings"},
		{SetupProduct, product, "products"},
		{SetupDeliveryCharge, len(set.DeliveryCharges) > 0, "settings"},
		{SetupCourier, ready(plugin.CanBook), "providers"},
		{SetupPayment, ready(plugin.CanPay), "providers"},
		{SetupSMS, sms, "sms"},
		{SetupSecondFactor, factor, "me/totp"},
		{SetupDomain, len(set.Domains) > 0, "settings"},
		{SetupTestOrder, order, "orders"},
	}
	if !slices.ContainsFunc(tasks, func(task SetupTask) bool { return !task.Done }) {
		return nil, nil
	}
	return tasks, nil
}
