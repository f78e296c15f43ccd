package shop

import (
	"context"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/design"
	"storefront/shop/plugin"
	"storefront/shop/staff"
)

// SetupStep is a step of setting up a shop.
//
//api:enum SetupStep
type SetupStep string

// The steps of setting up a shop, in their order.
const (
	SetupLogo           SetupStep = "logo"           // the setting brand.logoId or logoUrl
	SetupProduct        SetupStep = "product"        // a published product with an image
	SetupDesign         SetupStep = "design"         // a published version of the design
	SetupDeliveryCharge SetupStep = "deliveryCharge" // the setting deliveryCharges
	SetupCourier        SetupStep = "courier"        // a courier that has accepted the account
	SetupPayment        SetupStep = "payment"        // a gateway that has accepted the account
	SetupSMS            SetupStep = "sms"            // a gateway that has accepted a text message
	SetupSecondFactor   SetupStep = "secondFactor"   // a second factor of every owner
	SetupDomain         SetupStep = "domain"         // the setting domains
	SetupTestOrder      SetupStep = "testOrder"      // the first order, such as one of your own
)

// SetupTask is a step of setting up a shop, and whether it is done.
type SetupTask struct {
	Step SetupStep `json:"step"`
	Done bool      `json:"done"`
	Link string    `json:"link" doc:"Path of the operation for the step, below the shop's, such as settings"`
}

// findSetup returns the steps of setting up the shop, nil if all are done or hidden by the setting.
func (s *Shop) findSetup(ctx context.Context, who access.Staff) ([]SetupTask, error) {
	set, values, err := s.loadPluginValues(ctx)
	if err != nil {
		return nil, err
	}
	if set.SetupHidden {
		return nil, nil
	}
	var connections map[connectionKey]*connectionRow
	works := func(name string, mode plugin.Mode) bool {
		return connections[connectionKey{name, mode}].view().State == ConnectionWorks
	}
	ready := func(can plugin.Capability) bool {
		return slices.ContainsFunc(s.plugins, func(p plugin.Plugin) bool {
			missing, has := p.Missing(can, set.ActiveMode, values[p.Provider])
			return has && len(missing) == 0 && (p.Checker == nil || works(string(p.Provider), set.ActiveMode))
		})
	}
	var product, designed, sms, factor, order bool
	err = s.data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		if connections, err = findConnections(tx); err != nil {
			return err
		}
		if product, err = catalogue.HasProductWithImage(tx); err != nil {
			return err
		}
		if designed, err = design.IsPublished(tx); err != nil {
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
		{SetupLogo, set.logo.URL != "", "settings"},
		{SetupProduct, product, "products"},
		{SetupDesign, designed || !set.Site.IsEnabled(), "design"},
		{SetupDeliveryCharge, len(set.DeliveryCharges) > 0, "settings"},
		{SetupCourier, ready(plugin.CanBook), "providers"},
		{SetupPayment, ready(plugin.CanPay), "providers"},
		{SetupSMS, set.sendsSMS(sms, works), "sms"},
		{SetupSecondFactor, factor, "me/totp"},
		{SetupDomain, len(set.Domains) > 0, "settings"},
		{SetupTestOrder, order, "orders"},
	}
	if !slices.ContainsFunc(tasks, func(task SetupTask) bool { return !task.Done }) {
		return nil, nil
	}
	return tasks, nil
}

// sendsSMS reports whether text messages are sent: with the shop's own gateway if it works, or with
// an inherited one.
func (set *Settings) sendsSMS(hasOwn bool, works func(name string, mode plugin.Mode) bool) bool {
	if hasOwn {
		return works("sms", plugin.Live)
	}
	return set.Defaults.Has(DefaultSMS)
}
