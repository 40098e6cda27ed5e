// A first message without a token is refused with 463 (docs/internals/sends.md, "Tokens for first messages").
import { createHmac } from "node:crypto";
import type { BinaryNode } from "baileys";
import { isTcTokenExpired } from "baileys/lib/Utils/tc-token-utils.js";
import type { Recipient } from "../addressing/recipient.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import { knownSalt, waitForSalt } from "../memory/nct-salt.ts";
import type { SessionContext } from "../session/session-context.ts";

/** After a pairing, the salt needed for our tokens arrives within seconds, so the send waits for it. */
export async function awaitSalt(ctx: SessionContext, recipient: Recipient): Promise<void> {
  if ((await lidOfStranger(ctx, recipient)) !== null) await waitForSalt(ctx);
}

/** The token node for a first message. Empty if the library attaches the recipient's token itself or no token can be created. */
export async function firstContactToken(ctx: SessionContext, recipient: Recipient): Promise<BinaryNode[]> {
  const lidJid = await lidOfStranger(ctx, recipient);
  const salt = knownSalt(ctx);
  if (lidJid === null || salt === null) return [];
  return [{ tag: "cstoken", attrs: {}, content: createHmac("sha256", salt).update(lidJid).digest() }];
}

/** The LID of a recipient who has given us no token, otherwise null. Creating a token requires both sides' LIDs. */
async function lidOfStranger(ctx: SessionContext, { jid, lidJid, subject }: Recipient): Promise<string | null> {
  const to = lidJid ?? jid;
  if (subject !== "person" || !to.endsWith("@lid")) return null;
  const lids = lidMappingOf(ctx.session);
  return lids.own().lid === null || lids.isOwn(to) || (await hasTheirToken(ctx, to)) ? null : to;
}

async function hasTheirToken({ auth, sock }: SessionContext, lidJid: string): Promise<boolean> {
  const { [lidJid]: kept } = await auth.keys.get("tctoken", [lidJid]);
  return sock.serverProps.privacyTokenOn1to1 && kept !== undefined && kept.token.length > 0 && !isTcTokenExpired(kept.timestamp);
}
