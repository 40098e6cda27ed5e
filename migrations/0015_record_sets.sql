CREATE TABLE `record_set` (
	`user_id` text PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL,
	`pushed_revision` integer DEFAULT 0 NOT NULL,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `record_set_owed` ON `record_set` (`changed_at`) WHERE pushed_revision < revision;