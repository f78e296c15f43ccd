// Package tenants owns a data folder: the shops in it, their key, their files and their upkeep. It
// must not depend on HTTP, GraphQL, or the tables of a shop's file.
//
// It has five subjects.
//
// Shops: which shop answers a request, by UID or by domain.
//
//   - tenants.go: [Tenants]; finding, suspending and closing shops
//   - config.go: the configuration of a data folder
//   - open.go: opening a data folder, and what each shop is opened with
//   - create.go: creating a shop
//   - deletion.go: deleting a shop after some days
//   - delete.go: moving a shop to the folder trash
//   - list.go: lists of shops, and the place of each
//   - cache.go: the cache of shops; a shop has one *shop.Shop in a process
//   - setup.go: the link to create the first shop
//   - domain.go: the owner of a host name, and settings that must not claim another shop's domain
//   - shop_index.go: the index of domains, names and states, and its file, shops.json
//   - sandbox.go: the sandbox of a shop, for its developers
//   - shop_job.go: jobs of operators that copy and move shops
//   - shop_restore.go: jobs of operators that restore shops to a state in the past
//   - overview.go: the list of all shops for operators
//   - public_status.go: the state of the server for its status page
//   - operator.go: what operators of the server do with shops
//   - defaults.go: what all shops inherit
//   - plan.go: plans of the server, and the copies that shops have of them
//   - provider.go: the adapters of couriers and payment gateways
//   - sms.go: the sender of text messages and its presets
//   - mail.go: the sender of e-mails
//
// The data folder: what all shops share.
//
//   - installation.go: the data of the whole server: operators, their sessions and their log
//   - media.go: the files of uploaded images, which package album stores and copies
//   - media_replica.go: keeping their copies in the replica up to date
//   - media_copy.go: which images are copied beside backups, to the trash, and to exports
//   - engine.go: shops both in files and in a database, and which server does background work
//   - certificate_store.go: the certificates that several servers share, in the database
//   - move.go: moving a shop from files to the database, or back
//   - move_record.go: the records of moves in the folder moves, and finishing interrupted moves
//   - key.go: the key that seals the shops' secrets
//   - schema.go: the schema steps, which are the files in steps
//   - migrate.go: applying the steps to a shop before its next request
//   - disk.go: free space, and whether the shops can be served (readiness)
//   - server_record.go: the file server.json, which describes the folder's server to commands
//   - limit.go: the limit of shops with open files
//
// Backups: copies of shops, and shops made from copies.
//
//   - backup.go: backups and their manifests, and the backup of the key
//   - backup_file.go: what the name and the manifest of a backup file say
//   - backup_schedule.go: backups at an interval, and the pruning of old ones
//   - backup_list.go: what each shop can be restored from
//   - backup_space.go: the disk space that a backup needs
//   - export_file.go: backups that are exports: writing them, and building a shop's file from one
//   - verify.go: verification of backups in a scratch folder
//   - restore.go: restoring a shop in place, or as a clone under another UID
//   - restore_database.go: restoring a shop to the database
//   - sealed_file.go: the form of files for another server, which reads and proves them alone
//   - sealed_backup.go: shops that are sealed for another server
//   - trash.go: deleted and replaced shops, and erasing them
//   - replica.go: continuous replication, and restoring from a replica
//   - transfer.go: export and import as lines of JSON
//
// Background work: what the server does without a request.
//
//   - background.go: expired orders, payment checks, old webhooks, and the file background.json
//   - clock.go: the warning about a system clock that jumps
//
// Diagnosis: what package doctor checks.
//
//   - failing.go: the shops that cannot be served, by cause
//   - usage.go: how much each shop has and does
//   - requests.go: the requests to each shop
//   - support.go: what the support of the program receives of a shop
//   - inspect.go: a data folder without its key, and the state of files, backups and the database
//   - public_url.go: requests to the server's public address
//   - courier_testcall.go: test webhooks, also for the command simulate
package tenants
