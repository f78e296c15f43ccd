package shop

// SalesQueries returns the statements about the sales of a period.
func SalesQueries() []string { return []string{soldOrdersQuery, soldItemsQuery, soldShipmentsQuery} }
