CREATE TABLE `mail_state` (
	`one` integer PRIMARY KEY NOT NULL,
	`failed_at` integer NOT NULL,
	`error` text NOT NULL,
	`recovered_at` integer
);
