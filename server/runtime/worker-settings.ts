import type { BackupSettings } from "../settings.ts";

/** Passed as JSON in the environment variable `WORKER_HOST`. */
export type WorkerHostSettings = {
  port: number;
  storage: string;
  /** If true, outgoing requests reach only public addresses. If false, they also reach 127.0.0.1. */
  strict: boolean;
  vars: Record<string, string>;
  /** Null for the sandbox's worker, which has its own routes and mail table. */
  server: ServerSettings | null;
};

export type ServerSettings = {
  /** If null, emails are kept in `mailFolder`. */
  smtpUrl: string | null;
  mailFolder: string;
  /** A secret that the host's front sends with each of its requests. */
  frontSecret: string;
  webhookHosts: readonly string[];
  dataFolder: string;
  backups: BackupSettings;
  adminEmail: string;
  appUrl: string;
};

/** Printed once the port responds and D1 is migrated. */
export const WORKER_READY = "worker ready";

/** Printed before the link where the first administrator sets a password. The host prints the link, but keeps it out of the log files. */
export const ADMIN_LINK = "first administrator ";
