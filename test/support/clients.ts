// Three ways to call a sandbox: as a customer, as a dashboard user, and as the owner of a phone.
import { checkServed } from "./contract/served-documents.ts";
import type { Ready } from "../../src/sandbox/host/state-directory.ts";

/** One minute in total, at 10 seconds each. */
const CONNECT_ATTEMPTS = 6;

export type Reply<T = any> = { status: number; headers: Headers; body: T };

export async function ask<T = any>(url: string, init: RequestInit & { json?: unknown } = {}): Promise<Reply<T>> {
  const { json, ...rest } = init;
  const headers = new Headers(rest.headers);
  if (json !== undefined) headers.set("content-type", "application/json");
  const response = await patientFetch(url, {
    ...rest,
    headers,
    ...(json === undefined ? {} : { method: rest.method ?? "POST", body: JSON.stringify(json) }),
  });
  const text = await response.text();
  const body = (text === "" ? null : parse(text)) as T;
  const { status, headers: answered } = response;
  await checkServed(url, { method: rest.method ?? (json === undefined ? "GET" : "POST"), status, headers: answered, body });
  return { status: response.status, headers: response.headers, body };
}

/** `fetch` allows 10 seconds to connect, too few on a loaded machine. Nothing has been sent by then, so retrying is safe. */
async function patientFetch(url: string, init: RequestInit): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fetch(url, init);
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { code?: string };
      if (code !== "UND_ERR_CONNECT_TIMEOUT" || attempt === CONNECT_ATTEMPTS) throw error;
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A gateway's address, and the key of one connection. */
export type Called = { app_url: string; demo: { connection: { api_key: string } } };

/** The Connection API with one connection's API key. */
export function customer(ready: Called, key = ready.demo.connection.api_key) {
  const base = `${ready.app_url}/api/v1`;
  const call = (method: string, path: string, json?: unknown, headers: Record<string, string> = {}) =>
    ask(`${base}${path}`, { method, headers: { "x-api-key": key, ...headers }, ...(json === undefined ? {} : { json }) });
  return {
    call,
    get: (path: string) => call("GET", path),
    text: (to: string, text: string, headers?: Record<string, string>) => call("POST", "/messages/text", { to, text }, headers),
  };
}

/** A gateway without the sandbox's routes provides its administrator's token. */
type SignedIn = Ready & { token?: string };

/** The dashboard's API as a signed-in user. */
export async function person(ready: SignedIn, email = ready.demo.email) {
  const token =
    ready.token ?? (await ask<{ access_token: string }>(`${ready.app_url}/sandbox/token`, { json: { email } })).body.access_token;
  const headers = { authorization: `Bearer ${token}` };
  return {
    token,
    call: (method: string, path: string, json?: unknown) =>
      ask(`${ready.app_url}/api/dashboard${path}`, { method, headers, ...(json === undefined ? {} : { json }) }),
  };
}

/** The test network's control API. */
export function phones(ready: Pick<Ready, "network_url">) {
  const call = (method: string, path: string, json?: unknown) =>
    ask(`${ready.network_url}${path}`, { method, ...(json === undefined ? {} : { json }) });
  return {
    call,
    create: (phone: string, name: string) => call("POST", "/phones", { phone, name }),
    inbox: async (phone: string): Promise<Record<string, any>[]> => (await call("GET", `/phones/${phone}/inbox`)).body.data,
    send: (phone: string, body: Record<string, unknown>) => call("POST", `/phones/${phone}/send`, body),
  };
}
