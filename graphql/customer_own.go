package graphql

import (
	"context"

	"storefront/shop/account"
	"storefront/shop/page"
)

// AccountExport returns all data of the caller's account.
func (*query) AccountExport(ctx context.Context) (*accountExport, error) {
	all := page.NoLimit
	r, done, err := beginList(ctx, costAll, page.Request{Limit: &all}.Work())
	if err != nil {
		return nil, err
	}
	defer done()
	export, err := r.shop.ExportAccount(ctx, r.caller)
	if err != nil {
		return nil, err
	}
	found := &accountExport{Customer: newCustomer(&export.Customer), Orders: make([]orderResolver, len(export.Orders))}
	found.Reviews = convert(export.Reviews, newReview)
	found.Attributions = convert(export.Attributions, newOrderAttribution)
	found.Passkeys = convert(export.Passkeys, newPasskey)
	found.IncompleteOrders = convert(export.IncompleteOrders, newExportedIncomplete)
	for i := range export.Orders {
		found.Orders[i] = newOrder(&export.Orders[i])
	}
	return found, nil
}

// JoinAccounts joins another account of the customer with the caller's.
func (*mutation) JoinAccounts(ctx context.Context, args struct{ Input account.JoinInput }) (*customer, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	joined, err := r.shop.Accounts.Join(ctx, r.caller, args.Input)
	if err != nil {
		return nil, err
	}
	c := newCustomer(joined)
	return &c, nil
}

// DeleteAccount deletes the caller's account.
func (*mutation) DeleteAccount(ctx context.Context, args struct{ Input account.ProofInput }) (*accountDeleted, error) {
	r, err := beginSignIn(ctx)
	if err != nil {
		return nil, err
	}
	deleted, err := r.shop.DeleteAccount(ctx, r.caller, args.Input)
	if err != nil {
		return nil, err
	}
	return &accountDeleted{Success: deleted.Success, Orders: int32(deleted.Orders)}, nil
}

type accountExport struct {
	Customer customer
	Orders   []orderResolver
	Reviews  []reviewResolver

	Attributions     []orderAttribution
	IncompleteOrders []exportedIncomplete
	Passkeys         []passkeyResolver
}

type accountDeleted struct {
	Success bool
	Orders  int32
}
