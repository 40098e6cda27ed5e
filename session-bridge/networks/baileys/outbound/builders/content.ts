import { randomBytes } from "node:crypto";
import type { SendContent, MessageRef, SendRequest } from "@gateway/protocol/content.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { vcardOf } from "#bridge/networks/baileys/content/contact-cards.ts";
import { readRaw, unwrap } from "#bridge/networks/baileys/content/unwrap.ts";
import { failureOfError } from "#bridge/networks/baileys/session/network-failures.ts";
import { DAY_SECONDS } from "@gateway/protocol/units.ts";
import {
  prepareWAMessageMedia,
  type WAUrlInfo,
  proto,
  type WAMessageKey,
  type AnyMessageContent,
  type MessageGenerationOptions,
} from "baileys";
import { fetchFile, UPLOAD_IDLE_TIMEOUT_MS } from "#bridge/networks/baileys/media/outgoing-file.ts";
import { jidOfChat } from "#bridge/networks/baileys/addressing/jids.ts";
import { authorJid } from "#bridge/networks/baileys/memory/message-secrets.ts";
import type { SessionContext } from "../../session/session-context.ts";
import type { WireMessage } from "../pending-send.ts";
import type { Recipient } from "../../addressing/recipient.ts";

export type BuildContext = {
  ctx: SessionContext;
  request: SendRequest;
  recipient: Recipient;
  byLid: boolean;
  /** The group's disappearing timer in seconds. */
  groupTimer: number | undefined;
  isWanted: () => boolean;
};

export type BuiltContent = Partial<Omit<WireMessage, "message">> & {
  content: AnyMessageContent;
  options?: Partial<MessageGenerationOptions>;
  discard?: () => Promise<void>;
};
export type Built = Outcome<BuiltContent> | Promise<Outcome<BuiltContent>>;
export const built = (content: AnyMessageContent, more: Omit<BuiltContent, "content"> = {}): Outcome<BuiltContent> => ({
  ok: true,
  value: { content, ...more },
});

type Text = Extract<SendContent, { kind: "text" }>;
type Preview = NonNullable<Text["preview"]>;

const INLINE_BYTES = 48 * 1024;

export async function text({ text: body, preview }: Text, context: BuildContext): Promise<Outcome<BuiltContent>> {
  if (preview === null) return built({ text: body, linkPreview: null });
  const linkPreview = await previewOf(preview, context);
  return linkPreview.ok ? built({ text: body, linkPreview: linkPreview.value }) : linkPreview;
}

async function previewOf({ url, title, description, image }: Preview, { ctx }: BuildContext): Promise<Outcome<WAUrlInfo>> {
  const plain: WAUrlInfo = { "canonical-url": url, "matched-text": url, title, ...(description !== null && { description }) };
  if (image === null) return { ok: true, value: plain };
  const file = await fetchFile(ctx, image);
  if (!file.ok) return file;
  try {
    const { bytes } = file.value.spool;
    const inline = bytes !== null && bytes.length <= INLINE_BYTES && image.mimetype === "image/jpeg" ? bytes : null;
    const { imageMessage } = await prepareWAMessageMedia(
      { image: await file.value.upload(), jpegThumbnail: null as unknown as string },
      { upload: ctx.sock.waUploadToServer, mediaUploadTimeoutMs: UPLOAD_IDLE_TIMEOUT_MS, mediaTypeOverride: "thumbnail-link" },
    );
    const { image: size } = file.value;
    const large = imageMessage && { ...imageMessage, ...(size && { width: size.width, height: size.height }) };
    return { ok: true, value: { ...plain, ...(inline && { jpegThumbnail: inline }), ...(large && { highQualityThumbnail: large }) } };
  } catch {
    return fail("unavailable");
  } finally {
    await file.value.spool.discard();
  }
}

type Of<K extends SendContent["kind"]> = Extract<SendContent, { kind: K }>;

const INVITATION_DAYS = 3;

const place = ({ latitude, longitude, name, address }: Of<"location">["location"]) => ({
  degreesLatitude: latitude,
  degreesLongitude: longitude,
  ...(name !== null && { name }),
  ...(address !== null && { address }),
});

export const location = ({ location: at }: Of<"location">): Outcome<BuiltContent> => built({ location: place(at) });

export function contact({ contacts }: Of<"contact">): Outcome<BuiltContent> {
  const cards = contacts.map((card) => ({ displayName: card.full_name, vcard: vcardOf(card) }));
  return built({
    contacts: { displayName: contacts.length === 1 ? (contacts[0]?.full_name ?? "") : `${contacts.length} contacts`, contacts: cards },
  });
}

export const poll = ({ poll: { question, options, selectable_count } }: Of<"poll">): Outcome<BuiltContent> =>
  built(
    { poll: { name: question, values: options, selectableCount: selectable_count, messageSecret: randomBytes(32) } },
    { tags: { meta: { polltype: "creation" } } },
  );

export function event({
  name,
  description,
  starts_at,
  ends_at,
  location: at,
  extra_guests,
  cancelled,
}: Of<"event">): Outcome<BuiltContent> {
  return built(
    {
      event: {
        name,
        startDate: new Date(starts_at * 1000),
        extraGuestsAllowed: extra_guests,
        isCancelled: cancelled,
        ...(description !== null && { description }),
        ...(ends_at !== null && { endDate: new Date(ends_at * 1000) }),
        ...(at !== null && { location: place(at) }),
      },
    },
    { tags: { meta: { event_type: "creation" } } },
  );
}

export async function groupInvite({ group_id, subject, text }: Of<"group_invite">, { ctx }: BuildContext): Promise<Outcome<BuiltContent>> {
  try {
    const code = await ctx.sock.groupInviteCode(group_id);
    if (!code) return fail("unavailable");
    const inviteExpiration = Math.floor(ctx.now() / 1000) + INVITATION_DAYS * DAY_SECONDS;
    return built({ groupInvite: { inviteCode: code, inviteExpiration, text: text ?? "", jid: group_id, subject } });
  } catch (error) {
    return fail(failureOfError(error, "group"));
  }
}

/** A forwarded file is not uploaded again, because the network still has it. */
export function forward({ raw }: Of<"forward">): Outcome<BuiltContent> {
  const source = readRaw(raw);
  const { field, content } = unwrap(source?.message);
  if (!source || field === null) return fail("source_message_not_found");
  // The library marks the first field it finds as forwarded, so accompanying fields are omitted.
  return built({ forward: { key: source.key, message: { [field]: content[field] } } });
}

// Messages that change other messages. The stanza's `edit` attribute specifies the kind of change.
const EDIT_ATTRIBUTE = { edited: "1", pinned: "2", deletedOwn: "7", deletedByAdmin: "8" } as const;

export const reaction = ({ target, reaction: text }: Of<"reaction">, context: BuildContext): Outcome<BuiltContent> =>
  built({ react: { text, key: keyOf(target, context) } });

export const edit = ({ target, text }: Of<"edit">, context: BuildContext): Outcome<BuiltContent> =>
  built({ text, linkPreview: null, edit: keyOf(target, context) }, { attributes: { edit: EDIT_ATTRIBUTE.edited } });

export function deletion({ target }: Of<"delete">, context: BuildContext): Outcome<BuiltContent> {
  const byAdmin = target.chat_id.endsWith("@g.us") && !target.from_me;
  return built(
    { delete: keyOf(target, context) },
    { attributes: { edit: byAdmin ? EDIT_ATTRIBUTE.deletedByAdmin : EDIT_ATTRIBUTE.deletedOwn } },
  );
}

export function pin({ target, seconds }: Of<"pin">, context: BuildContext): Outcome<BuiltContent> {
  const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.PinInChat.Type;
  const content = {
    pin: keyOf(target, context),
    type: seconds === null ? UNPIN_FOR_ALL : PIN_FOR_ALL,
    // The network and the APIs offer only 24 hours, 7 days and 30 days.
    ...(seconds !== null && { time: seconds as 86_400 }),
  };
  return built(content, { attributes: { edit: EDIT_ATTRIBUTE.pinned } });
}

/** In groups, this is a setting instead of a message (`dispatch.ts`). */
export const disappearing = ({ seconds }: Of<"disappearing">): Outcome<BuiltContent> => built({ disappearingMessagesInChat: seconds });

function keyOf({ chat_id, message_id, from_me, participant }: MessageRef, { ctx, recipient, request, byLid }: BuildContext): WAMessageKey {
  const shared = recipient.subject === "group" || recipient.subject === "status";
  const author = participant && shared && !from_me ? authorJid(ctx.session, participant, byLid ? "lid" : "pn") : null;
  return {
    remoteJid: chat_id === request.chat_id ? recipient.jid : jidOfChat(chat_id),
    id: message_id,
    fromMe: from_me,
    ...(author !== null && { participant: author }),
  };
}
