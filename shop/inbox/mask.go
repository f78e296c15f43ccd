package inbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"storefront/shop/input"
)

// shownFields are the fields of the providers' webhooks that contain neither personal data nor
// secrets. All others are masked, including fields that a provider may add.
var shownFields = map[string]bool{
	"event": true, "status": true, "order_status": true, "notification_type": true, "type": true,
	"consignment_id": true, "merchant_order_id": true, "invoice": true, "invoice_id": true,
	"return_consignment_id": true, "return_type": true,
	"store_id": true, "updated_at": true, "timestamp": true, "delivery_fee": true, "delivery_charge": true,
	"collected_amount": true, "cod_amount": true, "amount_to_collect": true,
	"tran_id": true, "val_id": true, "tran_date": true, "amount": true, "store_amount": true, "currency": true,
	"currency_type": true, "currency_amount": true, "currency_rate": true, "card_type": true, "card_brand": true,
	"risk_level": true, "verify_key": true,
	"paymentID": true, "version": true, "apiVersion": true, "product": true,
}

const maxShownBody = 20_000 // bytes

// maskBody returns a webhook's body for staff members: fields that identify the event are shown,
// the others are masked. An unparsable body retains only its shape.
func maskBody(contentType string, body []byte) string {
	var shown string
	switch media, _, _ := mime.ParseMediaType(contentType); {
	case media == "application/x-www-form-urlencoded":
		shown = maskForm(body)
	default:
		shown = maskJSON(body)
	}
	if len(shown) > maxShownBody {
		shown = strings.ToValidUTF8(shown[:maxShownBody], "") + "…"
	}
	return shown
}

func maskForm(body []byte) string {
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return maskShape(body)
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, value := range values[name] {
			if !shownFields[name] {
				value = maskText(value)
			}
			lines = append(lines, input.Clean(name+"="+value))
		}
	}
	return strings.Join(lines, "\n")
}

func maskJSON(body []byte) string {
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF"))))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil || dec.More() {
		return maskShape(body)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(maskValue("", value)); err != nil {
		return maskShape(body)
	}
	return input.Clean(strings.TrimSpace(text.String()))
}

func maskValue(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		masked := make(map[string]any, len(v))
		for field, inner := range v {
			masked[field] = maskValue(field, inner)
		}
		return masked
	case []any:
		masked := make([]any, len(v))
		for i, inner := range v {
			masked[i] = maskValue(name, inner)
		}
		return masked
	case nil, bool:
		return v
	}
	if shownFields[name] {
		return value
	}
	return maskText(fmt.Sprint(value))
}

// maskText replaces a value by its length in bytes.
func maskText(value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf("*** (%d)", len(value))
}

// maskShape replaces letters by x, digits by 9 and control characters by ?.
func maskShape(body []byte) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			return '9'
		case unicode.IsLetter(r), unicode.IsMark(r):
			return 'x'
		case r == unicode.ReplacementChar, unicode.IsControl(r) && r != '\n' && r != '\t':
			return '?'
		}
		return r
	}, string(body))
}
