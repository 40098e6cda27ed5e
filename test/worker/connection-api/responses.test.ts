// Maps call results to Connection API responses.
import { describe, expect, it } from "vitest";
import type { CallResult } from "@gateway/protocol/connection.ts";
import { FAILURE_CODES } from "@gateway/protocol/failures.ts";
import { FAILURE_RESPONSES } from "@gateway/domain/failures/responses.ts";
import { makeMediaToken } from "@gateway/domain/media/media-link.ts";
import { FAILURE_TEXTS } from "@gateway/domain/failures/texts.ts";
import type { ChatRecord, InstanceRecord, MessageRecord } from "@gateway/protocol/records.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { type ErrorBody, freshKey, gateway, scriptedConnections } from "../support/gateway.ts";

async function answered(answer: CallResult, path: string, method = "GET", body?: unknown): Promise<Response> {
  const ask = gateway(scriptedConnections(() => answer));
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return ask(`/api/v1${path}`, { method, headers: { "X-Api-Key": freshKey().key, "content-type": "application/json" }, ...sent });
}

const found = (value: unknown): CallResult => ({ ok: true, json: JSON.stringify(value) });

const file = makeMediaToken(new Uint8Array(16), crypto.randomUUID(), Date.now() + DAY_MS);

const message: MessageRecord = {
  message_id: "M1",
  chat_id: "120363041234567890@g.us",
  from_me: false,
  sender: { phone: null, lid: "84729384723984" },
  push_name: "Ana",
  timestamp: 1_700_000_000,
  type: "image",
  text: "foto",
  media: {
    token: file,
    mimetype: "image/jpeg",
    filename: null,
    size: 10,
    sha256: "00",
    duration_seconds: null,
    width: 1,
    height: 2,
  },
  location: null,
  contacts: null,
  poll: null,
  selected: null,
  quoted: { message_id: "M0", from: { phone: "5511900000003", lid: "1" }, from_me: false, text: "x", type: "text" },
  mentions: [
    { phone: "5511900000004", lid: null },
    { phone: null, lid: "2" },
  ],
  forwarded: false,
  view_once: false,
  preview: { url: "https://a.example", title: "t", description: null, thumbnail: null },
  recipient: null,
  status: null,
  failure: { code: "temporarily_blocked" },
  source: null,
  reference: null,
  starred: false,
  reactions: [{ from_me: true, sender: null, reaction: "👍", timestamp: 1_700_000_001 }],
  edited_at: 1_700_000_002_000,
  deleted_at: null,
  timeline: { accepted_at: 1_700_000_000_000, delivered_at: null, read_at: null, played_at: null },
  receipts: [{ participant: { phone: "5511900000003", lid: null }, delivered_at: 1_700_000_003_000, read_at: null, played_at: null }],
};

const instance: InstanceRecord = {
  id: 7,
  uuid: crypto.randomUUID(),
  owner_id: "u",
  name: "Loja",
  kind: "session",
  phone: "5511900000001",
  last_phone: "5511900000001",
  status: "connected",
  status_reason: "ok",
  status_changed_at: 1_700_000_000_000,
  profile_name: "Loja",
  platform: "android",
  is_business: false,
  restriction: { type: "new_chats_blocked", enforcement: "x", ends_at: null, detected_at: 1_700_000_000 },
  ban: null,
  new_chat_quota: null,
  qr_expires_at: null,
  reconnect: null,
  last_connected_at: null,
  last_disconnected_at: null,
  last_inbound_at: null,
  subscription: { status: "active", current_period_end: null },
};

const chat: ChatRecord = {
  chat_id: "5511900000002@c.us",
  kind: "direct",
  name: "Ana",
  person: { phone: "5511900000002", lid: null },
  unread_count: 1,
  marked_unread: false,
  archived: false,
  pinned: true,
  muted_until: -1,
  disappearing_seconds: 0,
  label_ids: ["1"],
  picture: null,
  last_message: {
    message_id: "M1",
    from_me: false,
    push_name: "Ana",
    filename: null,
    deleted: false,
    type: "text",
    text: "😀".repeat(300),
    timestamp: 1_700_000_000,
  },
  updated_at: 1_700_000_000_000,
};

describe("a successful response", () => {
  it("shows the connection with times in ISO 8601", async () => {
    const answer = await answered(found(instance), "/instance");
    expect(await answer.json()).toEqual({
      data: {
        id: 7,
        name: "Loja",
        phone: "5511900000001",
        kind: "session",
        status: "connected",
        status_reason: "ok",
        status_changed_at: "2023-11-14T22:13:20.000Z",
        profile_name: "Loja",
        profile_picture_url: null,
        restriction: { type: "new_chats_blocked", enforcement: "x", ends_at: null, detected_at: "2023-11-14T22:13:20.000Z" },
        ban: null,
        subscription: { status: "active", current_period_end: null },
      },
    });
  });

  it("shows persons as digits or null, and never an internal id", async () => {
    const answer = await answered(found(message), "/messages/M1");
    const { data } = (await answer.json()) as { data: Record<string, unknown> };
    expect(data).toMatchObject({
      from: null,
      to: null,
      is_group: true,
      mentions: ["5511900000004"],
      quoted: { message_id: "M0", from: "5511900000003", text: "x", type: "text" },
      media: { url: `https://app.example.com/api/midia/${file}.jpg`, mimetype: "image/jpeg" },
      error: { codigo: "bloqueio_temporario" },
      edited_at: "2023-11-14T22:13:22.000Z",
      timestamp: 1_700_000_000,
      timeline: { accepted_at: "2023-11-14T22:13:20.000Z", delivered_at: null },
      receipts: [{ participant: "5511900000003", delivered_at: "2023-11-14T22:13:23.000Z", read_at: null, played_at: null }],
    });
    expect(JSON.stringify(data)).not.toContain("84729384723984");
  });

  it("omits timelines in lists", async () => {
    const answer = await answered(found({ items: [message], next_cursor: "c2" }), "/chats/120363041234567890@g.us/messages");
    const page = (await answer.json()) as { data: object[]; next_cursor: string };
    expect(page.next_cursor).toBe("c2");
    expect(page.data[0]).not.toHaveProperty("timeline");
  });

  it("lists chats with a shortened last message", async () => {
    const page = (await (await answered(found({ items: [chat], next_cursor: null }), "/chats")).json()) as {
      data: { last_message: { text: string }; muted_until: string }[];
    };
    expect(page.data[0]?.last_message.text).toBe("😀".repeat(200));
    expect(page.data[0]?.muted_until).toBe("always");
  });

  it("contains a send's result without a data wrapper", async () => {
    const sent = {
      message_id: "3EB0",
      chat_id: "5511900000002@c.us",
      to: "5511900000002",
      to_resolved: null,
      is_group: false,
      type: "text",
      reference: null,
      timestamp: 5,
    };
    const answer = await answered(found(sent), "/messages/text", "POST", { to: "5511900000002", text: "a" });
    expect([answer.status, await answer.json()]).toEqual([200, { ...sent, status: "sent" }]);
  });

  it("contains the QR code as an image, and forbids caching", async () => {
    const answer = await answered(found({ raw: "2@abc", expires_at: 1_700_000_000 }), "/instance/qr");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const { data } = (await answer.json()) as { data: { qr: string; raw: string; expires_at: string } };
    expect(data.qr).toMatch(/^data:image\/png;base64,iVBOR/);
    expect([data.raw, data.expires_at]).toEqual(["2@abc", "2023-11-14T22:13:20.000Z"]);
  });

  it("shows a pairing code in two halves", async () => {
    const answer = await answered(
      found({ code: "ABCDEFGH", phone: "5511900000001", expires_at: 1_700_000_000 }),
      "/instance/pairing-code",
      "POST",
      { phone_number: "5511900000001" },
    );
    expect(await answer.json()).toEqual({
      data: { code: "ABCD-EFGH", phone_number: "5511900000001", expires_at: "2023-11-14T22:13:20.000Z" },
    });
  });
});

describe("headers", () => {
  it("report age, replay, mismatch and what is left of the burst limit", async () => {
    const answer = await answered(
      {
        ...found({ items: [], next_cursor: null }),
        age: 4,
        replayed: true,
        mismatch: true,
        limit: { limit: 200, remaining: 12, resetSeconds: 7 },
      } as CallResult,
      "/chats",
    );
    const headers = Object.fromEntries(answer.headers);
    expect(headers).toMatchObject({
      age: "4",
      "idempotent-replayed": "true",
      "idempotency-mismatch": "true",
      "ratelimit-policy": '"burst";q=200;w=10',
      ratelimit: '"burst";r=12;t=7',
    });
    const plain = await answered(found({ items: [], next_cursor: null }), "/chats");
    expect(["age", "idempotent-replayed", "idempotency-mismatch", "ratelimit"].filter((name) => plain.headers.has(name))).toEqual([]);
  });

  it("report the replay of a failed first call too", async () => {
    const answer = await answered(
      { ok: false, failure: { code: "send_outcome_unknown", details: { message_id: "M" } }, replayed: true },
      "/messages/text",
      "POST",
      { to: "5511900000002", text: "a" },
    );
    expect([answer.status, answer.headers.get("idempotent-replayed"), ((await answer.json()) as ErrorBody).error]).toEqual([
      424,
      "true",
      { codigo: "resultado_incerto", mensagem: FAILURE_TEXTS.send_outcome_unknown.pt, detalhes: { message_id: "M" } },
    ]);
  });
});

describe("failures", () => {
  it("all have a status, a code and a sentence in Portuguese", async () => {
    for (const code of FAILURE_CODES.filter((code) => code !== "unauthorized" && code !== "internal_error")) {
      const answer = await answered({ ok: false, failure: { code, retryAfter: 9 } }, "/instance");
      const { status, codigo } = FAILURE_RESPONSES[code];
      const body = { error: { codigo, mensagem: FAILURE_TEXTS[code].pt } };
      expect([code, answer.status, await answer.json()]).toEqual([code, status, body]);
      expect(answer.headers.get("retry-after")).toBe("9");
    }
  });

  it("have English texts for a caller that asks for English, but the same names and codes", async () => {
    const ask = gateway(scriptedConnections(({ rejected }) => ({ ok: false, failure: rejected ?? { code: "unauthorized" } })));
    const send = async (language: Record<string, string>) => {
      const headers = { "X-Api-Key": freshKey().key, "content-type": "application/json", ...language };
      return (await ask("/api/v1/messages/text", { method: "POST", headers, body: '{"to":"5511900000002","texto":"Olá"}' })).json();
    };
    const UNKNOWN = { campo: "texto", motivo: "campo desconhecido: use text" };
    const { error } = (await send({})) as ErrorBody;
    expect(error).toMatchObject({ mensagem: FAILURE_TEXTS.validation_error.pt, detalhes: expect.arrayContaining([UNKNOWN]) });
    expect(await send({ "accept-language": "en-US,en;q=0.9" })).toMatchObject({
      error: {
        codigo: error.codigo,
        mensagem: FAILURE_TEXTS.validation_error.en,
        detalhes: expect.arrayContaining([{ campo: "texto", motivo: "is not a known field: use text" }]),
      },
    });
    // Node.js sends this header by default.
    expect(await send({ "accept-language": "*" })).toEqual({ error });
  });

  it("carry the documented codes and statuses", () => {
    const told = Object.fromEntries(Object.values(FAILURE_RESPONSES).map(({ codigo, status }) => [codigo, status]));
    expect(told).toMatchObject({
      chave_invalida: 401,
      sem_assinatura: 402,
      sem_permissao: 403,
      rota_nao_encontrada: 404,
      corpo_grande_demais: 413,
      midia_grande: 413,
      muitas_tentativas: 429,
      excesso_de_pedidos: 429,
      consulta_repetida: 429,
      bloqueio_temporario: 423,
      limite_do_rede: 429,
      resultado_incerto: 424,
    });
  });

  it("translate their details", async () => {
    const answer = await answered(
      { ok: false, failure: { code: "temporarily_blocked", details: { scope: "recipient", ends_at: null } } },
      "/instance",
    );
    expect(((await answer.json()) as ErrorBody).error.detalhes).toEqual({ escopo: "destinatario", termina_em: null });
    const fields = await answered({ ok: false, failure: { code: "validation_error", issues: [{ field: "to", issue: "x" }] } }, "/instance");
    expect(((await fields.json()) as ErrorBody).error.detalhes).toEqual([{ campo: "to", motivo: "x" }]);
    const wait = await answered({ ok: false, failure: { code: "network_rate_limited" } }, "/instance");
    expect(wait.headers.get("retry-after")).toBe("60");
  });
});

describe("an object that does not answer", () => {
  const failing = (marks: object, then: CallResult = found({ items: [], next_cursor: null }), message = "secret detail") => {
    let asked = 0;
    return scriptedConnections(() => {
      asked += 1;
      if (asked === 1) throw Object.assign(new Error(message), marks);
      return then;
    });
  };
  const request = async (objects: ReturnType<typeof failing>, path: string, init: RequestInit = {}, headers = {}) =>
    gateway(objects)(`/api/v1${path}`, {
      ...init,
      headers: { "X-Api-Key": freshKey().key, "content-type": "application/json", ...headers },
    });
  const send = { method: "POST", body: JSON.stringify({ to: "5511900000002", text: "a" }) };

  it("is called again for a read", async () => {
    const objects = failing({ retryable: true });
    expect((await request(objects, "/chats")).status).toBe(200);
    expect(objects.calls).toHaveLength(2);
  });

  it("makes a send uncertain, never a 5xx that would be repeated", async () => {
    const objects = failing({ durableObjectReset: true });
    const answer = await request(objects, "/messages/text", send);
    expect([answer.status, objects.calls.length]).toEqual([424, 1]);
  });

  it("is reported as unavailable if it accepted nothing or a change may have happened", async () => {
    expect((await request(failing({ overloaded: true, retryable: true }), "/messages/text", send)).status).toBe(503);
    expect((await request(failing({ retryable: true }), "/instance/restart", { method: "POST" })).status).toBe(503);
  });

  it("is reported as unavailable for a send that can be repeated by its Idempotency-Key or message id", async () => {
    const headers = { "Idempotency-Key": "order-7" };
    expect((await request(failing({ durableObjectReset: true }), "/messages/text", send, headers)).status).toBe(503);
    const chosen = { ...send, body: JSON.stringify({ to: "5511900000002", text: "a", message_id: "ABCDEF0123456789" }) };
    expect((await request(failing({ durableObjectReset: true }), "/messages/text", chosen)).status).toBe(503);
    // This is the id of the message reacted to.
    const reaction = { method: "PUT", body: JSON.stringify({ reaction: "👍" }) };
    const path = "/chats/5511900000002@c.us/messages/ABCDEF0123456789/reaction";
    expect((await request(failing({ durableObjectReset: true }), path, reaction)).status).toBe(424);
  });

  it.each([
    "internal error; reference = 0pg5f4klcpcul44aqath5gr2",
    "database or disk is full: SQLITE_FULL",
    "attempt to write a readonly database: SQLITE_READONLY",
    "out of memory: SQLITE_NOMEM",
  ])("is reported as unavailable if it cannot store anything (%s), but a send without a key is uncertain", async (message) => {
    const full = () => failing({}, { ok: false, failure: { code: "unavailable" } }, message);
    const answer = await request(full(), "/chats");
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
    expect((await request(full(), "/instance/restart", { method: "POST" })).status).toBe(503);
    expect((await request(full(), "/messages/text", send, { "Idempotency-Key": "order-7" })).status).toBe(503);
    expect((await request(full(), "/messages/text", send)).status).toBe(424);
  });

  it("is reported as an internal error with nothing but the request id if its error is unknown", async () => {
    const answer = await request(failing({}), "/chats");
    expect(answer.status).toBe(500);
    const body = (await answer.json()) as ErrorBody;
    expect(body.error.codigo).toBe("erro_interno");
    expect(body.error.detalhes).toEqual({ request_id: answer.headers.get("x-request-id") });
    expect(body).toMatchObject({ request_id: answer.headers.get("x-request-id") });
    expect(JSON.stringify(body)).not.toContain("secret");
  });
});

it("a send to a Brazilian number without its 55 suggests the missing country code", async () => {
  const failure = { code: "number_not_on_network", details: { suggested_number: "5511900000071" } } as const;
  const answer = await answered({ ok: false, failure }, "/messages/text", "POST", { to: "11900000071", text: "Olá" });
  expect([answer.status, await answer.json()]).toMatchObject([
    422,
    {
      error: {
        codigo: "numero_sem_conta",
        mensagem: "Este número não tem WhatsApp, mas com 55 na frente tem. Faltou o 55?",
        detalhes: { numero_sugerido: "5511900000071" },
      },
    },
  ]);
});
