import { shellQuoted } from "./snippets.ts";

export type SignedDelivery = { headers: Readonly<Record<string, string>>; body: string };

/** How long receivers accept a signature (docs/use/events.md, "Signatures"). */
export const VALID_SECONDS = 300;

export function signedCurl(target: string, { headers, body }: SignedDelivery): string {
  const lines = [
    `curl -X POST ${shellQuoted(target)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    // `--data-raw`, because `-d` would read a file if the body started with @.
    `--data-raw ${shellQuoted(body)}`,
  ];
  return lines.join(" \\\n  ");
}

/** Unix ms; null if there is no timestamp. */
export function signedAt({ headers }: SignedDelivery): number | null {
  const seconds = Number(headers["webhook-timestamp"]);
  return Number.isFinite(seconds) ? seconds * 1_000 : null;
}
