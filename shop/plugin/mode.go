package plugin

// Mode selects which environment of its providers a shop uses.
type Mode string

// The modes.
const (
	Live    Mode = "live"
	Sandbox Mode = "sandbox"
)
