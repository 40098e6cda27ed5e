CREATE TABLE `endpoint_set` (
	`user_id` text PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL,
	`told_revision` integer DEFAULT 0 NOT NULL,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `endpoint_set_untold` ON `endpoint_set` (`changed_at`) WHERE told_revision < revision;--> statement-breakpoint
ALTER TABLE `connection` ADD `settings` text DEFAULT '{}' NOT NULL;