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
	"orders are named by their invoice UID":               {access.ToFindInvoiceUID},
	"ends an attack; part of the operations on many":      {access.ToCancelOrders},
	"replaces a whole product by its handle, for imports": {access.ToSaveProduct},
	"rows are enough in a list, and files have all":       {access.ToListOrders},
	"part of pricing a shipment":                          {access.ToSaveCashRate},
	"exported as one of the reports on sales":             {access.ToExportOverview},
	"an action of changing many products":                 {access.ToImportMedia},
}

// notInCommands lists the use cases of staff that no command offers, by the reason.
var notInCommands = map[string][]access.UseCase{
	"the command cancels by CancelOrder, which calls it": {access.ToCancelOrderAsStaff},
	"claims are for people at a screen":                  {access.ToClaimOrder, access.ToReleaseOrder},
	"commands list whole orders":                         {access.ToListOrderRows},
	"commands list coupons with all their rules":         {access.ToFindCoupon},
	"commands list webhook endpoints with all fields":    {access.ToFindEndpoint},
	"commands save a collection whole":                   {access.ToFindCollectionRecord},
	"part of pricing a shipment":                         {access.ToSaveCashRate},
	"commands change one order at a time":                {access.ToChangeOrders},
	"commands change one product at a time, or a file":   {access.ToChangeProducts},
	"commands show the settings that the program uses":   {access.ToFindSettings},
	"pages that a browser prints":                        {access.ToPrintOrders},
	"for a first screen; commands show each part":        {access.ToFindSummary, access.ToSearchShop},
	"part of an import":                                  {access.ToSaveProduct},
	"the flags of the command are the fields":            {access.ToParseOrder},
	"uploads come from a browser or a program":           {access.ToUploadMedia, access.ToUpdateMedia, access.ToDeleteMedia},
	"commands list images with all their fields":         {access.ToFindMedia},
	"called by the package of the demo":                  {access.ToSeedCollection},
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
					declared[name] = true
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
