package graphql

// The complexity costs of operations. Their sum per document must not exceed Config.MaxComplexity.
const (
	costOne   = 10  // one record; at least this much for a list
	costAll   = 400 // a list without paging: a document may have two
	costQuote = 50  // pricing of a cart
	costWrite = 100 // any write
	costWork  = 20  // one unit of a search's work, see catalogue.ProductFilter
)

// costSchemaValue is the number of values that one value of the schema counts as: the schema refers
// to itself, so a small document could traverse it for a long time.
const costSchemaValue = 10
