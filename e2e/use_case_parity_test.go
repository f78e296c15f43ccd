package e2e_test

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"

	"storefront/shop/access"
)

// notInAdmin lists the use cases of staff that the Admin API does not offer, by the reason.
var notInAdmin = map[string][]access.UseCase{
	"orders are named by their invoice UID":          {access.ToFindInvoiceUID},
	"ends an attack; part of the operations on many": {access.ToCancelOrders},
	"rows are enough in a list, and files have all":  {access.ToListOrders},
	"part of pricing a shipment":                     {access.ToSaveCashRate},
	"exported as one of the reports on sales":        {access.ToExportOverview, access.ToExportCampaigns},
	"part of a call of a tool by an agent":           {access.ToReadAsAgent},
	"an action of changing many products":            {access.ToImportMedia},
	"an action of changing many shops":               {access.ToAssignPlan},
}

// notInCommands lists the use cases of staff that neither a command nor an operation offers, by the
// reason.
var notInCommands = map[string][]access.UseCase{
	"called by the package of the demo":       {access.ToSeedCollection, access.ToWriteHistory},
	"exported as one of the reports on sales": {access.ToExportOverview, access.ToExportCampaigns},
	"part of pricing a shipment":              {access.ToSaveCashRate},
	"part of a call of a tool by an agent":    {access.ToReadAsAgent},
}

// Commands, Admin API and the list of use cases offer the same use cases.
func TestUseCases_CommandsAndAdmin(t *testing.T) {
	t.Parallel()
	_, files := sources(t)
	called, declared := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		if file.test || file.pkg != "cmd" && file.pkg != "tenants" && file.pkg != "server/admin" {
			continue
		}
		ast.Inspect(file.File, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if name, isUse := strings.CutPrefix(s.Sel.Name, "To"); isUse && file.pkg == "server/admin" && nameOf(s.X) == "access" {
					declared[name], called[name] = true, true // "storefront api" has every operation
				} else if file.pkg != "server/admin" {
					called[s.Sel.Name] = true
				}
			}
			return true
		})
	}
	compare := func(side string, has map[string]bool, excepted map[string][]access.UseCase, skip func(access.Permission) bool) {
		reasons := slices.Concat(slices.Collect(maps.Values(excepted))...)
		for _, use := range access.UseCases() {
			isExcepted := slices.Contains(reasons, use)
			if got := has[use.Name]; got == isExcepted && !skip(use.Permission) {
				t.Errorf("%s: got %s offered: %t, and a reason why not: %t", side, use, got, isExcepted)
			}
		}
	}
	compare("Admin API", declared, notInAdmin, func(p access.Permission) bool { return p == access.OperatorOnly })
	compare("commands", called, notInCommands, func(p access.Permission) bool { return p == access.Own || p == access.Anybody })
}
