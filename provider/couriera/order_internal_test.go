package couriera

import (
	"encoding/json"
	"testing"

	"storefront/shop/money"
	"storefront/shop/plugin"
)

// Places are sent if staff have chosen them, and never as null or 0.
func TestNewOrder_Place(t *testing.T) {
	t.Parallel()
	taka, _ := money.ParseCurrency("BDT")
	shipment := plugin.ShipmentRequest{
		Ref: "A1", Name: "Rahima", Phone: "+8801711223344", Currency: taka, Items: 1,
		Address: plugin.ShipmentAddress{Way: "House 12, Road 5", Place: "Dhaka"},
	}
	for want, place := range map[string]plugin.CourierPlace{
		`{"store_id":1,"merchant_order_id":"A1","recipient_name":"Rahima","recipient_phone":"01711223344","recipient_address":"House 12, Road 5, Dhaka",` +
			`"delivery_type":48,"item_type":2,"item_quantity":1,"item_weight":0.5,"amount_to_collect":0}`: {},
		`{"store_id":1,"merchant_order_id":"A1","recipient_name":"Rahima","recipient_phone":"01711223344","recipient_address":"House 12, Road 5, Dhaka",` +
			`"recipient_city":1,"recipient_zone":49,"recipient_area":37,` +
			`"delivery_type":48,"item_type":2,"item_quantity":1,"item_weight":0.5,"amount_to_collect":0}`: {City: 1, Zone: 49, Area: 37},
	} {
		shipment.Place = place
		order, err := newOrder(plugin.Settings{keyStore: "1"}, shipment)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(order); string(got) != want || err != nil {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
}
