package page

// The directions of a sorted list. "" means the usual direction of its sort.
const (
	Ascending  = "asc"
	Descending = "desc"
)

// IsAscending reports whether a direction is ascending; usual is the usual one.
func IsAscending(direction, usual string) bool {
	return direction == Ascending || direction == "" && usual == Ascending
}
