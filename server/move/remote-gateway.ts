// A client for another gateway's move routes, at the edge or on a machine with MOVE_SECRET (src/moving/routes.ts).
import { openAsBlob } from "node:fs";
import { writeFile } from "node:fs/promises";
import * as z from "zod";
import type { Departing } from "@gateway/domain/moving/departing.ts";

const Row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
const DataKeys = z.array(z.object({ name: z.string(), key: z.base64() }));
const Found = z.object({
  uuid: z.uuid(),
  name: z.string(),
  away: z.object({ id: z.string(), target: z.string() }).nullable(),
  departing: z.object({ bytes: z.int().nullable(), schema: z.record(z.string(), z.int()), moves: z.array(z.string()) }),
});
const Departed = z.object({
  id: z.uuid(),
  uuid: z.uuid(),
  connection: Row,
  parts: z.int(),
  keys: DataKeys,
  key_secret: z.string(),
  media: z.array(z.string().regex(/^[0-9a-z]+$/)),
});
const Arrived = z.union([
  z.object({ isFree: z.literal(true) }),
  z.object({ isFree: z.literal(false), merged: z.string().nullable(), keysWork: z.boolean() }),
]);
const Metadata = z.object({ http: z.record(z.string(), z.unknown()), custom: z.record(z.string(), z.string()) });

export type Arriving = {
  id: string;
  owner: string | null;
  /** If 0, the request only asks whether the gateway would accept the connection. */
  parts: number;
  keys: readonly { name: string; key: string }[];
  connection: Record<string, string | number | null>;
  key_secret: string;
  departing: Departing;
};

const METADATA = "x-file-metadata";

export class RemoteGateway {
  readonly url: string;
  readonly #secret: string;

  constructor(url: string, secret: string) {
    this.url = url;
    this.#secret = secret;
  }

  async migrations(): Promise<string[]> {
    const reply = await this.#ask("GET", "migrations");
    return z.array(z.string()).parse(await reply.json());
  }

  /** `connection` is an id or a UUID at that gateway. */
  async find(connection: string): Promise<z.infer<typeof Found>> {
    return Found.parse(await (await this.#ask("GET", encodeURIComponent(connection))).json());
  }

  async depart(uuid: string, target: string): Promise<z.infer<typeof Departed>> {
    const reply = await this.#ask("POST", `${uuid}/departure`, { body: JSON.stringify({ target }) });
    return Departed.parse(await reply.json());
  }

  async arrive(uuid: string, arriving: Arriving): Promise<z.infer<typeof Arrived>> {
    const reply = await this.#ask("POST", `${uuid}/arrival`, { body: JSON.stringify(arriving) });
    return Arrived.parse(await reply.json());
  }

  /** Returns false if the connection has arrived there. Otherwise it can no longer arrive, even while a part is still being sent. */
  async cancel(uuid: string, id: string, moves: readonly string[]): Promise<boolean> {
    const reply = await this.#ask("POST", `${uuid}/cancellation`, { body: JSON.stringify({ id, moves }) });
    return z.object({ isCancelled: z.boolean() }).parse(await reply.json()).isCancelled;
  }

  async putPart(uuid: string, number: number, part: Uint8Array): Promise<void> {
    await this.#ask("PUT", `${uuid}/parts/${number}`, { body: new Uint8Array(part) });
  }

  async part(uuid: string, number: number): Promise<Uint8Array> {
    const reply = await this.#ask("GET", `${uuid}/parts/${number}`);
    return new Uint8Array(await reply.arrayBuffer());
  }

  async dropParts(uuid: string): Promise<void> {
    await this.#ask("DELETE", `${uuid}/parts`);
  }

  async putFile(uuid: string, token: string, path: string, metadata: z.infer<typeof Metadata>): Promise<void> {
    const headers = { [METADATA]: encodeURIComponent(JSON.stringify(metadata)) };
    await this.#ask("PUT", `${uuid}/media/${token}`, { body: await openAsBlob(path), headers });
  }

  async saveFile(uuid: string, token: string, path: string): Promise<z.infer<typeof Metadata>> {
    const reply = await this.#ask("GET", `${uuid}/media/${token}`);
    await writeFile(path, new Uint8Array(await reply.arrayBuffer()), { mode: 0o600 });
    return Metadata.parse(JSON.parse(decodeURIComponent(reply.headers.get(METADATA) ?? "")));
  }

  /** Throws an error for the operator unless the request succeeds. */
  async #ask(method: string, path: string, { body, headers = {} }: { body?: RequestInit["body"]; headers?: Record<string, string> } = {}) {
    const url = `${this.url}/move/${path}`;
    const authorization = `Bearer ${this.#secret}`;
    let reply: Response;
    try {
      reply = await fetch(url, {
        method,
        headers: { ...headers, authorization },
        redirect: "error",
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      const { message, cause } = error as Error;
      throw new Error(`${this.url} does not answer (${cause instanceof Error ? cause.message : message}); repeat the command`, {
        cause: error,
      });
    }
    if (reply.ok) return reply;
    const text = await reply.text();
    const { problem } = z.object({ problem: z.string() }).safeParse(parsed(text)).data ?? {};
    const noRoutes = reply.status === 404 || reply.status === 405 ? ": it does not run the worker for moves" : `, status ${reply.status}`;
    throw new Error(problem === undefined ? `${this.url} refuses the move${noRoutes}` : `${this.url}: ${problem}`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Null if the text is not the URL of a gateway, which must use https or be on this machine. */
export function gatewayUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, origin } = new URL(text);
  const isOwn = protocol === "http:" && (hostname === "localhost" || hostname === "127.0.0.1");
  return protocol === "https:" || isOwn ? origin : null;
}
