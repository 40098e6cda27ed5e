// The message of a send before the network has accepted it, so that it can be read at once.
import type { MediaRef, SendContent, SendRequest } from "@gateway/protocol/content.ts";
import { type NetworkMessage, NO_EXTRAS, type StoredMedia } from "@gateway/protocol/message.ts";

type ContentFields = Pick<NetworkMessage, "type" | "text"> &
  Partial<Pick<NetworkMessage, "media" | "location" | "contacts" | "poll" | "view_once" | "forwarded">>;

/** Null for a change of a message or a chat, which makes no message of its own. `timestamp` in Unix seconds. */
export function pendingMessageOf(request: SendRequest, quoted: NetworkMessage["quoted"], timestamp: number): NetworkMessage | null {
  const fields = fieldsOf(request.content);
  if (fields === null) return null;
  return {
    message_id: request.message_id,
    chat_id: request.chat_id,
    from_me: true,
    sender: null,
    push_name: null,
    timestamp,
    media: null,
    ...NO_EXTRAS,
    ...fields,
    quoted,
    mentions: request.mentions,
    raw: null,
  };
}

function fieldsOf(content: SendContent): ContentFields | null {
  switch (content.kind) {
    case "text":
      return { type: "text", text: content.text };
    case "image":
    case "video":
      return { type: content.kind, text: content.caption, media: mediaOf(content.media), view_once: content.view_once };
    case "audio":
    case "voice":
    case "sticker":
      return { type: content.kind, text: null, media: mediaOf(content.media) };
    case "document":
      return { type: "document", text: content.caption, media: mediaOf(content.media) };
    case "location":
      return { type: "location", text: content.location.name, location: content.location };
    case "contact":
      return { type: "contact", text: content.contacts.map((contact) => contact.full_name).join(", "), contacts: content.contacts };
    case "poll":
      return { type: "poll", text: content.poll.question, poll: content.poll };
    case "event":
      return { type: "event", text: content.name };
    case "group_invite":
      return { type: "group_invite", text: content.text };
    case "list":
      return { type: "list", text: content.body };
    case "buttons": {
      const { body, header } = content;
      return { type: "buttons", text: body, media: header === null || typeof header === "string" ? null : mediaOf(header) };
    }
    case "template":
      // The network writes the words.
      return { type: "template", text: null };
    case "forward":
      // Only the bridge knows the content; it arrives with the acknowledgement.
      return { type: "unknown", text: null, forwarded: true };
    case "reaction":
    case "edit":
    case "delete":
    case "pin":
    case "disappearing":
      return null;
  }
}

function mediaOf({ token, mimetype, filename, size }: MediaRef): StoredMedia {
  return { token, mimetype, filename, size, sha256: null, duration_seconds: null, width: null, height: null };
}
