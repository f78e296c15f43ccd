package shop

import (
	"cmp"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/order"
	"storefront/shop/staff"
)

// settingPermission returns the permission that a change of a setting requires beside
// settings.write; "" means none. To weaken sign-in, close the shop or change its providers'
// environment must not be easier here than by the dedicated use case.
func settingPermission(name string) access.Permission {
	switch name {
	case "suspended":
		return access.ShopClose
	case "activeMode":
		return access.ProvidersWrite
	}
	return ""
}

// ownerSettings are the settings that protect sign-in and orders against strangers. Only an owner
// or the operator changes them: a manager must not weaken what protects the owners.
var ownerSettings = []string{"requireSecondFactor", "limits", "proofOfWork", "orderTokenDays"}

// requireSettings checks that the caller may change these settings. Codes: forbidden,
// proof_required, validation_failed.
func requireSettings(tx *db.Tx, who access.Staff, changes []access.Change) error {
	for _, change := range changes {
		if p := settingPermission(change.Field); p != "" {
			if err := who.Require(tx, p); err != nil {
				return err
			}
		}
		if !slices.Contains(ownerSettings, change.Field) {
			continue
		}
		if !who.IsOwner() {
			return fault.Errorf(fault.CodeForbidden, "Only an owner of the shop can change the setting %s.", change.Field)
		}
		if err := who.Prove(tx); err != nil {
			return err
		}
	}
	return nil
}

// checkLimits checks the limits that a caller sets. Only the operator, at the command line, exceeds
// the bounds of [account.Limits.CheckChange]. Codes: validation_failed.
func checkLimits(who access.Staff, before, after account.Limits) error {
	var bad fault.Invalid
	if who.Actor().Kind != access.ActorCLI {
		after.CheckChange(&bad, before)
	}
	return bad.Err()
}

// StaffSettings are the shop's settings as one caller may view them. Only callers who may view
// staff members see the protection of sign-in, because it would help an attacker.
type StaffSettings struct {
	Settings
	Limits              *account.Limits    `json:"limits" doc:"For failed sign-ins and text messages; 0 means the default. Null without staff.read"`
	RequireSecondFactor *staff.Requirement `json:"requireSecondFactor" doc:"Members who must sign in with a second factor. Null without staff.read"`

	Inherited []DefaultKey `json:"inherited" nullable:"false" doc:"Defaults of the operator that are in effect: the shop has none of its own, or cannot"`
}

// staffSettingsFor returns the settings as the caller may view them. Unset settings with a fixed
// list of values have their default.
func staffSettingsFor(who access.Staff, set Settings) *StaffSettings {
	set.CashForBadRecords = cmp.Or(set.CashForBadRecords, order.CashAllow)
	set.RequireSecondFactor = cmp.Or(set.RequireSecondFactor, staff.RequireNone)
	set.Print.LabelSize = cmp.Or(set.Print.LabelSize, LabelSizes()[0])
	set.Print.ReceiptSize = cmp.Or(set.Print.ReceiptSize, ReceiptSizes()[0])
	set.Print.Language = cmp.Or(set.Print.Language, set.language())
	set.Suspended = set.IsClosed()
	view := &StaffSettings{Settings: set}
	if who.Permits(access.StaffRead) {
		view.Limits, view.RequireSecondFactor = &set.Limits, &set.RequireSecondFactor
	}
	return view
}
