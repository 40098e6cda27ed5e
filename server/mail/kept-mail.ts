// Writes emails to files on a machine without an SMTP server, so that the operator can read them.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mail } from "./mail-service.ts";

/** If there are more emails than this, the oldest are deleted. */
const MAX_KEPT = 500;

export async function keepMail(folder: string, { from, to, subject, text }: Mail, now: Date): Promise<string> {
  const id = randomUUID();
  const name = `${now.toISOString().replaceAll(":", "-")}-${id.slice(0, 8)}.txt`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lines = [`From: ${from}`, `To: ${to}`, `Date: ${now.toISOString()}`, `Subject: ${subject}`, "", text, ""];
  await writeFile(join(folder, name), lines.join("\n"), { mode: 0o600 });
  const kept = (await readdir(folder)).filter((file) => file.endsWith(".txt")).toSorted();
  for (const file of kept.slice(0, -MAX_KEPT)) await rm(join(folder, file), { force: true });
  return id;
}
