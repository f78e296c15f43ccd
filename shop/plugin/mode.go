package plugin

// Mode is the environment of the providers that a shop uses.
//
//api:enum Mode
type Mode string

// The modes.
const (
	Live    Mode = "live"    // the providers' production environments
	Sandbox Mode = "sandbox" // the providers' test environments
)
