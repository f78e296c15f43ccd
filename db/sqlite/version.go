package sqlite

import sqlite3 "modernc.org/sqlite/lib"

// Version is the version of SQLite.
const Version = sqlite3.SQLITE_VERSION
