// Tools that send or change. None can quote a message, because the person who confirms would not see a quote from another chat.
import { type ApiCall, type Arguments, chat, messageId, queryOf, requestId, segment, text, type Tool } from "./tool.ts";

const MEDIA_KINDS = ["image", "video", "audio", "voice", "document"] as const;
const MAX_TEXT = 10_000;

const sent = (kind: unknown, body: object): ApiCall => ({ method: "POST", path: `messages/${String(kind)}`, body });
const onMessage = ({ chat_id, message_id }: Arguments) => `chats/${segment(chat_id)}/messages/${segment(message_id)}`;

export const CHANGES = {
  send_text: {
    scope: "send",
    description: "Sends a text.",
    properties: { chat_id: chat, text: text("The text", MAX_TEXT), request_id: requestId },
    required: ["chat_id", "text", "request_id"],
    destructive: true,
    reaches: true,
    call: ({ chat_id, text: words }) => sent("text", { chat_id, text: words }),
  },
  send_media: {
    scope: "send",
    description: "Sends a file from a public https URL.",
    properties: {
      chat_id: chat,
      kind: { type: "string", enum: MEDIA_KINDS },
      url: text("Where the file is", 2_048),
      caption: text("Not for audio and voice", 1_024),
      filename: text("Shown with a document", 255),
      request_id: requestId,
    },
    required: ["chat_id", "kind", "url", "request_id"],
    destructive: true,
    reaches: true,
    call: ({ chat_id, kind, url, caption, filename }) => sent(kind, { chat_id, media: { url, filename }, caption }),
  },
  send_poll: {
    scope: "send",
    description: "Sends a poll.",
    properties: {
      chat_id: chat,
      question: text("The question", 255),
      options: { type: "array", items: { type: "string" }, description: "2 to 12 different answers" },
      selectable_count: { type: "integer", description: "How many each person may choose; 0: any", minimum: 0, maximum: 12 },
      request_id: requestId,
    },
    required: ["chat_id", "question", "options", "request_id"],
    destructive: true,
    reaches: true,
    call: ({ chat_id, question, options, selectable_count }) => sent("poll", { chat_id, question, options, selectable_count }),
  },
  react: {
    scope: "send",
    description: "Reacts to a message with an emoji; empty removes the reaction.",
    properties: {
      chat_id: chat,
      message_id: messageId,
      reaction: { type: "string", description: "One emoji", minLength: 0, maxLength: 64 },
    },
    required: ["chat_id", "message_id", "reaction"],
    reaches: true,
    call: (given) => ({ method: "PUT", path: `${onMessage(given)}/reaction`, body: { reaction: given["reaction"] } }),
  },
  mark_read: {
    scope: "send",
    description: "Marks all messages of a chat as read.",
    properties: { chat_id: chat },
    required: ["chat_id"],
    call: ({ chat_id }) => ({ method: "POST", path: `chats/${segment(chat_id)}/seen` }),
  },
  edit_message: {
    scope: "send",
    description: "Replaces the text of a message of your own, up to 15 minutes after sending.",
    properties: { chat_id: chat, message_id: messageId, text: text("The new text", MAX_TEXT), request_id: requestId },
    required: ["chat_id", "message_id", "text", "request_id"],
    destructive: true,
    reaches: true,
    call: (given) => ({ method: "PUT", path: onMessage(given), body: { text: given["text"] } }),
  },
  delete_message: {
    scope: "send",
    description: "Deletes a message for everyone, or only for this number.",
    properties: {
      chat_id: chat,
      message_id: messageId,
      for_everyone: { type: "boolean", description: "Default: true" },
      request_id: requestId,
    },
    required: ["chat_id", "message_id", "request_id"],
    destructive: true,
    reaches: true,
    call: (given) => ({ method: "DELETE", path: onMessage(given) + queryOf({ for_everyone: given["for_everyone"] }) }),
  },
} as const satisfies Record<string, Tool>;
