import type { z } from "zod";
import { isoOfMs, isoOfMsOrNull } from "../../http/times.ts";
import type { OperationOutput } from "../../protocol/operations.ts";
import type { ContactRecord } from "../../protocol/records.ts";
import { mediaUrl, phoneOf } from "../messages/render.ts";
import type { RenderContext } from "../route.ts";
import type { About, Contact, NumberCheck, Picture, Profile } from "./schemas.ts";

export function renderContact(record: ContactRecord, context: RenderContext): z.input<typeof Contact> {
  const { contact_id, name, push_name, verified_name, is_saved, is_business, is_blocked } = record;
  return {
    contact_id,
    phone: phoneOf(record.person),
    name,
    push_name,
    verified_name,
    is_saved,
    is_business,
    is_blocked,
    picture_url: mediaUrl(record.picture, context),
    updated_at: isoOfMs(record.updated_at),
  };
}

export function renderCheck({ phone, found }: OperationOutput<"contacts.check">["items"][number]): z.input<typeof NumberCheck> {
  return { phone, exists: found !== null, chat_id: found === null ? null : `${found}@c.us` };
}

export function renderPicture({ media, expires_at }: OperationOutput<"pictures.get">, context: RenderContext): z.input<typeof Picture> {
  // There is always a stored copy when a picture is answered.
  return { url: mediaUrl(media, context) ?? "", expires_at: isoOfMs(expires_at) };
}

export function renderAbout({ about, set_at }: OperationOutput<"contacts.about">): z.input<typeof About> {
  return { about, set_at: isoOfMsOrNull(set_at) };
}

export function renderProfile({ picture, ...profile }: OperationOutput<"profile.get">, context: RenderContext): z.input<typeof Profile> {
  return { ...profile, picture_url: mediaUrl(picture, context) };
}
