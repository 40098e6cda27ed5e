// Stores email on this machine, in a table of the sandbox.

const TABLE = `CREATE TABLE IF NOT EXISTS sandbox_mail (
  id INTEGER PRIMARY KEY AUTOINCREMENT, recipient TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, sent_at INTEGER NOT NULL)`;
/** Deletes an account's emails together with the account, except for the email about the removal. */
const FORGET = `CREATE TRIGGER IF NOT EXISTS sandbox_mail_forgotten AFTER UPDATE OF email ON user WHEN NEW.status = 'removed' BEGIN
  DELETE FROM sandbox_mail WHERE recipient = OLD.email; END`;
const MAX_LISTED = 500;

export type StoredMail = { to: string; subject: string; text: string; sent_at: string };

/** Replaces the `send_email` binding. */
export function mailStore(database: D1Database): SendEmail {
  return {
    async send(message: Parameters<SendEmail["send"]>[0]) {
      const { to, subject, text } = message as { to: string | string[]; subject: string; text?: string };
      await database.batch([
        database.prepare(TABLE),
        database.prepare(FORGET),
        database
          .prepare("INSERT INTO sandbox_mail (recipient, subject, body, sent_at) VALUES (?, ?, ?, ?)")
          .bind(Array.isArray(to) ? to.join(", ") : to, subject, text ?? "", Date.now()),
      ]);
      return { messageId: crypto.randomUUID() };
    },
  } as SendEmail;
}

export async function listMail(database: D1Database): Promise<StoredMail[]> {
  const [, listed] = await database.batch<{ recipient: string; subject: string; body: string; sent_at: number }>([
    database.prepare(TABLE),
    database.prepare("SELECT recipient, subject, body, sent_at FROM sandbox_mail ORDER BY id DESC LIMIT ?").bind(MAX_LISTED),
  ]);
  return (listed?.results ?? []).map((row) => ({
    to: row.recipient,
    subject: row.subject,
    text: row.body,
    sent_at: new Date(row.sent_at).toISOString(),
  }));
}
