// `--live`: the QR of the demo connection in the terminal, anew whenever it changes, until a phone has scanned it.
import { renderUnicodeCompact } from "uqr";
import { callJson } from "./http.ts";

const COME_BACK_AFTER_MS = 1_000;
/** Whatever the terminal's own colours are, dark modules must be dark. */
const WHITE_ON_BLACK = "\u001B[97;40m";
const NORMAL = "\u001B[0m";

/** What a person at the terminal can make of a status that is not `connected`. */
const HINTS: Readonly<Record<string, string>> = {
  qr_timeout: "Nobody has scanned it. For new codes: POST /api/v1/instance/connect with the key above.",
  reconnecting: "The network cannot be reached; it is tried again and again.",
};

export type TerminalPairing = {
  appUrl: string;
  /** Numeric id of the connection. */
  id: number;
  token: string;
  say: (text: string) => void;
};

type Told = { event: string; data: { status?: string; status_reason?: string; phone?: string | null; raw?: string } };

/** Starts the connection unless it has a number already, and resolves when it is connected. */
export async function pairInTerminal({ appUrl, id, token, say }: TerminalPairing): Promise<void> {
  const path = `${appUrl}/api/dashboard/connections/${id}`;
  const { data } = await callJson<{ data: { status: string; phone: string | null } }>(path, { token });
  if (data.status === "disconnected" && data.phone === null) await callJson(`${path}/connect`, { method: "POST", token });
  let told = "";
  for (;;) {
    // The stream ends every few minutes, and with the worker; what is then is the first thing the next one tells.
    for await (const { event, data } of eventsOf(`${path}/stream`, token)) {
      if (event === "qr" && data.raw !== undefined) say(`\n${drawn(data.raw)}\n`);
      if (event !== "status") continue;
      if (data.status === "connected") return say(`\nConnected as ${data.phone ?? "an unknown number"}.\n`);
      const hint = HINTS[data.status_reason ?? ""];
      if (hint !== undefined && hint !== told) say(`\n${hint}\n`);
      told = hint ?? told;
    }
    await new Promise((resolve) => setTimeout(resolve, COME_BACK_AFTER_MS));
  }
}

function drawn(qr: string): string {
  return renderUnicodeCompact(qr, { ecc: "L", border: 2 })
    .split("\n")
    .map((line) => WHITE_ON_BLACK + line + NORMAL)
    .join("\n");
}

/** Ends when the stream does, or cannot be had. */
async function* eventsOf(url: string, token: string): AsyncGenerator<Told> {
  try {
    const { body } = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    if (body === null) return;
    let text = "";
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + piece).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const [, event, json] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        if (event !== undefined && json !== undefined) yield { event, data: JSON.parse(json) as Told["data"] };
      }
    }
  } catch {
    // The worker was started again: the next stream goes on.
  }
}
