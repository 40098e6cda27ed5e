// Pages, streams, outcomes and client-side errors.
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  AccountClient,
  type ApiError,
  ConnectionClient,
  ConnectionError,
  OutcomeUnknownError,
  TemporarilyBlockedError,
  media,
} from "@gateway/sdk";
import { accountWebhookHandler, verifyConnectionWebhook, webhookHandler } from "@gateway/sdk/webhooks";
import { ended } from "./ended.ts";
import signatures from "@gateway/conformance/signatures.json" with { type: "json" };

const BASE = { apiKey: "svc_secret", baseUrl: "https://app.example.com" };

type Answer = (url: URL, init: RequestInit) => Response | Promise<Response>;

function client(answer: Answer, more: object = {}): ConnectionClient {
  return new ConnectionClient({
    ...BASE,
    fetch: (async (url: URL, init: RequestInit) => answer(url, init)) as unknown as typeof fetch,
    ...more,
  });
}

const failure = (status: number, codigo: string, detalhes: unknown = null): Response =>
  Response.json({ error: { codigo, mensagem: "…", detalhes }, request_id: "r1" }, { status });

afterEach(() => vi.useRealTimers());

describe("a list", () => {
  const pages = client((url) => {
    const at = Number(url.searchParams.get("cursor") ?? "0");
    return Response.json({ data: [{ chat_id: `${at}a` }, { chat_id: `${at}b` }], next_cursor: at < 2 ? String(at + 1) : null });
  });

  it("is iterated over all pages", async () => {
    const ids: string[] = [];
    for await (const chat of pages.chats.list({ limit: 2 })) ids.push(chat.chat_id);
    expect(ids).toEqual(["0a", "0b", "1a", "1b", "2a", "2b"]);
  });

  it("is awaited for its first page, which leads to the next", async () => {
    const first = await pages.chats.list();
    expect(first.data).toHaveLength(2);
    expect((await first.next())?.data[0]?.chat_id).toBe("1a");
    expect(await (await (await first.next())?.next())?.next()).toBeNull();
  });
});

it("the type of a send's answer is either sent or waiting", async () => {
  const waiting = { message_id: "1", status: "waiting", at: "2030-01-15T12:00:00Z", until: "2030-01-16T12:00:00Z" };
  const sent = await client(() => Response.json(waiting, { status: 202 })).messages.sendText({ to: "5511900000002", text: "Olá" });
  // Compiles only if the type has both response types.
  expect(sent.status === "waiting" ? sent.at : sent.chat_id).toBe(waiting.at);
  const answer: Awaited<ReturnType<ConnectionClient["groups"]["create"]>> = { data: { request_id: "1" } };
  expect("participants" in answer).toBe(false);
});

describe("a send with an unknown outcome", () => {
  it.each([
    { statuses: [null, "sent"], outcome: "sent" },
    { statuses: ["failed"], outcome: "failed" },
    { statuses: [null, null, null, null, null, null, null], outcome: "unknown" },
  ])("is resolved as $outcome", async ({ statuses, outcome }) => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const left = [...statuses];
    const asked: string[] = [];
    const sends = client((url, { method }) => {
      if (method === "POST") return failure(424, "resultado_incerto", { message_id: "3EB0A", chat_id: "x" });
      asked.push(url.pathname);
      return Response.json({ data: { status: left.shift() ?? null } });
    });
    const error = await sends.messages.sendText({ to: "5511900000002", text: "Olá" }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    const resolved = (error as OutcomeUnknownError).resolve({ timeoutMs: 10_000 });
    expect(await ended(resolved)).toBe(outcome);
    expect(new Set(asked)).toEqual(new Set(["/api/v1/messages/3EB0A"]));
  });

  it.each([
    { what: "a status post", send: (gateway: ConnectionClient) => gateway.status.postText({ text: "Olá" }) },
    { what: "a channel's post", send: (gateway: ConnectionClient) => gateway.channels.sendText("120363@newsletter", { text: "Olá" }) },
  ])("is looked up among the messages, also $what", async ({ send }) => {
    const sends = client((url, { method }) =>
      method === "POST"
        ? failure(424, "resultado_incerto", { message_id: "3EB0A", chat_id: "x" })
        : url.pathname === "/api/v1/messages/3EB0A"
          ? Response.json({ data: { status: "sent" } })
          : failure(404, "rota_nao_encontrada"),
    );
    const error = await send(sends).catch((thrown: unknown) => thrown);
    expect(await (error as OutcomeUnknownError).resolve({ timeoutMs: 0 })).toBe("sent");
  });

  it("is looked up at its instance", async () => {
    const asked: string[] = [];
    const fetch = async (url: URL, { method }: RequestInit): Promise<Response> => {
      if (method === "POST") return failure(424, "send_outcome_unknown", { message_id: "3EB0A" });
      asked.push(url.pathname);
      return Response.json({ data: { status: "sent" } });
    };
    const { status } = new AccountClient({ ...BASE, fetch: fetch as unknown as typeof globalThis.fetch }).instance("7");
    const error = await status.postText({ text: "Olá" }).catch((thrown: unknown) => thrown);
    expect(await (error as OutcomeUnknownError).resolve()).toBe("sent");
    expect(asked).toEqual(["/api/instances/7/messages/3EB0A"]);
  });
});

describe("an answer that is not JSON", () => {
  const account = (answer: Answer): AccountClient =>
    new AccountClient({ ...BASE, fetch: (async (url: URL, init: RequestInit) => answer(url, init)) as unknown as typeof fetch });

  it("is never asked for: the file of a message comes as a link, or in Base64", async () => {
    const asked: (string | null)[] = [];
    const { chats } = account((url) => {
      const format = url.searchParams.get("format");
      asked.push(format);
      if (format === "url") return Response.json({ data: { url: "https://app.example.com/f", mimetype: "image/jpeg", expires_at: "…" } });
      if (format === "base64") return Response.json({ data: { base64: "AP8=", mimetype: "image/jpeg" } });
      return new Response(new Uint8Array([0, 255]), { headers: { "content-type": "image/jpeg" } });
    }).instance("7");
    expect(await chats.getMessageMedia("c", "m")).toMatchObject({ url: "https://app.example.com/f" });
    expect(await chats.getMessageMedia("c", "m", { format: "base64" })).toEqual({ base64: "AP8=", mimetype: "image/jpeg" });
    expect(asked).toEqual(["url", "base64"]);
  });

  it("is a text if it says so, like a bridge's metrics", async () => {
    const metrics = "gateway_bridge_capacity 150\n";
    const { admin } = account(() => new Response(metrics, { headers: { "content-type": "text/plain; version=0.0.4" } }));
    const text: string = await admin.getBridgeMetrics("7", { maxRetries: 0 });
    expect(text).toBe(metrics);
  });
});

describe("an error", () => {
  it("has the fields that a program and a support request need", async () => {
    const refused = client(() => failure(423, "bloqueio_temporario", { scope: "account", ends_at: 1_795_314_249, message_id: null }));
    const error = (await refused.messages
      .sendText({ to: "5511900000002", text: "x" }, { idempotencyKey: "order-1" })
      .catch((thrown: unknown) => thrown)) as ApiError;
    expect(error).toBeInstanceOf(TemporarilyBlockedError);
    expect(error).toMatchObject({
      status: 423,
      code: "bloqueio_temporario",
      requestId: "r1",
      idempotencyKey: "order-1",
      name: "TemporarilyBlockedError",
    });
    expect((error as TemporarilyBlockedError).endsAt).toEqual(new Date(1_795_314_249_000));
  });

  it("names the invalid fields in its message", async () => {
    const detalhes = [
      { campo: "text", motivo: "é obrigatório" },
      { campo: "message", motivo: "campo desconhecido: use text" },
    ];
    const error = { codigo: "requisicao_invalida", mensagem: "Há campos inválidos.", detalhes };
    const sends = client(() => Response.json({ error }, { status: 400 }));
    await expect(sends.messages.sendText({ to: "5511900000002", text: "x" })).rejects.toThrow(
      "requisicao_invalida: Há campos inválidos. (text: é obrigatório; message: campo desconhecido: use text)",
    );
  });

  it("is made of whatever a later gateway lists as details", async () => {
    const sends = client(() => failure(400, "requisicao_invalida", [null]));
    await expect(sends.instance.get()).rejects.toThrow("requisicao_invalida: …");
  });

  it("asks for texts in its own language", async () => {
    const asked: unknown[] = [];
    const reads = client((_url, { headers }) => {
      asked.push((headers as Record<string, string>)["accept-language"]);
      return Response.json({ data: {} });
    });
    await reads.instance.get();
    expect(asked).toEqual(["en"]);
  });

  it("names the address that did not answer", async () => {
    const dead = client(() => Promise.reject(new TypeError("fetch failed")));
    await expect(dead.instance.get({ maxRetries: 0 })).rejects.toThrow("The gateway at https://app.example.com did not answer");
  });

  it("is the caller's own reason after a cancellation, and not retried", async () => {
    const controller = new AbortController();
    let calls = 0;
    const hanging = client((_, { signal }) => {
      calls += 1;
      return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
    });
    const call = hanging.instance.get({ signal: controller.signal });
    controller.abort(new Error("closing"));
    await expect(call).rejects.toThrow("closing");
    expect(calls).toBe(1);
  });

  it("says that no answer came in time", async () => {
    const silent = client(
      (_, { signal }) => new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error))),
    );
    const error = await silent.instance.get({ timeoutMs: 5, maxRetries: 0 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).toBe("The gateway at https://app.example.com did not answer within 5 ms");
  });
});

describe("a client", () => {
  it("refuses an empty id, which would call another route", () => {
    expect(() => client(() => Response.json({})).chats.get("")).toThrow(/id in the path is missing/);
    expect(() => new AccountClient(BASE).instance("")).toThrow(/id in the path is missing/);
  });

  it("shows its key to no log", () => {
    const made = client(() => Response.json({}));
    expect(JSON.stringify({ made })).not.toContain("svc_secret");
    expect(Object.values(made)).toEqual([]);
  });

  it("does not start without a key, without an address, or in a browser", () => {
    expect(() => new ConnectionClient({ ...BASE, apiKey: "" })).toThrow(/apiKey/);
    expect(() => new ConnectionClient({ ...BASE, baseUrl: "app.example.com" })).toThrow(/baseUrl/);
    Object.assign(globalThis, { window: {}, document: {} });
    expect(() => new ConnectionClient(BASE)).toThrow(/browser/);
    Reflect.deleteProperty(globalThis, "window");
    Reflect.deleteProperty(globalThis, "document");
  });

  it("logs a retry without bodies and keys", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const lines: unknown[] = [];
    const answers = [new Response("busy", { status: 503 }), Response.json({ message_id: "M" })];
    const retried = client(() => answers.shift() ?? Response.error(), { logger: (line: unknown) => lines.push(line) });
    const sent = retried.messages.sendText({ to: "5511900000002", text: "segredo" });
    await ended(sent);
    expect(lines).toEqual([
      {
        event: "retry",
        method: "POST",
        path: "/api/v1/messages/text",
        attempt: 1,
        waitMs: expect.any(Number) as number,
        cause: "ServerError",
      },
    ]);
  });
});

describe("a stream", () => {
  it("resumes behind the last event when the connection ends, and ends with a final refusal", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const asked: (string | null)[] = [];
    const parts = [
      "id: 1\nevent: message.received\nda",
      'ta: {"id":"msg_1"}\n\n: still here\n\nid: 2\nevent: message.read\ndata: {"id":\ndata: "msg_2"}\n\nid: 3\nda',
    ];
    const fetch = async (_: URL, init: RequestInit): Promise<Response> => {
      asked.push(new Headers(init.headers).get("last-event-id"));
      if (asked.length === 2) throw new TypeError("fetch failed");
      if (asked.length === 3) return Response.json({ error: { code: "unauthorized", message: "…" } }, { status: 401 });
      return new Response(ReadableStream.from(parts.map((part) => new TextEncoder().encode(part))), {
        headers: { "content-type": "text/event-stream" },
      });
    };
    const account = new AccountClient({ ...BASE, fetch: fetch as unknown as typeof globalThis.fetch });
    const seen: unknown[] = [];
    const read = (async () => {
      for await (const event of account.instance("7").webhooks.streamEvents()) seen.push(event);
    })().catch((error: Error) => error.message);
    expect(await ended(read)).toMatch(/unauthorized/);
    expect(seen).toEqual([
      { id: "1", type: "message.received", data: { id: "msg_1" } },
      { id: "2", type: "message.read", data: { id: "msg_2" } },
    ]);
    expect(asked).toEqual([null, "2", "2"]);
  });

  it("is opened again if the gateway does not answer for 45 seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let opened = 0;
    const fetch = async (_: URL, { signal }: RequestInit): Promise<Response> => {
      opened += 1;
      if (opened > 1) return failure(401, "unauthorized");
      return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
    };
    const account = new AccountClient({ ...BASE, fetch: fetch as unknown as typeof globalThis.fetch });
    const first = account.instance("7").webhooks.streamEvents()[Symbol.asyncIterator]().next();
    await expect(ended(first)).rejects.toThrow(/unauthorized/);
    expect(opened).toBe(2);
  });
});

describe("a file", () => {
  it("is sent in Base64 with its type and name", async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(50_000));
    const made = await media(new File([bytes], "foto.png", { type: "image/png" }));
    expect(made).toMatchObject({ mimetype: "image/png", filename: "foto.png" });
    expect(Buffer.from(made.base64, "base64").equals(bytes)).toBe(true);
  });

  it("is refused above 18 MB, with the advice to send it by url", async () => {
    await expect(media(new Uint8Array(18 * 1024 * 1024 + 1))).rejects.toThrow(/by url/);
  });
});

describe("a webhook handler", () => {
  const [vector] = signatures;
  const request = (body: string): Request =>
    new Request("https://shop.example/hook", { method: "POST", headers: vector?.headers as Record<string, string>, body });

  it("handles an event once, refuses a forged one, and lets an error of the shop be retried", async () => {
    vi.useFakeTimers({ now: (vector?.now ?? 0) * 1000, toFake: ["Date"] });
    const handled: string[] = [];
    const handle = webhookHandler({
      secret: vector?.secrets ?? "",
      seen: (id) => handled.includes(id),
      on: { call: (event) => handled.push(event.id) },
    });
    expect((await handle(request(vector?.body ?? ""))).status).toBe(200);
    expect((await handle(request(vector?.body ?? ""))).status).toBe(200);
    expect(handled).toEqual(["msg_00000001"]);
    expect((await handle(request(`${vector?.body} `))).status).toBe(401);
    const failing = webhookHandler({ secret: vector?.secrets ?? "", on: { call: () => Promise.reject(new Error("database down")) } });
    await expect(failing(request(vector?.body ?? ""))).rejects.toThrow("database down");
    expect((await accountWebhookHandler({ secret: "s", on: {} })(request("{}"))).status).toBe(401);
  });

  it("accepts none of a thousand altered deliveries", async () => {
    vi.useFakeTimers({ now: (vector?.now ?? 0) * 1000, toFake: ["Date"] });
    const headers = vector?.headers as Record<string, string>;
    for (let n = 0; n < 1000; n += 1) {
      const part = (["body", "webhook-id", "webhook-timestamp", "webhook-signature"] as const)[n % 4] ?? "body";
      const original = part === "body" ? (vector?.body ?? "") : (headers[part] ?? "");
      const bytes = Buffer.from(original);
      // Skips the first three characters: `v1,` could become `v1 `, which leaves no signature at all.
      const at = 3 + ((n * 7919) % (bytes.length - 3));
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (n % 7));
      const altered = bytes.toString("latin1");
      const verified = verifyConnectionWebhook(
        part === "body" ? bytes : (vector?.body ?? ""),
        part === "body" ? headers : { ...headers, [part]: altered },
        vector?.secrets ?? "",
      );
      expect(
        await verified.then(
          () => "accepted",
          (error: Error) => error.name,
        ),
        `${part} ${at}`,
      ).toBe("WebhookError");
    }
  });
});
