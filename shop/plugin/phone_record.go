package plugin

import "context"

// PhoneRecords reports what a courier knows of the buyers with a phone number, at all shops that it
// delivers for.
type PhoneRecords interface {
	// PhoneRecord returns the courier's record of a phone number, in E.164. It fails like the methods
	// of a [Courier].
	PhoneRecord(ctx context.Context, access Access, phone string) (PhoneRecord, error)
}

// PhoneRecord is a courier's record of a phone number. Shares are of the shipments to it, in
// hundredths of a percent; nil if the courier does not know.
type PhoneRecord struct {
	Delivered, Cancelled, Returned *int64
	Shipments                      string // how many, as the courier states it, such as 25+; "" if it does not know
	Reports                        int64  // by other merchants
}
