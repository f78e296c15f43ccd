// Package barcode draws QR codes and Code 128 bar codes as SVG images.
//
// It must not know what the codes contain.
package barcode
