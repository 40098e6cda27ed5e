import type { Migrations } from "../shared/migrate.ts";

export const POOL_MIGRATIONS: Migrations = [
  // A bridge that dialled in. Times in Unix ms; detached_at: its socket closed and it has not dialled again.
  `CREATE TABLE bridge (
     id TEXT PRIMARY KEY, network TEXT NOT NULL, capacity INTEGER NOT NULL, sessions INTEGER NOT NULL, rss_mb REAL NOT NULL, cpu REAL NOT NULL,
     draining INTEGER NOT NULL, heard_at INTEGER NOT NULL, detached_at INTEGER
   ) WITHOUT ROWID`,
  // Who hosts a session. bridge NULL and lost 0: a wish that no bridge has room for yet. lost 1: its bridge is gone, and the
  // connection has yet to be told. The ticket is kept only while nobody has been told to use it.
  `CREATE TABLE placement (
     connection TEXT PRIMARY KEY, generation INTEGER NOT NULL, bridge TEXT, ticket TEXT, lost INTEGER NOT NULL, wished_at INTEGER NOT NULL
   ) WITHOUT ROWID`,
  "CREATE INDEX placement_bridge ON placement (bridge)",
  "CREATE INDEX placement_wish ON placement (wished_at) WHERE bridge IS NULL AND lost = 0",
  "CREATE INDEX placement_lost ON placement (wished_at) WHERE lost = 1",
];
