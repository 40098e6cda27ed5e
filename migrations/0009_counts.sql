CREATE TABLE `daily_count` (
	`scope` text NOT NULL,
	`at` integer NOT NULL,
	`counts` text NOT NULL,
	PRIMARY KEY(`scope`, `at`)
);
--> statement-breakpoint
CREATE TABLE `hourly_count` (
	`scope` text NOT NULL,
	`at` integer NOT NULL,
	`counts` text NOT NULL,
	PRIMARY KEY(`scope`, `at`)
);
--> statement-breakpoint
ALTER TABLE `connection_state` ADD `connected` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `connection_state` ADD `waiting_deliveries` integer DEFAULT 0 NOT NULL;