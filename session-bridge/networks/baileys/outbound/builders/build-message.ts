// One row per kind of content: its form on the network.
import { generateWAMessage, type AnyMessageContent, type MessageGenerationOptions, type WAMessage } from "baileys";
import { errorFacts } from "../../../../log.ts";
import type { SendContent, SendRequest } from "../../../../../src/protocol/content.ts";
import { fail, type Outcome } from "../../../../../src/protocol/failures.ts";
import { timersOf } from "../../memory/disappearing-timers.ts";
import { groupsOf } from "../../memory/group-cache.ts";
import { identityOf } from "../../addressing/own-identity.ts";
import type { Draft } from "../pending-send.ts";
import { deletion, disappearing, edit, pin, reaction } from "./changes.ts";
import { audio, document, image, sticker, video, voice } from "./files.ts";
import { contact, event, forward, groupInvite, location, poll } from "./structured.ts";
import { mentionJids, withMentions } from "./mentions.ts";
import { quotedMessage } from "./quote.ts";
import type { DraftParts, Sketch, Sketched } from "./message-builder.ts";
import { text } from "./text.ts";

type Sketchers = { [K in SendContent["kind"]]: (content: Extract<SendContent, { kind: K }>, parts: DraftParts) => Sketched };

const SKETCHERS: Sketchers = {
  text,
  image,
  video,
  audio,
  voice,
  document,
  sticker,
  location,
  contact,
  poll,
  event,
  forward,
  reaction,
  edit,
  pin,
  disappearing,
  group_invite: groupInvite,
  delete: deletion,
};

/** Uploads what has to be uploaded; nothing of the message itself leaves. */
export async function draftOf(parts: DraftParts): Promise<Outcome<Draft>> {
  const { request } = parts;
  const quoted = request.quoted && quotedMessage(request.quoted, parts);
  if (request.quoted && !quoted) return fail("quoted_message_not_found");
  // The table pairs each kind with its own content; the compiler cannot follow that through the lookup.
  const sketch = await (SKETCHERS[request.content.kind] as (content: SendContent, parts: DraftParts) => Sketched)(request.content, parts);
  if (!sketch.ok) return sketch;
  const { content, options, attributes = {}, tags = {}, media = null, discard } = sketch.value;
  try {
    const message = await generate(withMentions(content, mentionJids(parts), request.mention_all), parts, quoted, options);
    return message ? { ok: true, value: { message, attributes, tags, media } } : fail("internal_error");
  } catch (error) {
    parts.ctx.logger.warn({ ...errorFacts(error), kind: request.content.kind }, "send.not_generated");
    // Only an upload depends on anybody else here.
    return fail(media ? "unavailable" : "internal_error");
  } finally {
    await discard?.();
  }
}

async function generate(
  content: AnyMessageContent,
  { ctx, request, recipient, byLid }: DraftParts,
  quoted: WAMessage | null,
  options: Sketch["options"],
): Promise<Draft["message"] | null> {
  const { own } = identityOf(ctx.link);
  const timer = groupsOf(ctx.link).get(recipient.jid)?.ephemeralDuration ?? timersOf(ctx.link).get(recipient.chatId);
  const generated = await generateWAMessage(recipient.jid, content, {
    userJid: byLid && own.lid !== null ? `${own.lid}@lid` : `${own.phone ?? ""}@s.whatsapp.net`,
    upload: ctx.sock.waUploadToServer,
    messageId: request.message_id,
    ...(quoted && { quoted }),
    ...(timer && { ephemeralExpiration: timer }),
    ...statusLook(request),
    ...options,
  });
  return generated.message ?? null;
}

/** Colours are ARGB; the library reads them as hexadecimal text only. */
function statusLook({ status }: SendRequest): Partial<MessageGenerationOptions> {
  if (!status) return {};
  return {
    ...(status.background !== null && { backgroundColor: `#${(status.background >>> 0).toString(16).padStart(8, "0")}` }),
    ...(status.font !== null && { font: status.font }),
  };
}
