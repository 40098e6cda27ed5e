import type { Outcome } from "@gateway/protocol/failures.ts";
import { identityOf } from "../addressing/own-identity.ts";
import { queryMex } from "../queries/mex-query.ts";
import { removePicture, setPicture } from "./own-pictures.ts";
import type { SessionContext } from "../session/session-context.ts";
import { pictureOf } from "../media/profile-pictures.ts";
import { aboutOf } from "../queries/about.ts";
import { changeAppState } from "./app-state.ts";
import { businessProfileOf } from "../queries/business-profile.ts";
import type { CommandHandlers } from "./command-handlers.ts";
import { changePrivacy, readPrivacy } from "./privacy.ts";

/** The library has no such query yet; it writes the text in a form that the network has replaced. */
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
    // Emitted as if another device had changed it, so that the library announces the name and we report it to the object.
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
