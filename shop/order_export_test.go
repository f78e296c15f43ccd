package shop

// OrderQueries are the statements of orders whose plan matters, by what they find.
func OrderQueries() map[string]string {
	few, _ := inList([]string{"1", "2"})
	one, _ := inList([]string{"1"})
	history, _ := orderQuery{customerID: "c"}.page(window{page: 1, limit: DefaultLimit})
	staff, _ := orderQuery{}.page(window{page: 1, limit: DefaultLimit})
	byStatus, _ := orderQuery{status: OrderPending}.page(window{page: 1, limit: DefaultLimit})
	return map[string]string{
		"a variant":              saleVariantsQuery("v.id", one),
		"several variants":       saleVariantsQuery("v.id", few),
		"a product's variants":   saleVariantsQuery("p.id", one),
		"variants of several":    saleVariantsQuery("p.id", few),
		"uses of a coupon":       couponUsesQuery,
		"a customer's orders":    history,
		"all orders":             staff,
		"all orders of a status": byStatus,
	}
}
