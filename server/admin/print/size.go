package print

import (
	"cmp"
	"slices"
	"strings"

	"storefront/shop/fault"
	"storefront/shop/order"
)

// Size is a size of paper. Each document has some of them.
//
//api:enum PaperSize
type Size string

// The sizes of paper.
const (
	A4       Size = "a4"      // 210 × 297 mm
	A5       Size = "a5"      // 148 × 210 mm
	A6       Size = "a6"      // 105 × 148 mm
	Mm100150 Size = "100x150" // 100 × 150 mm, for labels
	Roll80   Size = "80mm"    // a roll of 80 mm
	Roll58   Size = "58mm"    // a roll of 58 mm
	A4Of4    Size = "a4x4"    // four labels to a sheet of A4
	Receipt  Size = "receipt" // the roll of the setting print.receiptSize, for invoices
)

// sizes are the sizes of each kind of document. The first is the default.
var sizes = map[order.PrintKind][]Size{
	order.PrintLabel:    {A6, Mm100150, Roll80, Roll58, A4Of4},
	order.PrintInvoice:  {A4, A5, Roll80, Roll58},
	order.PrintPacking:  {A5, A4, Roll80, Roll58},
	order.PrintPickList: {A4},
	order.PrintHandover: {A4},
}

// CheckSize checks that a document can have a size. "" means the default. Codes: validation_failed.
func CheckSize(kind order.PrintKind, size Size) error {
	all := sizes[kind]
	if kind == order.PrintInvoice {
		all = append(slices.Clone(all), Receipt)
	}
	if size == "" || slices.Contains(all, size) {
		return nil
	}
	var bad fault.Invalid
	bad.Add("size", fault.CodeInvalidValue, "Must be one of %s.", joinNames(all))
	return bad.Err()
}

func joinNames[T ~string](values []T) string {
	names := make([]string, len(values))
	for i, value := range values {
		names[i] = string(value)
	}
	return strings.Join(names, ", ")
}

// paper returns the paper of the chosen size; "" if none was chosen.
func paper(sheet *Sheet, chosen Size) Size {
	switch chosen {
	case "":
		return defaultSize(sheet)
	case Receipt:
		return cmp.Or(Size(sheet.Options.ReceiptSize), Roll80)
	}
	return chosen
}

// defaultSize returns the size of a document without a chosen one: for labels, the shop's.
func defaultSize(sheet *Sheet) Size {
	if own := Size(sheet.Options.LabelSize); sheet.Kind == order.PrintLabel && own != "" {
		return own
	}
	return sizes[sheet.Kind][0]
}
