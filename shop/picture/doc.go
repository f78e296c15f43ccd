// Package picture defines an uploaded image as it is stored: its identifier, its format and its files.
//
// It owns what the catalogue, the processing of uploads and their copies agree on. It must not know
// where files are, nor how an upload is decoded.
package picture
