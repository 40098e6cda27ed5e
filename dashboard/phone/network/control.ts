// Calls to the local network's control API (test-network/control/README.md). The network serves this page too.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type {
  CallDocument,
  ChatView,
  ContactView,
  GroupView,
  PhoneSummary,
  PhoneView,
  PresenceDocument,
  ShownMessage,
} from "test-network/phone/views.ts";
import { filledPath } from "../../src/domain/path.ts";

type Readings = {
  "": PhoneView;
  "/chats": ChatView[];
  "/chats/{chat}": ChatView;
  "/inbox?chat_id={chat}&limit={limit}": ShownMessage[];
  "/presence?chat_id={chat}": PresenceDocument;
  "/calls": CallDocument[];
  "/contacts": ContactView[];
  "/groups": GroupView[];
};

/** `code` is the network's error code, or `offline` if it did not respond. */
export class Refusal extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.name = "Refusal";
    this.code = code;
  }
}

/** Queries to refetch after a `changed` event, by the part that changed. */
const READ_AFTER: Readonly<Record<string, ReadonlyArray<keyof Readings>>> = {
  phone: [""],
  chats: ["/chats", "/chats/{chat}"],
  messages: ["/inbox?chat_id={chat}&limit={limit}", "/chats", "/chats/{chat}"],
  presence: ["/presence?chat_id={chat}"],
  calls: ["/calls"],
  people: ["", "/chats", "/chats/{chat}", "/contacts"],
  groups: ["/groups", "/chats", "/chats/{chat}"],
};

export function people() {
  return queryOptions({ queryKey: ["people"], queryFn: ({ signal }) => ask<PhoneSummary[]>("GET", "/phones", undefined, signal) });
}

export function reading<P extends keyof Readings>(phone: string, path: P, given: Readonly<Record<string, string | number>> = {}) {
  return queryOptions({
    queryKey: ["phone", phone, path, given] as const,
    queryFn: ({ signal }) => ask<Readings[P]>("GET", `/phones/${phone}${filledPath(path, (name) => given[name] ?? "")}`, undefined, signal),
    placeholderData: keepPreviousData,
  });
}

export function keysOf(phone: string, part: string): ReadonlyArray<readonly unknown[]> {
  const own = (READ_AFTER[part] ?? []).map((path) => ["phone", phone, path] as const);
  return part === "people" || part === "phone" ? [...own, ["people"]] : own;
}

export function change<T = unknown>(phone: string, method: "POST" | "PATCH", path: string, body: unknown = {}): Promise<T> {
  return ask<T>(method, `/phones/${phone}${path}`, body);
}

export function fileAddress(phone: string, path: string): string {
  return `/phones/${phone}${path}`;
}

/** Returns the `data` of the response. Throws `Refusal`. */
export async function ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const answer = await fetch(path, {
    method,
    signal: signal ?? null,
    ...(body !== undefined && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new Refusal("offline");
  });
  const read = (await answer.json().catch(() => null)) as { data?: T; error?: { code: string } } | null;
  if (!answer.ok || read === null) throw new Refusal(read?.error?.code ?? "unreadable");
  return read.data ?? (read as T);
}
