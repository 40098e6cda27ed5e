import { renderUnicodeCompact } from "uqr";
import { connectionEvents } from "./connection-stream.ts";
import { callJson } from "./http.ts";

/** Explicit colours, because dark modules must be dark in any colour scheme. */
const WHITE_ON_BLACK = "\u001B[97;40m";
const NORMAL = "\u001B[0m";

const HINTS: Readonly<Record<string, string>> = {
  qr_timeout: "Nobody scanned it. For new codes: POST /api/v1/instance/connect with the key above.",
  passkey_wanted:
    "The account requires its passkey. GET /api/v1/instance/passkey returns the request for the browser (docs/operate/operations.md).",
  passkey_timeout: "The passkey was not used in time. For new codes: POST /api/v1/instance/connect with the key above.",
  reconnecting: "WhatsApp is unreachable. Trying again …",
};

export type TerminalPairing = {
  appUrl: string;
  id: number;
  token: string;
  print: (text: string) => void;
};

/** Resolves when the connection is connected. Does nothing if it already has a number. */
export async function pairInTerminal({ appUrl, id, token, print }: TerminalPairing): Promise<void> {
  const path = `${appUrl}/api/dashboard/connections/${id}`;
  const { data } = await callJson<{ data: { status: string; phone: string | null } }>(path, { token });
  if (data.status === "disconnected" && data.phone === null) await callJson(`${path}/connect`, { method: "POST", token });
  let lastHint = "";
  for await (const { event, data } of connectionEvents(appUrl, id, token)) {
    if (event === "qr" && data.raw !== undefined) print(`\n${renderQr(data.raw)}\n`);
    if (event !== "status") continue;
    if (data.status === "connected") return print(`\nConnected as ${data.phone ?? "an unknown number"}.\n`);
    const hint = HINTS[data.status_reason ?? ""];
    if (hint !== undefined && hint !== lastHint) print(`\n${hint}\n`);
    lastHint = hint ?? lastHint;
  }
}

function renderQr(qr: string): string {
  return renderUnicodeCompact(qr, { ecc: "L", border: 2 })
    .split("\n")
    .map((line) => WHITE_ON_BLACK + line + NORMAL)
    .join("\n");
}
