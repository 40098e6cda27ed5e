CREATE TABLE `proxy_health` (
	`proxy_id` text PRIMARY KEY NOT NULL,
	`status` text NOT NULL,
	`latency_ms` integer,
	`exit_ip` text,
	`exit_country` text,
	`exit_checked_at` integer,
	`consecutive_failures` integer NOT NULL,
	`past_checks` text NOT NULL,
	`checked_at` integer,
	`last_error` text,
	`outage_at` integer,
	FOREIGN KEY (`proxy_id`) REFERENCES `proxy`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `proxy_notice` (
	`proxy_id` text NOT NULL,
	`user_id` text NOT NULL,
	`news` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	PRIMARY KEY(`proxy_id`, `user_id`),
	FOREIGN KEY (`proxy_id`) REFERENCES `proxy`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `proxy_notice_due` ON `proxy_notice` (`due_at`);--> statement-breakpoint
ALTER TABLE `proxy` ADD `revision` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX `connection_proxy` ON `connection` (`proxy_id`,`id`);