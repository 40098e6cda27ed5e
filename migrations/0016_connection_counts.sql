CREATE TABLE `connection_count` (
	`owner_id` text PRIMARY KEY NOT NULL,
	`connections` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TRIGGER `connection_counted` AFTER INSERT ON `connection` WHEN new.removed_at IS NULL
BEGIN
	INSERT OR IGNORE INTO connection_count (owner_id, connections) VALUES (new.owner_id, 0);
	UPDATE connection_count SET connections = connections + 1 WHERE owner_id = new.owner_id;
END;
--> statement-breakpoint
CREATE TRIGGER `connection_recounted` AFTER UPDATE OF `removed_at` ON `connection` WHEN (old.removed_at IS NULL) <> (new.removed_at IS NULL)
BEGIN
	INSERT OR IGNORE INTO connection_count (owner_id, connections) VALUES (new.owner_id, 0);
	UPDATE connection_count SET connections = connections + CASE WHEN new.removed_at IS NULL THEN 1 ELSE -1 END WHERE owner_id = new.owner_id;
END;
--> statement-breakpoint
CREATE TRIGGER `connection_uncounted` AFTER DELETE ON `connection` WHEN old.removed_at IS NULL
BEGIN
	UPDATE connection_count SET connections = connections - 1 WHERE owner_id = old.owner_id;
END;
--> statement-breakpoint
INSERT OR REPLACE INTO connection_count (owner_id, connections)
	SELECT owner_id, COUNT(*) FROM connection WHERE removed_at IS NULL GROUP BY owner_id;
