import { S_WHATSAPP_NET } from "baileys";
import type { MediaRef } from "@gateway/protocol/content.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { queryNetwork } from "../queries/network-query.ts";
import { profilePicture } from "../media/decode-picture.ts";
import { conversionsOf } from "../media/outgoing-slots.ts";
import { fetchFile, type OutgoingFile } from "../media/outgoing-file.ts";
import type { SessionContext } from "../session/session-context.ts";
import { failureOfCommand } from "./failures.ts";
import { resolveRecipient } from "../addressing/recipient.ts";
import { pictureOf } from "../media/profile-pictures.ts";
import type { CommandHandlers } from "./command-handlers.ts";

export const pictureCommands: CommandHandlers<"pictures"> = {
  "pictures.get": async (ctx, { chat_id, size }) => {
    const found = await resolveRecipient(ctx, chat_id);
    if (!found.ok) return found.failure.code === "number_not_on_network" ? fail("contact_not_found") : found;
    const { jid, subject } = found.value;
    try {
      return await pictureOf(ctx, jid, size);
    } catch (error) {
      return fail(failureOfCommand(error, subject, "read"));
    }
  },
};

const MAX_BYTES = 5 * 1024 * 1024;
const FORMATS = new Set(["image/jpeg", "image/png"]);

export async function setPicture(ctx: SessionContext, jid: string | null, picture: MediaRef): Promise<Outcome<Record<string, never>>> {
  const square = await squarePicture(ctx, picture);
  if (!square.ok) return square;
  await change(ctx, jid, square.value);
  return { ok: true, value: {} };
}

export async function squarePicture(ctx: SessionContext, picture: MediaRef): Promise<Outcome<Buffer>> {
  if (picture.size > MAX_BYTES) return fail("media_too_large");
  return conversionsOf(ctx.session).run(async () => {
    const file = await fetchFile(ctx, picture);
    if (!file.ok) return file;
    try {
      const square = await squareOf(file.value);
      return square === null ? fail("media_invalid") : { ok: true, value: square };
    } finally {
      await file.value.spool.discard();
    }
  });
}

export async function removePicture(ctx: SessionContext, jid: string | null): Promise<void> {
  await change(ctx, jid, null);
}

async function change(ctx: SessionContext, jid: string | null, image: Buffer | null): Promise<void> {
  const attrs = { to: S_WHATSAPP_NET, type: "set", xmlns: "w:profile:picture", ...(jid === null ? {} : { target: jid }) };
  await queryNetwork(ctx, attrs, image === null ? undefined : [{ tag: "picture", attrs: { type: "image" }, content: image }]);
}

/** Null for other formats. Only these two formats are ever decoded, whoever sent the file. */
async function squareOf(file: OutgoingFile): Promise<Buffer | null> {
  if (!FORMATS.has(file.image?.mimetype ?? "")) return null;
  return profilePicture(file.spool.bytes ?? (await file.spool.path()));
}
