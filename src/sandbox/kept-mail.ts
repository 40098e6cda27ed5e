// The sandbox's mail: nothing leaves the machine, everything is kept in a table that only the sandbox makes.

const TABLE = `CREATE TABLE IF NOT EXISTS sandbox_mail (
  id INTEGER PRIMARY KEY AUTOINCREMENT, recipient TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, sent_at INTEGER NOT NULL)`;
const MOST_SHOWN = 500;

export type KeptMail = { to: string; subject: string; text: string; sent_at: string };

/** Takes the place of the `send_email` binding. */
export function keptMail(database: D1Database): SendEmail {
  return {
    async send(message: Parameters<SendEmail["send"]>[0]) {
      const { to, subject, text } = message as { to: string | string[]; subject: string; text?: string };
      await database.batch([
        database.prepare(TABLE),
        database
          .prepare("INSERT INTO sandbox_mail (recipient, subject, body, sent_at) VALUES (?, ?, ?, ?)")
          .bind(Array.isArray(to) ? to.join(", ") : to, subject, text ?? "", Date.now()),
      ]);
      return { messageId: crypto.randomUUID() };
    },
  } as SendEmail;
}

/** Mails sent so far, newest first. */
export async function listMail(database: D1Database): Promise<KeptMail[]> {
  const [, listed] = await database.batch<{ recipient: string; subject: string; body: string; sent_at: number }>([
    database.prepare(TABLE),
    database.prepare("SELECT recipient, subject, body, sent_at FROM sandbox_mail ORDER BY id DESC LIMIT ?").bind(MOST_SHOWN),
  ]);
  return (listed?.results ?? []).map((row) => ({
    to: row.recipient,
    subject: row.subject,
    text: row.body,
    sent_at: new Date(row.sent_at).toISOString(),
  }));
}
