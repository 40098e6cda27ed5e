// A connected Cloud API number, and a Graph controlled by the test.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { CloudCredentials } from "#root/durable-objects/connection/cloud/credentials.ts";
import { DataKeys } from "#root/durable-objects/connection/store/data-keys.ts";
import { Instance } from "#root/durable-objects/connection/instance/instance.ts";
import { settingsOf } from "#root/src/env.ts";
import type { ConnectionRecord } from "@gateway/protocol/connection.ts";
import { PHONE, TestConnection } from "../fakes/connection.ts";

const PHONE_NUMBER_ID = "106540352242922";
const CREDENTIALS = {
  phoneNumberId: PHONE_NUMBER_ID,
  wabaId: "102290129340398",
  appId: "670843887433847",
  accessToken: "EAAtest",
  appSecret: "secret of the app",
  verifyToken: "verify",
  pin: null,
};

export async function cloudConnection(change: Partial<ConnectionRecord> = {}): Promise<TestConnection> {
  const connection = await TestConnection.create({ kind: "cloud_api", ...change });
  await runInDurableObject(connection.stub, (_object, { storage: { sql } }) => {
    const keys = new DataKeys(sql, settingsOf(env).STATE_SECRET, connection.uuid);
    new CloudCredentials(sql, () => keys.vault()).store(CREDENTIALS, Date.now());
    const instance = new Instance(sql, { changed: () => undefined }, Date.now());
    instance.apply({ type: "cloud.verified", phone: PHONE, profileName: "Loja" }, Date.now());
  });
  // The object loads its state when it starts.
  await connection.crash();
  return connection;
}

const POLL_MS = 5;

export type SendBody = {
  type: string;
  to?: string;
  recipient?: string;
  biz_opaque_callback_data: string;
  context?: { message_id: string };
} & Record<string, unknown>;

/** A pending send request. The test may answer it or leave it unanswered. */
export type AskedSend = {
  body: SendBody;
  /** Our message id. */
  messageId: string;
  accept(wamid: string, contact?: { wa_id?: string; user_id?: string }): void;
  refuse(code: number, status?: number): void;
  answer(response: () => Response): void;
  /** Fails with a network error. */
  fail(): void;
};

/** Replaces `fetch`: send requests wait for the test; all others succeed. */
export class FakeGraph {
  /** Send requests, in order. */
  readonly sends: AskedSend[] = [];
  readonly #unread: AskedSend[] = [];

  constructor() {
    const fetch = globalThis.fetch;
    // Stubs `fetch`, because the receiver spies on it and a function can have only one spy.
    vi.stubGlobal("fetch", (input: RequestInfo | URL, init?: RequestInit) => {
      const url = typeof input === "string" ? new URL(input) : null;
      if (url?.hostname !== "graph.facebook.com") return fetch(input, init);
      if (url.pathname.endsWith("/messages")) return this.#asked(init?.body as string);
      return Promise.resolve(Response.json({ success: true }));
    });
  }

  /** The next unread request, past or future. Both sides poll: a promise resolved by one would continue in the other's context. */
  async next(): Promise<AskedSend> {
    for (;;) {
      const asked = this.#unread.shift();
      if (asked !== undefined) return asked;
      await scheduler.wait(POLL_MS);
    }
  }

  async #asked(text: string): Promise<Response> {
    let answer: (() => Response) | null = null;
    const end = (how: () => Response) => {
      answer ??= how;
    };
    const body = JSON.parse(text) as SendBody;
    const contact = { input: body.to ?? "", wa_id: (body.to ?? "").replace("+", "") };
    const json = (answer: object, status = 200) => end(() => Response.json(answer, { status }));
    const asked: AskedSend = {
      body,
      messageId: body.biz_opaque_callback_data.slice("m1.".length),
      accept: (id, known = contact) => json({ messaging_product: "whatsapp", contacts: [known], messages: [{ id }] }),
      refuse: (code, status = 400) => json({ error: { message: `(#${code})`, type: "OAuthException", code } }, status),
      answer: end,
      fail: () =>
        end(() => {
          throw new Error("Network connection lost.");
        }),
    };
    this.sends.push(asked);
    this.#unread.push(asked);
    // The object's own context polls and creates the response, because it could not read one created in the test's context.
    for (;;) {
      const ended = answer as (() => Response) | null;
      if (ended !== null) return ended();
      await scheduler.wait(POLL_MS);
    }
  }
}
