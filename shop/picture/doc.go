// Package picture defines a stored image: its identifier, its format and its files.
//
// The catalogue, the processing of uploads and their copies share these definitions. They must not
// depend on the place of files, nor on the decoding of uploads.
package picture
