import { type Outcome, fail } from "@gateway/protocol/failures.ts";
import { identityOf } from "../addressing/own-identity.ts";
import { queryMex, queryNetwork } from "../queries/network-query.ts";
import { newChatQuota } from "../queries/new-chat-quota.ts";
import type { SessionContext } from "../session/session-context.ts";
import { pictureOf } from "../media/profile-pictures.ts";
import { aboutOf, businessProfileOf } from "../queries/people.ts";
import { changeAppState } from "./app-state.ts";
import { type CommandHandlers, failureOfCommand } from "./command-handlers.ts";
import { S_WHATSAPP_NET } from "baileys";
import { type PrivacyChange, PrivacySettings } from "@gateway/protocol/people.ts";
import type { MediaRef } from "@gateway/protocol/content.ts";
import { profilePicture } from "../media/decode-picture.ts";
import { conversionsOf, fetchFile, type OutgoingFile } from "../media/outgoing-file.ts";
import { resolveRecipient } from "../addressing/recipient.ts";

const CATEGORIES = {
  last_seen: "last",
  online: "online",
  picture: "profile",
  about: "status",
  read_receipts: "readreceipts",
  groups_add: "groupadd",
  calls: "calladd",
  messages: "messages",
} as const satisfies Record<keyof PrivacySettings, string>;

const SETTINGS = Object.keys(CATEGORIES) as (keyof PrivacySettings)[];

/** Throws if the network does not respond. Also refreshes the cache by which the library decides whether to send read receipts. */
async function readPrivacy({ sock }: Pick<SessionContext, "sock">): Promise<PrivacySettings> {
  const reply = await sock.fetchPrivacySettings(true);
  const known = SETTINGS.map((setting) => {
    const value = PrivacySettings.shape[setting].safeParse(reply[CATEGORIES[setting]]);
    return [setting, value.success ? value.data : null];
  });
  return PrivacySettings.parse(Object.fromEntries(known));
}

/** Changes the settings without the library's functions, because they treat a missing response as success. */
async function changePrivacy(ctx: SessionContext, change: PrivacyChange): Promise<PrivacySettings> {
  for (const setting of SETTINGS) {
    const value = change[setting];
    if (value === undefined) continue;
    const category = { tag: "category", attrs: { name: CATEGORIES[setting], value } };
    await queryNetwork(ctx, { to: S_WHATSAPP_NET, type: "set", xmlns: "privacy" }, [{ tag: "privacy", attrs: {}, content: [category] }]);
  }
  return readPrivacy(ctx);
}

/** Id of the query for the about text. The library has no such query yet and uses an outdated form. */
const ABOUT_QUERY = "9152604461510864";

export const profileCommands: CommandHandlers<"profile"> = {
  "profile.get": async (ctx) => {
    const jid = ownJid(ctx);
    const [about, ownPicture, business] = await Promise.all([aboutOf(ctx, jid), pictureOf(ctx, jid, "full"), businessProfileOf(ctx, jid)]);
    if (!about.ok) return about;
    const picture = noPictureAsNull(ownPicture);
    return picture.ok ? { ok: true, value: { about: about.value.about, picture: picture.value, business } } : picture;
  },

  "profile.name": async (ctx, { name }) => {
    const changed = await changeAppState(ctx, { pushNameSetting: name }, "");
    const { me } = ctx.auth.creds;
    // Emitted as if another device had made the change. The library then announces the name, and the driver reports it to the object.
    if (changed.ok && me !== undefined) ctx.sock.ev.emit("creds.update", { me: { ...me, name } });
    return changed;
  },

  "profile.about": async (ctx, { about }) => {
    await queryMex(ctx, ABOUT_QUERY, { input: { text: about, ephemeral_duration_sec: 0 } }, "xwa2_update_text_status");
    return { ok: true, value: {} };
  },

  "profile.picture": async (ctx, { picture }) => {
    if (picture !== null) return setPicture(ctx, null, picture);
    await removePicture(ctx, null);
    return { ok: true, value: {} };
  },

  "profile.privacy": async (ctx) => ({ ok: true, value: await readPrivacy(ctx) }),

  "profile.set_privacy": async (ctx, change) => ({ ok: true, value: await changePrivacy(ctx, change) }),
};

function ownJid(ctx: SessionContext): string {
  return `${identityOf(ctx.session).own.phone ?? ""}@s.whatsapp.net`;
}

function noPictureAsNull<T>(read: Outcome<T>): Outcome<T | null> {
  return !read.ok && read.failure.code === "picture_not_found" ? { ok: true, value: null } : read;
}

export const accountCommands: CommandHandlers<"account"> = {
  "account.limits": async ({ sock }) => {
    // The library reports the restriction itself as `connection.update`.
    const [, new_chat_quota] = await Promise.all([sock.fetchAccountReachoutTimelock(), newChatQuota({ sock })]);
    return { ok: true, value: { new_chat_quota } };
  },
};

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

/** Returns null for other formats. Only these two are decoded, regardless of who sent the file. */
async function squareOf(file: OutgoingFile): Promise<Buffer | null> {
  if (!FORMATS.has(file.image?.mimetype ?? "")) return null;
  return profilePicture(file.spool.bytes ?? (await file.spool.path()));
}
