package shop

import (
	"context"
	"errors"
	"time"
)

// Courier books parcels with one courier. It keeps no state of a parcel; every method is one
// question, asked once. An error is an [ErrCourierRefused], [ErrCourierUnknown] or
// [ErrCourierNoParcel] in its chain, and its text is for the shop's staff and holds no secret.
type Courier interface {
	// Book hands a parcel over.
	Book(ctx context.Context, access PluginAccess, parcel ParcelOrder) (BookedParcel, error)
	// Find looks a parcel up, by its consignment or else by our own reference.
	Find(ctx context.Context, access PluginAccess, parcel ParcelRef) (BookedParcel, error)
	// Price asks what carrying a parcel would cost, in minor units.
	Price(ctx context.Context, access PluginAccess, parcel ParcelOrder, to ParcelPlace) (fee int64, err error)
}

// CourierReader reads a courier's calls. Its methods ask nobody and keep nothing.
type CourierReader interface {
	// Recognize says whether a call is the courier's.
	Recognize(settings PluginSettings, call CourierCall) CourierProof
	// Read reads the body of a call that was recognized. It never fails: what can not be understood
	// is a notice too.
	Read(body []byte, money Currency) CourierNotice
	// Answer is what the courier expects to hear after every call that was recognized.
	Answer(settings PluginSettings, call CourierCall) CourierAnswer
}

// What an error of a [Courier] says.
var (
	// ErrCourierRefused means that the courier said no, or was surely never reached.
	ErrCourierRefused = errors.New("the courier refused")
	// ErrCourierUnknown means that no answer tells what the courier did: the parcel may be booked.
	ErrCourierUnknown = errors.New("it is not known what the courier did")
	// ErrCourierNoParcel means that the courier surely has no such parcel.
	ErrCourierNoParcel = errors.New("the courier has no such parcel")
	// ErrCourierCanNot means that the courier's interface has no way to answer this question.
	ErrCourierCanNot = errors.New("the courier can not be asked that")
)

// ParcelOrder is a parcel that is to be carried. Amounts are in minor units.
type ParcelOrder struct {
	Ref         string // our own name for the parcel: letters, digits and hyphens
	Name        string
	Phone       string // E.164
	Address     string // one line
	Cash        int64  // to collect; 0: nothing
	Money       Currency
	Items       int
	WeightGrams int64  // 0: not known
	Title       string // what is in it, in a line
	Note        string // for the courier's people; "": none
}

// ParcelRef names a parcel at its courier.
type ParcelRef struct {
	ConsignmentID string // "": not known
	Ref           string
	Money         Currency
}

// ParcelPlace is a place in the courier's own numbering.
type ParcelPlace struct {
	City, Zone int64
}

// BookedParcel is a parcel as its courier has it.
type BookedParcel struct {
	ConsignmentID string
	TrackingCode  string         // "": none
	Fee           *int64         // minor units; nil: not told
	Status        ShipmentStatus // "": it says nothing that moves the parcel
	Event         string         // the courier's word for the state
	At            time.Time      // when it reached the state; zero: not told
}

// CourierCall is an HTTP call that may be the courier's.
type CourierCall struct {
	Header func(name string) string // "" where there is none
	Body   []byte
}

// CourierProof says whether a call is the courier's.
type CourierProof struct {
	OK     bool
	Reason string // why not, in our words; "" where it is
	Key    string // the courier's name for the event; "": the body stands for it
	Doubt  string // what is odd about a call that is the courier's, for the shop's staff
}

// CourierAnswer is an HTTP answer.
type CourierAnswer struct {
	Status      int
	Header      map[string]string // spelled as the courier's documents have it
	ContentType string
	Body        string
}

// NoticeKind says what a courier's call is about.
type NoticeKind int

// The kinds of notice.
const (
	NoticeParcel    NoticeKind = iota // something happened to a parcel
	NoticeHandshake                   // the courier tries the address
	NoticeOther                       // understood, and about no parcel
	NoticeMalformed                   // not to be understood
)

// CourierNotice is what a courier tells.
type CourierNotice struct {
	Kind   NoticeKind
	Event  string // the courier's word
	Reason string // why it is of its kind, for the shop's staff; "" for a parcel's

	ConsignmentID string         // "": not told
	Ref           string         // our own name for the parcel; "": not told
	At            time.Time      // by the courier's clock; zero: not told
	Status        ShipmentStatus // what becomes of the parcel; "": it stays as it is
	Message       string         // for the buyer, where Status is ""
	Note          string         // the courier's words, for the shop's staff

	Collected *int64 // cash taken from the buyer, in minor units; nil: not told
	Fee       *int64 // what the courier takes for its work; nil: not told
	PaidOut   bool   // the cash has gone to the shop
	Statement string // the courier's name for the payment that it went with; "": not told
}
