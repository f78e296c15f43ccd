// Package throttle counts failures in a shop's file, such as wrong passwords, and refuses further
// attempts above a limit. It knows neither customers nor staff members.
package throttle
