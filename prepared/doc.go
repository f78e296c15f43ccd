// Package prepared caches responses that are the same for every caller of a shop: built once per
// content version, in the encodings that clients accept, within a memory limit. It knows neither
// the requests nor the meaning of the bodies. Nothing personal may be put into it.
package prepared
