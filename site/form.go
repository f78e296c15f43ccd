package site

import (
	"errors"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/url"
	"slices"

	"storefront/shop/fault"
)

// form returns the form of a request. Codes: malformed.
func (r *request) form() (url.Values, error) {
	if r.posted != nil {
		return r.posted, nil
	}
	if media, parameters, err := mime.ParseMediaType(r.Request.Header.Get("Content-Type")); err == nil && r.page.IsUpload(media) {
		return r.formWithPhoto(parameters["boundary"])
	}
	body, err := io.ReadAll(io.LimitReader(r.Request.Body, maxForm+1))
	form, perr := url.ParseQuery(string(body))
	if errors.Join(err, perr) != nil || len(body) > maxForm {
		return nil, errNoForm()
	}
	return r.accept(form)
}

func errNoForm() error { return &fault.Error{Code: fault.CodeMalformed, Message: "Must be a form."} }

// accept returns the form that was read, unless it has invalid texts.
func (r *request) accept(form url.Values) (url.Values, error) {
	invalid := func(values []string) bool {
		return slices.ContainsFunc(values, func(v string) bool { return !isText(v) })
	}
	if slices.ContainsFunc(slices.Collect(maps.Values(form)), invalid) {
		return nil, errNoForm()
	}
	r.posted = form
	return form, nil
}

// maxParts is the maximum number of fields of a form with a photo.
const maxParts = 16

// formWithPhoto is form for a form with a photo. The server has read its body, within its limit. A
// photo that was not chosen has no bytes.
func (r *request) formWithPhoto(boundary string) (url.Values, error) {
	form := url.Values{}
	parts := multipart.NewReader(r.Request.Body, boundary)
	for range maxParts {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return r.accept(form)
		}
		if err != nil {
			return nil, errNoForm()
		}
		value, err := io.ReadAll(part)
		switch {
		case err != nil:
			return nil, errNoForm()
		case part.FormName() == photoField:
			r.photo = value
		case len(value) > maxForm:
			return nil, errNoForm()
		default:
			form.Add(part.FormName(), string(value))
		}
	}
	return nil, errNoForm()
}

// wrong are the texts at the fields of a form, by the name of the field.
type wrong map[string]string

// fieldsOf are the form's fields by the fields of the inputs of orders, accounts and codes.
var fieldsOf = map[string]string{
	"name": "name", "phoneNumber": "phone", "code": "code", "address.line1": "address", "address.city": "city",
	"customer.name": "name", "customer.phoneNumber": "phone", "shippingAddress.line1": "address", "shippingAddress.city": "city",
	"note": "note", "couponCode": "coupon", "deliveryChargeId": "delivery", "paymentMethod": "payment",
}

// explain returns the texts of an error at the form's fields, and for the whole form. ok is false
// if a buyer cannot have caused it.
func (f *frame) explain(err error) (fields wrong, all string, ok bool) {
	found, isFault := errors.AsType[*fault.Error](err)
	if !isFault {
		return nil, "", false
	}
	fields = wrong{}
	for _, field := range found.Fields {
		if name := fieldsOf[field.Field]; name != "" && fields[name] == "" {
			fields[name] = f.fieldText(name, field.Code, field.Message)
		}
	}
	if text, known := formTexts[f.Lang][found.Code]; known {
		return fields, text, true
	}
	switch found.Code {
	case fault.CodeValidationFailed:
		return fields, f.W.Fix, true
	case fault.CodeOTPInvalid:
		fields["code"] = f.fieldText("code", fault.CodeOTPInvalid, "")
		return fields, f.W.Fix, true
	case fault.CodePhoneRequired:
		fields["phone"] = f.fieldText("phone", fault.CodeRequired, "")
		return fields, f.W.Fix, true
	}
	if len(fields) > 0 {
		return fields, f.W.Fix, true
	}
	return nil, "", false
}

// fieldText returns the text of an invalid field.
func (f *frame) fieldText(name string, code fault.Code, message string) string {
	texts := fieldTexts[f.Lang]
	if text, ok := texts[name+" "+string(code)]; ok {
		return text
	}
	if text, ok := texts[string(code)]; ok {
		return text
	}
	if text, ok := texts[name]; ok && f.Lang == "bn" {
		return text
	}
	if message == "" || f.Lang == "bn" {
		return f.W.Fix
	}
	return message
}
