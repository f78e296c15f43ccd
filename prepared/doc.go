// Package prepared keeps answers that are the same for every caller of a shop: made once for each
// edition of what the shop shows, in the encodings that clients take, within a bound of memory.
// It knows neither what is asked nor what an answer says, and nothing personal may be given to it.
package prepared
