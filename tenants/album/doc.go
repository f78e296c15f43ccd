// Package album owns the files of a shop's uploaded images: the [Uploads] that the catalogue stores
// and downloads, and their copies beside backups, in exports and in a replica. It must not depend
// on a shop's file, on the other shops, or on HTTP requests to this server.
package album
