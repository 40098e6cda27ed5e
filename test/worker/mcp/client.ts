// A hand-written client of the Model Context Protocol.
import { env } from "cloudflare:workers";
import { makeKey } from "@gateway/domain/keys/api-key.ts";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { TestConnection } from "../fakes/connection.ts";
import { type Asked, freshAddress, freshKey, gateway } from "../support/gateway.ts";

export type Result = { structuredContent: { facts: unknown; untrusted: unknown }; content: { text: string }[]; isError?: true };
export type Reply = { jsonrpc: string; id: unknown; result: Result & Record<string, unknown>; error: { code: number; message: string } };

export function client(ask: Asked, key = freshKey().key) {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    ask("/mcp", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "cf-connecting-ip": freshAddress(), ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const request = async (method: string, params: object = {}): Promise<Reply> =>
    (await post({ jsonrpc: "2.0", id: 1, method, params })).json<Reply>();
  const tools = async (meta: object = {}) =>
    (await request("tools/list", meta)).result as unknown as { tools: { name: string; annotations: Record<string, boolean> }[] };
  const call = async (name: string, args: object = {}) => (await request("tools/call", { name, arguments: args })).result;
  return { post, request, tools, call };
}

/** The protocol version whose requests need no handshake, for a client with or without support for forms. */
export const stateless = (forms = true) => ({
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": forms ? { elicitation: {} } : {},
  },
});

/** An assistant for a connected number, using a key with these limits. */
export async function assistant(limits: Pick<OperationInput<"keys.create">, "scopes" | "assistant"> = {}) {
  const { connection, session } = await TestConnection.connected();
  const made = makeKey(settingsOf(env as Env).KEY_SECRET, connection.uuid, crypto.getRandomValues(new Uint8Array(15)));
  const key = await connection.ask("keys.create", { name: "assistant", prefix: made.prefix, hash: made.hash, ...limits });
  if (!key.ok) throw new Error(key.code);
  return { connection, session, keyId: key.value.id, hash: made.hash, ...client(gateway(), made.key) };
}
