// Package bucket stores objects in S3-compatible storage. Replicas and uploaded images use it.
//
// It owns addresses, credentials and the client. It must not depend on the kind of object. The
// client is a third of a binary's size, so it is optional: without the build tag s3, [Open] returns
// an error.
package bucket
