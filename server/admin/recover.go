package admin

import (
	"context"
	"reflect"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/job"
	"storefront/shop/order"
	"storefront/shop/staff"
)

// recovery reads the record that a change was made to, as the response of the operation.
type recovery func(ctx context.Context, r *request, s *shop.Shop, id string) (any, error)

// recoverable is a response that can be read again.
type recoverable struct {
	response reflect.Type
	subject  access.SubjectKind
}

// recoveries are the responses that can be read again: those that are a record, without a secret
// and without what only the first attempt knew. The operator reads, since the caller may see the
// response of a change without the permission to read; costs are removed as from stored responses.
var recoveries = map[recoverable]recovery{
	of[order.Order](access.SubjectOrder): func(ctx context.Context, _ *request, s *shop.Shop, id string) (any, error) {
		found, err := s.Orders.FindOrderAsStaff(ctx, access.Operator(), id)
		if err != nil {
			return nil, err
		}
		return &found.Order, nil
	},
	of[order.StaffOrder](access.SubjectOrder): func(ctx context.Context, _ *request, s *shop.Shop, id string) (any, error) {
		return s.Orders.FindOrderAsStaff(ctx, access.Operator(), id)
	},
	of[order.StaffPlacement](access.SubjectOrder): func(ctx context.Context, _ *request, s *shop.Shop, id string) (any, error) {
		found, err := s.Orders.FindOrderAsStaff(ctx, access.Operator(), id)
		return &order.StaffPlacement{Order: found, Warnings: []order.Warning{}}, err
	},
	of[order.AttemptRecord](access.SubjectPayment): func(ctx context.Context, _ *request, s *shop.Shop, id string) (any, error) {
		return s.Orders.FindPaymentAttempt(ctx, access.Operator(), id)
	},
	of[order.Coupon](access.SubjectCoupon): func(ctx context.Context, r *request, s *shop.Shop, id string) (any, error) {
		return r.coupon(s.Orders.FindCoupon(ctx, access.Operator(), id))
	},
	of[catalogue.ProductRecord](access.SubjectProduct): func(ctx context.Context, r *request, s *shop.Shop, id string) (any, error) {
		return r.product(s.Catalogue.FindProductRecord(ctx, access.Operator(), id))
	},
	of[catalogue.CollectionRecord](access.SubjectCollection): func(ctx context.Context, r *request, s *shop.Shop, id string) (any, error) {
		return r.collection(s.Catalogue.FindCollectionRecord(ctx, access.Operator(), id))
	},
	of[catalogue.StockLevel](access.SubjectVariant): func(ctx context.Context, _ *request, s *shop.Shop, id string) (any, error) {
		return s.Catalogue.FindStock(ctx, access.Operator(), id)
	},
	of[job.Job](access.SubjectJob): func(ctx context.Context, _ *request, s *shop.Shop, id string) (any, error) {
		return s.Jobs.FindJob(ctx, access.Operator(), id)
	},
}

func of[T any](subject access.SubjectKind) recoverable {
	return recoverable{reflect.TypeFor[T](), subject}
}

// recoverOr runs an operation, unless an earlier attempt with the same idempotency key has made its
// change: then it reads the record. An operation that resumes may have stopped halfway, so that its
// record does not show a success. Codes: as for do, and state_conflict (the response is lost).
func recoverOr[T any](ctx context.Context, x Exchange, resumes bool, do func() (*T, error)) (*T, error) {
	lost := x.Lost()
	if lost == nil {
		return do()
	}
	read := recoveries[of[T](lost.Kind)]
	if read == nil || resumes || lost.ID == "" {
		return nil, staff.ErrResponseLost()
	}
	found, err := read(ctx, &request{x}, x.Shop(), lost.ID)
	if err != nil { // such as a record that was deleted since
		return nil, staff.ErrResponseLost()
	}
	return found.(*T), nil
}
