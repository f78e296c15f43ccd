package shop

import "slices"

// paymentMethods are what an order can be paid with now.
func (set *cachedSettings) paymentMethods() []PaymentMethod { return []PaymentMethod{PayCOD} }

func (set *cachedSettings) checkPaymentMethod(method PaymentMethod) error {
	if slices.Contains(set.paymentMethods(), method) {
		return nil
	}
	const message = "The shop does not take this payment method: choose one of its paymentMethods."
	return &Error{
		Code: CodePaymentMethodUnavailable, Message: message,
		Fields:  []FieldError{{Field: "paymentMethod", Code: CodePaymentMethodUnavailable, Message: message}},
		Details: map[string]any{"paymentMethods": set.paymentMethods()},
	}
}
