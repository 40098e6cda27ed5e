CREATE TABLE `endpoint_set` (
	`user_id` text PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `connection` ADD `settings` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `connection` ADD `told_revision` integer DEFAULT 0 NOT NULL;