// Package doctor owns the checks of the command doctor. It examines a data folder, its machine,
// its database, the places of its backups and replicas, its public address, and its shops. Each
// result is a [Finding] with a state, and with a remedy if it is not sound. It must not change a
// shop's data.
//
//   - doctor.go: [Examine], and the checks of one shop
//   - finding.go: the codes and names of findings
//   - folder.go: permissions, disk and clock
//   - backup.go: the places of backups and replicas
//   - database.go: the database's settings, standby, connections, clock and unfinished moves
//   - address.go: the server's public address
//   - plugin.go: plugins, and the couriers' webhook addresses
package doctor
