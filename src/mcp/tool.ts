// A tool's description, and how its arguments are checked.
import { readChatId } from "@gateway/domain/chats/chat-id.ts";
import type { AppContext } from "../http/app-env.ts";
import type { Port } from "./port.ts";

export type Arguments = Readonly<Record<string, unknown>>;

type Property = {
  type: "string" | "integer" | "boolean" | "array" | "object";
  description?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  enum?: readonly string[];
  items?: { type: "string" };
};

/** `path` is relative to the API's prefix and includes the query. */
export type ApiCall = { method: string; path: string; body?: object };

/** The response of a tool: either a result, or the API's own response if it refused the key. */
export type ToolResult = { result: object } | Response;

/** Fields of a call other than its arguments. `forms` means that the client can show a form. */
export type Client = { forms: boolean; requestState: unknown; inputResponses: unknown };

type Description = {
  /** `any` is the scope of the operation that the tool calls. */
  scope: "read" | "send" | "any";
  description: string;
  properties: Readonly<Record<string, Property>>;
  required: readonly string[];
  /** True if the change cannot be undone, so that a person may have to confirm it. */
  destructive?: true;
  idempotent?: false;
};

/** `reaches` means that other people in the chat see the change. `run` is for tools that need more than one API call. */
export type Tool = Description &
  (
    | { call: (given: Arguments) => ApiCall; reaches?: true }
    | { run: (c: AppContext, given: Arguments, client: Client, port: Port) => Promise<ToolResult> }
  );

export const text = (description: string, maxLength = 256): Property => ({ type: "string", description, maxLength });
export const chat = text("chat_id of a chat, or a phone number's digits");
export const messageId = text("Id of the message");
export const limit: Property = { type: "integer", description: "How many, newest first", minimum: 1, maximum: 50 };
export const cursor = text("next_cursor of the previous answer", 2_000);
/** The value has the format of an Idempotency-Key. */
export const requestId = text("A new value for each change you want, e.g. a UUID; the same value never sends twice", 100);

export function textAt(given: Arguments, name: string): string | null {
  const value = given[name];
  return typeof value === "string" ? value : null;
}

export function segment(value: unknown): string {
  return encodeURIComponent(String(value));
}

export function queryOf(given: Arguments): string {
  const pairs = Object.entries(given).filter(([, value]) => value !== undefined);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()}`;
}

type Checked = { ok: true; given: Arguments } | { ok: false; problem: string };

/** Returns the arguments with the chat's canonical id, or the first problem found. */
export function check({ properties, required }: Tool, given: Arguments): Checked {
  const missing = required.find((name) => given[name] === undefined);
  if (missing !== undefined) return { ok: false, problem: `${missing} is missing` };
  for (const [name, value] of Object.entries(given)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const problem = property === undefined ? "is not a parameter of this tool" : problemOf(property, value);
    if (problem !== null) return { ok: false, problem: `${name.slice(0, 40)} ${problem}` };
  }
  if (!/^[\x21-\x7E]+$/.test(textAt(given, "request_id") ?? "none"))
    return { ok: false, problem: "request_id must be visible ASCII characters" };
  if (properties["reference"] !== undefined && given["message_id"] === undefined && given["reference"] === undefined)
    return { ok: false, problem: "message_id or reference is missing" };
  const chatGiven = textAt(given, "chat_id");
  if (chatGiven === null) return { ok: true, given };
  const chatId = readChatId(chatGiven);
  return chatId === null ? { ok: false, problem: "chat_id is not the id of a chat" } : { ok: true, given: { ...given, chat_id: chatId } };
}

function problemOf({ type, minimum, maximum, minLength = 1, maxLength = 0, enum: words }: Property, value: unknown): string | null {
  if (!hasType(type, value)) return `must be of the type ${type}${type === "array" ? " of strings" : ""}`;
  if (typeof value === "string" && words !== undefined) return words.includes(value) ? null : `must be one of ${words.join(", ")}`;
  if (typeof value === "string" && (value.length < minLength || value.length > maxLength))
    return `must have ${minLength} to ${maxLength} characters`;
  // As path segments, these values would lead to a different route.
  if (value === "." || value === "..") return "is not an id";
  if (typeof value === "number" && (value < (minimum ?? value) || value > (maximum ?? value)))
    return `must be from ${minimum} to ${maximum}`;
  return null;
}

function hasType(type: Property["type"], value: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value) && value.every((each) => typeof each === "string");
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}
