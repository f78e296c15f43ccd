package productfile

// maxProblems limits the problems that Findings lists.
const maxProblems = 100

// maxCounted is the number of problems after which a file is not read further: the merchant
// corrects them first.
const maxCounted = 1000

// ProblemCode is a kind of problem in a product file, for which clients have words of their own.
type ProblemCode string

// The kinds of problems. A problem in a product's field has the code of the field's
// [fault.FieldError], as in any other request. A note of a strict import has its [NoteKind].
const (
	ProblemFileEmpty     ProblemCode = "file_empty"
	ProblemFileUTF16     ProblemCode = "file_utf16"
	ProblemNotCSV        ProblemCode = "file_not_csv"   // from this line on
	ProblemNotUTF8       ProblemCode = "cell_not_utf8"  // in this row
	ProblemRowLong       ProblemCode = "row_too_long"   // more cells than the header
	ProblemColumnTwice   ProblemCode = "column_twice"   // of the same meaning
	ProblemColumnMissing ProblemCode = "column_missing" // and the file is no product export
	ProblemTitleDiffers  ProblemCode = "title_differs"  // differs from the product's first row
	ProblemNoHandle      ProblemCode = "no_handle"      // can be derived from the title
	ProblemHandleTaken   ProblemCode = "handle_taken"   // by another product of the file
	ProblemRowsApart     ProblemCode = "rows_apart"     // rows of one product are not consecutive
	ProblemNoParent      ProblemCode = "no_parent"      // the file has no such product
	ProblemParentMissing ProblemCode = "parent_missing" // in a row of a variation
	ProblemMissing       ProblemCode = "required"       // as [fault.CodeRequired]
	ProblemNotAllowed    ProblemCode = "not_allowed"    // not one of a few values
	ProblemNotBoolean    ProblemCode = "not_boolean"    // not TRUE or FALSE
	ProblemNotWhole      ProblemCode = "not_whole"      // not a whole number
	ProblemTooSmall      ProblemCode = "too_small"      // less than 1
	ProblemNotAmount     ProblemCode = "not_amount"     // not an amount in the shop's currency
	ProblemWeightUnit    ProblemCode = "weight_unit"    // not a known one
	ProblemWeight        ProblemCode = "not_weight"     // not a number, or too large
	ProblemNotTime       ProblemCode = "not_time"
	ProblemNotDate       ProblemCode = "not_date"
	ProblemNotJSON       ProblemCode = "not_json_object"
)

// ProblemCodes returns the kinds of problems that only files have.
func ProblemCodes() []ProblemCode {
	return []ProblemCode{
		ProblemFileEmpty, ProblemFileUTF16, ProblemNotCSV, ProblemNotUTF8, ProblemRowLong,
		ProblemColumnTwice, ProblemColumnMissing,
		ProblemTitleDiffers, ProblemNoHandle, ProblemHandleTaken, ProblemRowsApart, ProblemNoParent,
		ProblemParentMissing, ProblemNotAllowed,
		ProblemNotBoolean, ProblemNotWhole, ProblemTooSmall, ProblemNotAmount, ProblemWeightUnit,
		ProblemWeight, ProblemNotTime,
		ProblemNotDate, ProblemNotJSON,
	}
}

// Problem is a problem in a product file.
type Problem struct {
	Line    int         `json:"line"`   // from 1
	Column  string      `json:"column"` // its name in the header; empty means the whole row
	Code    ProblemCode `json:"code"`
	Message string      `json:"message"`
}
