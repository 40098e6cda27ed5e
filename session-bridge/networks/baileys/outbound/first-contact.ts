// Tokens that allow a message to somebody. A person's own token is attached by the library. Without it, a first message needs a token made
// here, or the network counts it as an attempt to reach a stranger (463; docs/internals/durability.md, "Sends").
import { createHmac } from "node:crypto";
import type { BinaryNode } from "baileys";
import { isTcTokenExpired } from "baileys/lib/Utils/tc-token-utils.js";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import type { Recipient } from "../addressing/recipient.ts";
import { knownSalt, waitForSalt } from "../memory/nct-salt.ts";
import type { SessionContext } from "../session/session-context.ts";

/** After a pairing the salt for our tokens arrives shortly. */
export async function canIntroduce(ctx: SessionContext, recipient: Recipient): Promise<void> {
  if ((await strangerOf(ctx, recipient)) !== null) await waitForSalt(ctx);
}

/** Empty when the library attaches theirs, and when none can be made. */
export async function firstContactToken(ctx: SessionContext, recipient: Recipient): Promise<BinaryNode[]> {
  const lidJid = await strangerOf(ctx, recipient);
  const salt = knownSalt(ctx);
  if (lidJid === null || salt === null) return [];
  return [{ tag: "cstoken", attrs: {}, content: createHmac("sha256", salt).update(lidJid).digest() }];
}

/** The LID of somebody who has given us no token. Our own tokens need the LIDs of both sides. */
async function strangerOf(ctx: SessionContext, { jid, lidJid, subject }: Recipient): Promise<string | null> {
  const to = lidJid ?? jid;
  if (subject !== "person" || !to.endsWith("@lid")) return null;
  const lids = lidMappingOf(ctx.session);
  return lids.own().lid === null || lids.isOwn(to) || (await hasTheirs(ctx, to)) ? null : to;
}

async function hasTheirs({ auth, sock }: SessionContext, lidJid: string): Promise<boolean> {
  const { [lidJid]: kept } = await auth.keys.get("tctoken", [lidJid]);
  return sock.serverProps.privacyTokenOn1to1 && kept !== undefined && kept.token.length > 0 && !isTcTokenExpired(kept.timestamp);
}
