package plugin

// SampleShipment is the shipment of a test webhook, invented if the order has none yet.
type SampleShipment struct {
	ConsignmentID string
	Ref           string
	Cash          int64 // due from the buyer, in minor units
}
