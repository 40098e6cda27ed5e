// The tools: each is one read of the Connection API. Their texts are fixed, and contain no customer's data.

type Arguments = Readonly<Record<string, unknown>>;
type Property = { type: "string" | "integer" | "boolean"; description: string; minimum?: number; maximum?: number; maxLength?: number };

export type Tool = {
  description: string;
  properties: Readonly<Record<string, Property>>;
  required: readonly string[];
  /** Path and query below the API's prefix. */
  path: (given: Arguments) => string;
};

const text = (description: string, maxLength = 256): Property => ({ type: "string", description, maxLength });
const limit: Property = { type: "integer", description: "How many, newest first", minimum: 1, maximum: 50 };
const cursor = text("next_cursor of the previous answer", 2_000);

export const TOOLS: Readonly<Record<string, Tool>> = {
  get_connection: {
    description: "The number behind this key: its phone and whether it is connected.",
    properties: {},
    required: [],
    path: () => "instance",
  },
  list_chats: {
    description: "Chats, pinned ones first, then by last activity.",
    properties: { query: text("Part of the name or phone"), unread: { type: "boolean", description: "Only unread chats" }, limit, cursor },
    required: [],
    path: ({ query, unread, limit: most, cursor: after }) => `chats${queryOf({ q: query, unread, limit: most ?? 20, cursor: after })}`,
  },
  read_messages: {
    description: "Messages of one chat, newest first. It does not mark them as read.",
    properties: { chat_id: text("chat_id of a chat, or a phone number's digits"), query: text("Part of the text"), limit, cursor },
    required: ["chat_id"],
    path: ({ chat_id, query, limit: most, cursor: after }) =>
      `chats/${segment(chat_id)}/messages${queryOf({ q: query, limit: most ?? 20, cursor: after })}`,
  },
  get_message: {
    description: "One message with its delivery status, by its id, or your own sends by their reference.",
    properties: { message_id: text("Id of the message"), reference: text("Instead of the id: reference of a send") },
    required: [],
    path: ({ message_id, reference }) =>
      reference === undefined ? `messages/${segment(message_id)}` : `messages${queryOf({ reference })}`,
  },
  find_contact: {
    description: "Contacts by part of their name or phone.",
    properties: { query: text("Part of the name or phone"), limit, cursor },
    required: ["query"],
    path: ({ query, limit: most, cursor: after }) => `contacts${queryOf({ q: query, limit: most ?? 20, cursor: after })}`,
  },
  check_number: {
    description: "Whether a phone number is on WhatsApp.",
    properties: { phone: text("Digits with country code", 20) },
    required: ["phone"],
    path: ({ phone }) => `contacts/check${queryOf({ phone })}`,
  },
};

export function toolList() {
  return Object.entries(TOOLS).map(([name, { description, properties, required }]) => ({
    name,
    description,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  }));
}

/** The first problem of the arguments; null: none. */
export function problemOf({ properties, required }: Tool, given: Arguments): string | null {
  const missing = required.find((name) => given[name] === undefined);
  if (missing !== undefined) return `${missing} is missing`;
  for (const [name, value] of Object.entries(given)) {
    const property = properties[name];
    if (property === undefined) return `${name.slice(0, 40)} is not a parameter of this tool`;
    const fits = property.type === "integer" ? Number.isInteger(value) : typeof value === property.type;
    if (!fits) return `${name} must be of the type ${property.type}`;
    if (typeof value === "string" && (value === "" || value.length > (property.maxLength ?? 0)))
      return `${name} must have 1 to ${property.maxLength} characters`;
    // As a segment of a path, they would call a different route.
    if (value === "." || value === "..") return `${name} is not an id`;
    if (typeof value === "number" && (value < (property.minimum ?? value) || value > (property.maximum ?? value)))
      return `${name} must be from ${property.minimum} to ${property.maximum}`;
  }
  return properties["message_id"] !== undefined && given["message_id"] === undefined && given["reference"] === undefined
    ? "message_id or reference is missing"
    : null;
}

function segment(value: unknown): string {
  return encodeURIComponent(String(value));
}

function queryOf(given: Arguments): string {
  const pairs = Object.entries(given).filter(([, value]) => value !== undefined);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()}`;
}
