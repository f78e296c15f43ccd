// Package barcode draws QR codes and Code 128 bar codes as SVG images.
//
// It must not depend on the content of the codes.
package barcode
