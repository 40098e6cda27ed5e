CREATE TABLE `pool_shard` (
	`name` text PRIMARY KEY NOT NULL,
	`connections` integer DEFAULT 0 NOT NULL,
	`counted_at` integer DEFAULT 0 NOT NULL,
	`bridges` integer DEFAULT 0 NOT NULL,
	`places` integer DEFAULT 0 NOT NULL,
	`written_at` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE `connection` ADD `home` text;--> statement-breakpoint
CREATE INDEX `connection_home` ON `connection` (`home`,`id`);