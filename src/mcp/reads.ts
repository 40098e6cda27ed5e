// Tools that only read. Each makes one Connection API call, except the one that waits for a message.
import type { AppContext } from "../http/app-env.ts";
import { toolResultOf, callApi, failed } from "./results.ts";
import type { Arrived, Port } from "./port.ts";
import {
  type ApiCall,
  type Arguments,
  chat,
  cursor,
  limit,
  messageId,
  queryOf,
  segment,
  text,
  textAt,
  type Tool,
  type ToolResult,
} from "./tool.ts";

const MAX_WAIT_SECONDS = 25;
const RECENT = 20;

const get = (path: string): ApiCall => ({ method: "GET", path });

export const READS = {
  get_connection: {
    scope: "read",
    description: "The number behind this key: its phone and whether it is connected.",
    properties: {},
    required: [],
    call: () => get("instance"),
  },
  list_chats: {
    scope: "read",
    description: "Chats, pinned ones first, then by last activity.",
    properties: { query: text("Part of the name or phone"), unread: { type: "boolean", description: "Only unread chats" }, limit, cursor },
    required: [],
    call: ({ query, unread, limit: most, cursor: after }) =>
      get(`chats${queryOf({ q: query, unread, limit: most ?? RECENT, cursor: after })}`),
  },
  read_messages: {
    scope: "read",
    description: "Messages of one chat, newest first. It does not mark them as read.",
    properties: { chat_id: chat, query: text("Part of the text"), limit, cursor },
    required: ["chat_id"],
    call: ({ chat_id, query, limit: most, cursor: after }) =>
      get(`chats/${segment(chat_id)}/messages${queryOf({ q: query, limit: most ?? RECENT, cursor: after })}`),
  },
  wait_for_message: {
    scope: "read",
    description:
      "Waits until someone writes; an empty list means that nobody did. With chat_id and after, it misses nothing between two calls.",
    properties: {
      chat_id: text("Only this chat_id, as in list_chats"),
      after: text("message_id of the last received message that you know in this chat: later ones are returned at once"),
      seconds: { type: "integer", minimum: 1, maximum: MAX_WAIT_SECONDS },
    },
    required: [],
    run: waitForMessage,
  },
  get_message: {
    scope: "read",
    description: "One message with its delivery status, by its id, or your own sends by their reference.",
    properties: { message_id: messageId, reference: text("Instead of the id: reference of a send") },
    required: [],
    call: ({ message_id, reference }) =>
      get(reference === undefined ? `messages/${segment(message_id)}` : `messages${queryOf({ reference })}`),
  },
  get_media: {
    scope: "read",
    description: "A link to the file of a message.",
    properties: { chat_id: chat, message_id: messageId },
    required: ["chat_id", "message_id"],
    call: ({ chat_id, message_id }) => get(`chats/${segment(chat_id)}/messages/${segment(message_id)}/media`),
  },
  find_contact: {
    scope: "read",
    description: "Contacts by part of their name or phone.",
    properties: { query: text("Part of the name or phone"), limit, cursor },
    required: ["query"],
    call: ({ query, limit: most, cursor: after }) => get(`contacts${queryOf({ q: query, limit: most ?? RECENT, cursor: after })}`),
  },
  check_number: {
    scope: "read",
    description: "Whether a phone number is on WhatsApp.",
    properties: { phone: text("Digits with country code", 20) },
    required: ["phone"],
    call: ({ phone }) => get(`contacts/check${queryOf({ phone })}`),
  },
  get_group: {
    scope: "read",
    description: "A group: subject, description, settings and up to 100 participants.",
    properties: { group_id: text("Id of the group: its chat_id") },
    required: ["group_id"],
    call: ({ group_id }) => get(`groups/${segment(group_id)}`),
  },
} as const satisfies Record<string, Tool>;

/** Opens the event stream before reading, so that no message that arrives in between is missed. */
async function waitForMessage(c: AppContext, given: Arguments, _client: unknown, port: Port): Promise<ToolResult> {
  const [inChat, after] = [textAt(given, "chat_id"), textAt(given, "after")];
  if (after !== null && inChat === null) return failed("after needs chat_id");
  // The rights are checked before the stream is opened, because a new stream can end the stream of another reader.
  const rights = await port.rights(c);
  if (!rights.ok) return toolResultOf(rights.response);
  const arrival = await port.arrival(c, inChat, Number(given["seconds"] ?? MAX_WAIT_SECONDS) * 1000);
  try {
    // Reads even without `after`, because this call checks the scope and the limits.
    const read = await callApi(c, get(inChat === null ? "chats?limit=1" : received(inChat)), port);
    if (!read.ok) return toolResultOf(read);
    const missed = after === null ? [] : newerThan(await read.json(), after);
    if (missed.length > 0) return toolResultOf(Response.json({ data: missed }));
    const arrived = await arrival.first;
    if (arrived === null) return toolResultOf(Response.json({ data: [] }));
    const now = await callApi(c, get(received(arrived.chat_id)), port);
    if (!now.ok) return toolResultOf(now);
    const list: unknown = await now.json();
    return toolResultOf(Response.json({ data: after === null ? upTo(list, arrived) : newerThan(list, after) }));
  } finally {
    arrival.stop();
  }
}

const received = (chatId: string) => `chats/${segment(chatId)}/messages${queryOf({ from_me: false, limit: RECENT })}`;

type Listed = { data: { message_id: string }[] };

/** Returns the whole list if the message is no longer in it. */
function newerThan(list: unknown, after: string): object[] {
  const { data } = list as Listed;
  const at = data.findIndex(({ message_id: id }) => id === after);
  return at === -1 ? data : data.slice(0, at);
}

function upTo(list: unknown, { message_id: arrived }: Arrived): object[] {
  const { data } = list as Listed;
  return data.slice(0, data.findIndex(({ message_id: id }) => id === arrived) + 1);
}
