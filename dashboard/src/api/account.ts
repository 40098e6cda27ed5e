// The Account API, for features that the dashboard API lacks. The session's access token stays in memory, and expires within minutes.
import { queryOptions } from "@tanstack/react-query";
import { filledPath } from "../domain/path.ts";
import { queries } from "./cache.ts";
import { reading } from "./client.ts";
import { type ErrorBody, Refused, refusedBy } from "./refused.ts";

type Participant = { id: string; phone: string | null; name: string | null; role: "member" | "admin" | "superadmin" };

/** The fields that the dashboard uses (docs/openapi/account.json). */
type Responses = {
  "GET /chats/{chat_id}/picture": { url: string };
  "GET /contacts/{chat_id}/about": { about: string | null };
  "GET /groups/{chat_id}": { description: string | null; participants: readonly Participant[] };
} & Record<`POST /chats/{chat_id}/${"archive" | "unarchive" | "pin" | "unpin" | "mute" | "unmute" | "unread"}`, unknown>;
type RouteName = keyof Responses;
type Given = { instance: string; chat_id: string };

export type Member = Participant;

/** The connection's id in the Account API. Null while it is unknown, and for users of an external issuer, who get no access token here. */
export function instanceOf(id: string): string | null {
  const session = queries.getQueryData(reading("GET /session", {}).queryKey)?.data;
  const connection = queries.getQueryData(reading("GET /connections/{id}", { id }).queryKey)?.data;
  return session?.identity.kind === "embedded" ? (connection?.instance_id ?? null) : null;
}

export async function account<N extends RouteName>(
  name: N,
  { instance, chat_id }: Given,
  { signal, body }: { signal?: AbortSignal; body?: object } = {},
): Promise<Responses[N]> {
  const [method = "", path = ""] = name.split(" ");
  const url = `/api/instances/${instance}${filledPath(path, () => chat_id)}`;
  const headers: Record<string, string> = { Authorization: `Bearer ${await accessToken()}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const init = { method, headers, signal: signal ?? null, body: body === undefined ? null : JSON.stringify(body) };
  return (await send<{ data: Responses[N] }>(url, init)).data;
}

export function accountReading<N extends RouteName & `GET ${string}`>(name: N, id: string, chatId: string) {
  const instance = instanceOf(id);
  return queryOptions({
    queryKey: [`account ${name}`, { id, chat_id: chatId }] as const,
    queryFn: ({ signal }) => account(name, { instance: instance ?? "", chat_id: chatId }, { signal }),
    enabled: instance !== null,
  });
}

/** Less than a token's lifetime. */
const TOKEN_MS = 5 * 60_000;
let current: { user: string | undefined; token: Promise<string>; until: number } | undefined;

function accessToken(): Promise<string> {
  const user = queries.getQueryData(reading("GET /session", {}).queryKey)?.data.user?.id;
  if (current !== undefined && current.user === user && Date.now() < current.until) return current.token;
  const token = send<{ token: string }>("/api/auth/token", {}).then((response) => response.token);
  token.catch(() => (current = undefined));
  current = { user, token, until: Date.now() + TOKEN_MS };
  return token;
}

async function send<T>(url: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, credentials: "same-origin", cache: "no-store", redirect: "error" });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new Refused("offline", { status: 0 });
  }
  if (response.status === 401) current = undefined;
  const body = (await response.json().catch(() => null)) as ErrorBody;
  if (response.ok && body !== null) return body as T;
  throw refusedBy(response, body);
}
