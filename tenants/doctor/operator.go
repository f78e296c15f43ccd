package doctor

import (
	"context"
	"slices"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/staff"
	"storefront/tenants"
)

// examineOperators checks the data of the whole server as a shop's, and whether an owner can sign
// in to the console. A server without operators has no finding.
func (t *examiner) examineOperators(ctx context.Context, found *findings) {
	var file findings
	readable, err := t.examineFile(ctx, &file, tenants.Installation)
	if fault.HasCode(err, fault.CodeTenantNotFound) {
		return
	}
	if err != nil {
		found.addResult(CodeOperators, "", err)
		return
	}
	for _, f := range file {
		if f.State != StateOK {
			*found = append(*found, NewFinding(CodeOperators, f.State, "Their data, %s: %s", f.Name, f.Message))
		}
	}
	if !readable {
		return
	}
	s, err := t.Installation(ctx)
	var members []staff.Member
	if err == nil {
		err = s.CheckSecrets(ctx)
	}
	if err == nil {
		members, err = s.Staff.ListMembers(ctx, access.Operator())
	}
	if err != nil {
		found.addResult(CodeOperators, "", err)
		return
	}
	examineOwner(found, members)
}

// examineOwner checks whether an owner among the operators can sign in.
func examineOwner(found *findings, members []staff.Member) {
	isReady := func(m staff.Member) bool {
		return m.Role == staff.RoleOwner && m.Status == staff.StatusActive && m.SecondFactor != staff.SecondFactorNone
	}
	if len(members) > 0 && !slices.ContainsFunc(members, isReady) {
		found.warn(CodeOperatorsOwner,
			"No owner of %d operators has set a password and a second factor. Create a link with "+
				"`storefront operator reset`, or another owner with `storefront operator create`.", len(members))
		return
	}
	found.ok(CodeOperators, "Their data is intact; operators: %d.", len(members))
}
