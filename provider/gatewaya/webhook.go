package gatewaya

import (
	"crypto/md5"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	"storefront/provider"
	"storefront/shop/plugin"
)

// ReadWebhook verifies the signatures of a webhook (IPN) and parses it. It returns false if the
// webhook is not authentic. The signatures cover only the fields listed in verify_key, so the
// required fields must be among them.
func (a *Adapter) ReadWebhook(settings plugin.Settings, body []byte) (plugin.PaymentEvent, bool) {
	form, err := url.ParseQuery(string(body))
	if err != nil || !isSigned(form, settings) {
		return plugin.PaymentEvent{}, false
	}
	status := form.Get("status")
	event := plugin.PaymentEvent{Ref: form.Get("tran_id"), Event: status, State: plugin.GatewayOpen}
	switch provider.Slug(status, "_") {
	case "valid", "validated":
		event.State, event.ValidationID = plugin.GatewayPaid, form.Get("val_id")
	case "failed":
		event.State = plugin.GatewayFailed
		if slices.Contains(strings.Split(form.Get("verify_key"), ","), "error") {
			event.Reason = words(settings, provider.Payload{"error": form.Get("error")}, "the payment failed")
		}
	case "cancelled":
		event.State = plugin.GatewayCancelled
	case "expired", "unattempted":
		event.State = plugin.GatewayExpired
	}
	return event, true
}

// mustBeSigned lists the fields that the signatures must cover.
var mustBeSigned = []string{"tran_id", "status", "amount", "currency", "store_id"}

func isSigned(form url.Values, settings plugin.Settings) bool {
	password := settings["store_password"]
	if password == "" || settings["store_id"] == "" || form.Get("store_id") != settings["store_id"] {
		return false
	}
	names := strings.Split(form.Get("verify_key"), ",")
	if !coversRequired(form, names) {
		return false
	}
	md5Sign, sha2Sign := form.Get("verify_sign"), form.Get("verify_sign_sha2")
	if md5Sign == "" && sha2Sign == "" {
		return false
	}
	md5OK := equal(md5Sign, signature(form, names, password, md5Hex))
	sha2OK := equal(sha2Sign, signature(form, names, password, sha256Hex))
	return (md5Sign == "" || md5OK) && (sha2Sign == "" || sha2OK)
}

// coversRequired reports whether signatures of the named fields cover all that must be signed.
func coversRequired(form url.Values, names []string) bool {
	for _, name := range names {
		if len(form[name]) > 1 {
			return false // ambiguous: only one of the values is signed
		}
	}
	required := mustBeSigned
	if status := provider.Slug(form.Get("status"), "_"); status == "valid" || status == "validated" {
		required = append(slices.Clone(required), "val_id")
	}
	for _, name := range required {
		if !slices.Contains(names, name) || form.Get(name) == "" {
			return false
		}
	}
	return true
}

// Sign adds verify_key and both signatures to form as SSLCommerz does. names are the fields that
// the signatures cover.
func Sign(form url.Values, names []string, password string) {
	form.Set("verify_key", strings.Join(names, ","))
	form.Set("verify_sign", signature(form, names, password, md5Hex))
	form.Set("verify_sign_sha2", signature(form, names, password, sha256Hex))
}

// signature hashes the named fields and the hash of the password, sorted by name. The algorithm is
// from SSLCommerz's PHP library. Both hashes were verified against the sample webhook in the README
// of its Python library.
func signature(form url.Values, names []string, password string, hash func(string) string) string {
	fields := map[string]string{"store_passwd": hash(password)}
	for _, name := range names {
		if values, ok := form[name]; ok && name != "store_passwd" {
			fields[name] = values[0]
		}
	}
	pairs := make([]string, 0, len(fields))
	for name, value := range fields {
		pairs = append(pairs, name+"="+value)
	}
	slices.SortFunc(pairs, func(a, b string) int {
		nameA, _, _ := strings.Cut(a, "=")
		nameB, _, _ := strings.Cut(b, "=")
		return strings.Compare(nameA, nameB)
	})
	return hash(strings.Join(pairs, "&"))
}

// md5Hex is the hash of verify_sign, the protocol's older signature.
func md5Hex(text string) string {
	sum := md5.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

func sha256Hex(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// equal compares two strings in constant time.
func equal(a, b string) bool {
	hashA, hashB := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(hashA[:], hashB[:]) == 1
}
