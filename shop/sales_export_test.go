package shop

// SalesQueries returns the statements about sales, by what they find.
func SalesQueries() map[string]string {
	return map[string]string{"days": dailySalesQuery(), "couriers": courierSalesQuery(), "products": productSalesQuery}
}
