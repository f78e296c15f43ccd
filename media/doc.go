// Package media turns uploaded images into clean files and stores them.
//
// A [Processor] decodes an uploaded image within bounds that are computed from its header, applies
// the EXIF orientation, drops all other metadata, and encodes the image and its renditions again. A
// [Store] has the files of all shops under the hash of their content; they never change.
//
// Renditions are JPEG, or PNG with transparency. At the same similarity (SSIM), a WebP of libwebp
// in WebAssembly has 66 to 85 % of the bytes, and one of an encoder in Go 79 to 112 %. Both need 5
// to 32 times as long, and up to 26 MiB for a picture 720 pixels wide, which a photo of 12
// megapixels cannot have beside a catalogue that responds.
//
// It must not depend on the use of an image, HTTP, or a database. It imports no other package of
// this module.
//
// The files:
//
//	processor          processing an upload: the queue, limits, renditions
//	header, jpeg       dimensions and memory of an image, from its header
//	lossless           memory of a WebP, from what stands before its pixels
//	prefix_code        the codes of a lossless WebP
//	exif               the orientation
//	row, scale         reading pixels of every decoded type, averaging them
//	preview, colour    the picture for links, and the most frequent colour
//	name, store        names of files, and what a store promises
//	folder, bucket     stores in a folder and in S3-compatible storage
package media
