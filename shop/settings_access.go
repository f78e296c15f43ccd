package shop

import (
	"cmp"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/staff"
)

// settingPermission returns the permission that a change of a setting requires beside
// settings.write; "" means none. What weakens sign-in, closes the shop or changes its providers'
// environment must not be easier here than by the use case that is about it.
func settingPermission(name string) access.Permission {
	switch name {
	case "suspended":
		return access.ShopClose
	case "activeMode":
		return access.ProvidersWrite
	case "requireSecondFactor", "limits":
		return access.StaffWrite
	}
	return ""
}

// requireSettings checks that the caller may change these settings. Codes: forbidden,
// proof_required.
func requireSettings(tx *db.Tx, who access.Staff, changes []access.Change) error {
	for _, change := range changes {
		if p := settingPermission(change.Field); p != "" {
			if err := who.Require(tx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// StaffSettings are the shop's settings as one caller may view them. How well sign-in is protected
// is shown only to those who may view staff members, because it would help an attacker.
type StaffSettings struct {
	Settings
	Limits              *account.Limits    `json:"limits" doc:"Of failed sign-ins and text messages; 0: the default. null without staff.read"`
	RequireSecondFactor *staff.Requirement `json:"requireSecondFactor" doc:"Who must sign in with a second factor. null without staff.read"`
}

// staffSettingsFor returns the settings as the caller may view them. Those with a value from a list
// have their default if they are not set.
func staffSettingsFor(who access.Staff, set Settings) *StaffSettings {
	set.CashForBadRecords = cmp.Or(set.CashForBadRecords, CashAllow)
	set.RequireSecondFactor = cmp.Or(set.RequireSecondFactor, staff.RequireNone)
	set.Print.LabelSize = cmp.Or(set.Print.LabelSize, LabelSizes()[0])
	set.Print.ReceiptSize = cmp.Or(set.Print.ReceiptSize, ReceiptSizes()[0])
	set.Print.Language = cmp.Or(set.Print.Language, set.language())
	view := &StaffSettings{Settings: set}
	if who.Permits(access.StaffRead) {
		view.Limits, view.RequireSecondFactor = &set.Limits, &set.RequireSecondFactor
	}
	return view
}
