// A signed delivery as a command that brings it to a server of one's own, byte for byte.
import { shellQuoted } from "./snippets.ts";

export type SignedDelivery = { headers: Readonly<Record<string, string>>; body: string };

/** How long receivers take a signature (docs/use/events.md, "Signatures"). */
export const VALID_SECONDS = 300;

export function signedCurl(target: string, { headers, body }: SignedDelivery): string {
  const lines = [
    `curl -X POST ${shellQuoted(target)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    // `--data-raw`, and no `-d`: that reads a file when the body begins with @.
    `--data-raw ${shellQuoted(body)}`,
  ];
  return lines.join(" \\\n  ");
}

/** When the headers were signed (Unix ms); null: they do not say. */
export function signedAt({ headers }: SignedDelivery): number | null {
  const seconds = Number(headers["webhook-timestamp"]);
  return Number.isFinite(seconds) ? seconds * 1_000 : null;
}
