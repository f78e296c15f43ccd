package shop

// SalesQueries returns the statements about the sales of a period, by what their rows stand for.
func SalesQueries() map[SalesGrouping]string { return salesQueries }
