package e2e_test

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"
)

// withoutCaller lists the exported methods of the domain that have a context and no caller, by the
// reason. Public reads need no line: see publicUseCases.
var withoutCaller = map[string][]string{
	"public": {
		"shop.CatalogueIn", "shop.ImageExposure", "shop.LanguageOf", "shop.PageVersion", "shop.Settings", "shop.LogoURL", "shop.Site", "shop.TimeZone",
		"shop/catalogue.FindByVariants", "shop/catalogue.FindImages", "shop/catalogue.FindTypeLabels", "shop/catalogue.FindPublished",
		"shop/catalogue.IsSecond", "shop/catalogue.TranslateSold", "shop/content.FindRedirect",
		"shop/design.DeriveKey", "shop/design.Draft", "shop/design.FindLandingPage", "shop/design.IsPreview", "shop/design.Published",
		"shop/design.ShownMenus", "shop/design.VisibleLandingPages", "shop/order.FindLanguage", "shop/order.FindOffer", "shop/order.ListProductDiscounts",
		"shop/review.FindPublished",
	},
	"the request itself is authenticated": {
		"shop/order.HandleCourierWebhook", "shop/order.HandlePaymentWebhook",
		"shop/order.HandleCallback", "shop/order.HandleReturn", "shop/staff.CheckAPIKey",
	},
	"the caller was authorized before": {
		"shop/order.BuyerSubjects", "shop/order.FindOrdersFor", "shop/order.MessageOrders", "shop/order.Translate",
		"shop/cash.FindHeld", "shop/sales.Report", "shop/staff.NewDevice", "shop/catalogue.SaveProductTranslations",
		"shop/catalogue.Synonyms", "shop/catalogue.StorePhoto", "shop/review.AddPhotos",
	},
	"the program acts by itself": {
		"shop.CheckConnections", "shop.DefaultsForShops", "shop.FindActivity", "shop.FindFailures", "shop.FindMask",
		"shop.PlanPercent", "shop.RenewDefaults", "shop.RenewPlan",
		"shop/sender.InheritsMail", "shop/sender.InheritsSMS", "shop.WarnOfPlan",
		"shop/order.ExpireOrders", "shop/order.IndexOrders", "shop/order.PostOrders", "shop/order.PostForReading",
		"shop/order.CloseOrderedIncomplete", "shop/order.PurgeIncomplete", "shop/order.LookUpBuyers",
		"shop/order.SweepPayments", "shop/order.SweepBookings", "shop/order.SweepShipments",
		"shop/inbox.Receive", "shop/inbox.StoreForOrder", "shop/inbox.RecordRefused", "shop/inbox.PurgeWebhooks",
		"shop/cash.CountCash", "shop/sales.CountDays", "shop/message.SendDue", "shop.AdoptCopy", "shop/staff.PurgeAudit",
		"shop.CheckInvariants", "shop.CheckSecrets", "shop.Version", "shop.ContentVersion", "shop/account.ClientThrottle",
		"shop/sender.Check", "shop/sender.CheckMail", "shop/sender.HasMail", "shop/sender.ReachesPhone",
		"shop/sender.SendMail", "shop/sender.SendTo", "shop/sender.SendText",
		"shop/account.NotifyDeleted", "shop/catalogue.EndAbandonedImport", "shop/catalogue.SweepMedia",
		"shop/staff.PurgeAccess", "shop/staff.IsSessionActive",
	},
}

// publicUseCases returns the names of the methods that operations call whose response is the same
// for every caller.
func publicUseCases(files []sourceFile) map[string]bool {
	public := map[string]bool{}
	for _, file := range files {
		if file.test || file.pkg != "server" {
			continue
		}
		ast.Inspect(file.File, func(n ast.Node) bool {
			register, ok := n.(*ast.CallExpr)
			if !ok || nameOf(register.Fun) != "registerCatalogue" {
				return true
			}
			ast.Inspect(register, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				called, _, _ := strings.Cut(strings.TrimPrefix(types.ExprString(call.Fun), "in.x.shop."), ".")
				if strings.HasPrefix(types.ExprString(call.Fun), "in.x.shop.") || called == "products" || called == "collections" {
					public[nameOf(call.Fun)] = true
				}
				return true
			})
			return false
		})
	}
	return public
}

// Every use case takes its caller, so that none lacks authorization.
func TestUseCases_Caller(t *testing.T) {
	t.Parallel()
	set, files := sources(t)
	receivers := map[string][]string{"shop": {"Shop"}, "shop/order": {"Orders"}, "shop/catalogue": {"Catalogue"},
		"shop/account": {"Accounts"}, "shop/staff": {"Staff"}, "shop/inbox": {"Inbox"}, "shop/cash": {"Ledger"},
		"shop/sales": {"Reports"}, "shop/content": {"Content"}, "shop/design": {"Designs"}, "shop/review": {"Reviews"},
		"shop/live": {"Hub"}, "shop/message": {"Messages"}, "shop/sender": {"Sender"}}
	excepted := slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(withoutCaller))...)))
	public := publicUseCases(files)
	var found []string
	for _, file := range files {
		if file.test || receivers[file.pkg] == nil {
			continue
		}
		for _, decl := range file.Decls {
			method, ok := decl.(*ast.FuncDecl)
			if !ok || method.Recv == nil || !method.Name.IsExported() || !slices.Contains(receivers[file.pkg], nameOf(method.Recv.List[0].Type)) {
				continue
			}
			params := method.Type.Params.List
			if len(params) == 0 || nameOf(params[0].Type) != "Context" || len(params) > 1 && nameOf(params[1].Type) == "Caller" {
				continue
			}
			name := file.pkg + "." + method.Name.Name
			found = append(found, name)
			if !slices.Contains(excepted, name) && !public[method.Name.Name] {
				t.Errorf("%s: %s takes no caller, want it after the context or a reason in withoutCaller", set.Position(method.Pos()), name)
			}
		}
	}
	for _, name := range excepted {
		if !slices.Contains(found, name) {
			t.Errorf("%s takes a caller or does not exist, want no exception", name)
		}
	}
}

// nameOf returns the name of a type without package and pointer.
func nameOf(typ ast.Expr) string {
	switch typ := typ.(type) {
	case *ast.StarExpr:
		return nameOf(typ.X)
	case *ast.SelectorExpr:
		return typ.Sel.Name
	case *ast.Ident:
		return typ.Name
	}
	return ""
}
