CREATE TABLE `cron_run` (
	`cron` text PRIMARY KEY NOT NULL,
	`ran_at` integer NOT NULL,
	`succeeded_at` integer
);
