package shop

import (
	"reflect"
	"slices"
	"testing"
)

// Each setting is either one that a new shop receives from a template, or is listed here: a new
// setting must not reach other merchants' shops by accident.
func TestTemplate_Settings(t *testing.T) {
	t.Parallel()
	own := []string{
		"Name", "LogoURL", "StorefrontURL", "TrackingURL", "MediaURL", "Origins", "Domains", "ConfirmedDomains",
		"SupportContact", "SocialLinks", "ActiveMode", "Suspended", "SandboxOf", "Suspension", "Plan", "Defaults", "SetupHidden", "Advertising",
	}
	var set Settings
	fill(reflect.ValueOf(&set).Elem())
	got := set.forTemplate()
	for field, value := range reflect.ValueOf(got).Fields() {
		if value.IsZero() != slices.Contains(own, field.Name) {
			t.Errorf("%s: got %v in a new shop; copy it, or list it as the template's own", field.Name, value)
		}
	}
	if got.Advance.Wallets != nil || got.Brand.LogoID != "" || got.Site.Host != "" || got.Site.Announcement != "" ||
		got.Invoice.LegalName != "" || got.Invoice.TaxID != "" || got.Invoice.Registration != "" || got.Invoice.Prefix != "" {
		t.Errorf("got %+v, %+v, %+v and %+v, want nothing of the merchant", got.Advance, got.Brand, got.Site, got.Invoice)
	}
}

// fill sets every field of a value to another than its zero value.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	}
}
