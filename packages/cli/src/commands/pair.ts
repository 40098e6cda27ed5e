// `gateway pair` links a phone, with the QR code in the terminal or a pairing code.
import { setTimeout as sleep } from "node:timers/promises";
import { NotFoundError, ConflictError, NotConnectedError } from "@gateway/sdk";
import { renderUnicodeCompact } from "uqr";
import { type Command, textFlag } from "../command.ts";
import { targetOf } from "../target.ts";

/** Two reads per round stay within the limit of 60 repeated reads a minute. */
const PAUSE_MS = 2_500;

export const pair: Command = {
  usage: "[--code PHONE]",
  summary: "links a phone: shows the QR code until the number is connected",
  flags: {
    code: { value: "PHONE", about: "a pairing code for this number, instead of the QR code" },
    json: { about: "prints one JSON object per line" },
  },
  run: async ({ flags }, io) => {
    const { gateway } = targetOf(flags, io);
    const asJson = flags["json"] === true;
    const tell = (line: { status: string; reason: string } | { qr: string } | { code: string }): void => {
      if (asJson) io.print(JSON.stringify(line));
      else if ("qr" in line) io.print(renderUnicodeCompact(line.qr));
      else if ("code" in line) io.print(`Pairing code: ${line.code} (on the phone: Linked devices, "Link with phone number")`);
      else io.print(`${line.status} (${line.reason})`);
    };
    const phone = textFlag(flags, "code");
    await gateway.instance.connect({ signal: io.signal }).catch(ignoreIfConnected);
    let [shown, lastStatus, hasCode] = ["", "", false];
    while (!io.signal.aborted) {
      const { status, status_reason: reason } = await gateway.instance.get({ signal: io.signal });
      if (`${status} ${reason}` !== lastStatus) tell({ status, reason });
      lastStatus = `${status} ${reason}`;
      if (status === "connected") return 0;
      if (status === "failed") return 1;
      if (phone !== undefined && !hasCode) {
        const made = await gateway.instance.requestPairingCode({ phone_number: phone }, { signal: io.signal }).catch(nullIfNotReady);
        if (made !== null) tell({ code: made.code });
        hasCode = made !== null;
      }
      const qr = phone === undefined ? await gateway.instance.getQrCode({ signal: io.signal }).catch(nullIfNotReady) : null;
      if (qr !== null && qr.raw !== shown) tell({ qr: qr.raw });
      shown = qr?.raw ?? shown;
      await sleep(PAUSE_MS, undefined, { signal: io.signal }).catch(() => undefined);
    }
    return 130;
  },
};

function ignoreIfConnected(error: unknown): void {
  if (!(error instanceof ConflictError)) throw error;
}

function nullIfNotReady(error: unknown): null {
  if (error instanceof NotFoundError || error instanceof ConflictError || error instanceof NotConnectedError) return null;
  throw error;
}
