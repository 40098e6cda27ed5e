// Converts Connection API requests to the calls that the connection's object receives.
import { describe, expect, it } from "vitest";
import { ROUTES } from "#root/src/api/connection/routes.ts";
import type { Call } from "@gateway/protocol/connection.ts";
import { freshKey, gateway, scriptedConnections } from "../support/gateway.ts";

/** Sends one request and returns the call that the object received. */
async function callOf(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Call> {
  const objects = scriptedConnections((call) => ({ ok: false, failure: call.rejected ?? { code: "unavailable" } }));
  const ask = gateway(objects);
  const sent = body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  const type = body === undefined || "content-type" in headers ? {} : { "content-type": "application/json" };
  await ask(`/api/v1${path}`, {
    method,
    headers: { "X-Api-Key": freshKey().key, ...type, ...headers },
    body: (sent as string | undefined) ?? null,
  });
  const [call] = objects.calls;
  if (call === undefined) throw new Error("no object was asked");
  return call;
}

const text = (body: unknown, headers?: Record<string, string>) => callOf("POST", "/messages/text", body, headers);

describe("a text message", () => {
  it("becomes one send with all its fields", async () => {
    const call = await text({
      to: "5511900000002",
      text: "olá",
      quoted_message_id: "ABC",
      mentions: ["5511900000003"],
      mention_all: true,
      reference: "pedido-1",
      typing_ms: 500,
      message_id: "3EB0AAAAAAAAAAAAAAAA",
      preview: { url: "https://example.com/x", title: "Título" },
    });
    expect(call.rejected).toBeNull();
    expect([call.operation, call.method, call.route, call.flags]).toEqual([
      "messages.send",
      "POST",
      "/messages/text",
      { mutating: true, counted: false, cached: false },
    ]);
    expect(JSON.parse(call.input)).toEqual({
      to: "5511900000002",
      chat_id: null,
      quoted_message_id: "ABC",
      mentions: ["5511900000003"],
      mention_all: true,
      reference: "pedido-1",
      typing_ms: 500,
      message_id: "3EB0AAAAAAAAAAAAAAAA",
      source: "api",
      delivery: null,
      content: { kind: "text", text: "olá", preview: { url: "https://example.com/x", title: "Título", description: null, image: null } },
    });
  });

  it("may go to a chat id in any spelling", async () => {
    for (const [given, read] of [
      ["5511900000002@c.us", "5511900000002@c.us"],
      ["5511900000002", "5511900000002@c.us"],
      ["5511900000002@s.whatsapp.net", "5511900000002@c.us"],
      ["120363041234567890@g.us", "120363041234567890@g.us"],
      ["84729384723984@lid", "84729384723984@lid"],
    ]) {
      expect(JSON.parse((await text({ chat_id: given, text: "a" })).input).chat_id).toBe(read);
    }
    expect((await text({ chat_id: "status@broadcast", text: "a" })).rejected?.code).toBe("validation_error");
  });

  it("has 65,536 characters at most, counted as code points", async () => {
    expect((await text({ to: "5511900000002", text: "😀".repeat(65_536) })).rejected).toBeNull();
    expect((await text({ to: "5511900000002", text: "a".repeat(65_536) })).rejected).toBeNull();
    const refused = (await text({ to: "5511900000002", text: "a".repeat(65_537) })).rejected;
    expect(refused).toEqual({ code: "validation_error", issues: [{ field: "text", issue: "deve ter no máximo 65536 caracteres" }] });
    expect((await text({ to: "5511900000002", text: "😀".repeat(65_537) })).rejected?.code).toBe("validation_error");
  });

  it("is refused with the number's own code if the number is invalid", async () => {
    for (const to of ["+5511900000002", "123456", "0511900000002", "5511900000002@c.us", "1234567890123456", ""]) {
      expect([to, (await text({ to, text: "a" })).rejected?.code]).toEqual([to, "invalid_number"]);
    }
  });

  it("names every wrong or unknown field", async () => {
    const { rejected } = await text({ to: 5, txt: "a", typing_ms: -1 });
    expect(rejected?.code).toBe("validation_error");
    expect(rejected?.issues?.map((issue) => issue.field).toSorted()).toEqual(["text", "to", "txt", "typing_ms"]);
    expect((await text({ text: "a" })).rejected?.issues).toEqual([{ field: "to", issue: "informe exatamente um dos dois: to ou chat_id" }]);
    expect((await text({ to: "5511900000002", chat_id: "5511900000002@c.us", text: "a" })).rejected?.code).toBe("validation_error");
  });
});

describe("a body", () => {
  it("gets its errors in Brazilian Portuguese", async () => {
    const { rejected } = await text({ to: 5, text: "" });
    expect(rejected?.issues).toEqual([
      { field: "to", issue: "deve ser um texto" },
      { field: "text", issue: "não pode ficar vazio" },
    ]);
  });

  it("says which field is unknown and which is missing", async () => {
    const { rejected } = await text({ to: "5511900000002", texto: "a", preview: { url: "https://example.com/x", titulo: "b" } });
    expect(rejected?.issues).toEqual([
      { field: "text", issue: "é obrigatório" },
      { field: "preview.title", issue: "é obrigatório" },
      { field: "preview.titulo", issue: "campo desconhecido" },
      { field: "texto", issue: "campo desconhecido: use text" },
    ]);
    const named = (await text({ number: "5511900000002", message: "Olá", cor: 1 })).rejected?.issues ?? [];
    expect(named.find(({ field }) => field === "number")?.issue).toBe("campo desconhecido (number: use to, message: use text)");
    expect((await text({ number: "5511900000002", text: "Olá" })).rejected?.issues).toContainEqual({
      field: "number",
      issue: "campo desconhecido: use to",
    });
    // A route without this field rejects aliases for it.
    expect((await callOf("PUT", "/presence", { presence: "online", number: "1" })).rejected?.issues).toEqual([
      { field: "number", issue: "campo desconhecido" },
    ]);
    expect((await callOf("PUT", "/presence", {})).rejected?.issues).toEqual([{ field: "presence", issue: "é obrigatório" }]);
    expect((await callOf("POST", "/messages/image", { to: "5511900000002" })).rejected?.issues).toEqual([
      { field: "media", issue: "é obrigatório" },
    ]);
    expect((await callOf("GET", "/contacts/check")).rejected?.issues).toEqual([{ field: "phone", issue: "é obrigatório" }]);
  });

  it("is told that a chat id belongs into chat_id", async () => {
    for (const to of ["120363041234567890@g.us", "5511900000002@c.us", "120363041234567891@newsletter"]) {
      const { rejected } = await text({ to, text: "a" });
      expect(rejected).toEqual({ code: "invalid_number", issues: [{ field: "to", issue: "é o id de uma conversa: use chat_id" }] });
    }
  });

  it("is told to drop the data: prefix only if a file starts with it", async () => {
    const media = async (base64: string) =>
      (await callOf("POST", "/messages/image", { to: "5511900000002", media: { base64 } })).rejected?.issues;
    const prefixed = [{ field: "media.base64", issue: "envie só o conteúdo em base64, sem o prefixo data:…;base64," }];
    const wrong = [{ field: "media.base64", issue: "deve ser base64 (alfabeto padrão, com preenchimento)" }];
    expect(await media("data:image/png;base64,iVBORw0KGgo=")).toEqual(prefixed);
    expect(await media("data:,")).toEqual(prefixed);
    for (const text of ["iVBORw0KGgo", "data", "Data:image/png;base64,iVBORw0KGgo=", "iVBOdata:iVBO", "dat:a"]) {
      expect([text, await media(text)]).toEqual([text, text === "data" ? undefined : wrong]);
    }
  });

  it("has no line break in the type or the name of a file", async () => {
    const fields = async (media: object) =>
      (
        await callOf("POST", "/messages/document", { to: "5511900000002", media: { base64: "QQ==", filename: "a.txt", ...media } })
      ).rejected?.issues?.map(({ field }) => field) ?? null;
    for (const mimetype of [
      "text/plain\r\n;charset=utf-8",
      "text/plain;\ncharset=utf-8",
      'text/plain;a="b\r\nc"',
      "text/plain\n",
      'a/b;c="\u0000"',
    ])
      expect([mimetype, await fields({ mimetype })]).toEqual([mimetype, ["media.mimetype"]]);
    for (const mimetype of ["text/plain; charset=utf-8", 'text/plain ;a="b c"', "image/svg+xml"])
      expect([mimetype, await fields({ mimetype })]).toEqual([mimetype, null]);
    for (const filename of ["a\r\nb.txt", "a\tb.txt", "a\u0000.txt", "a\u0085.txt"])
      expect([filename, await fields({ filename })]).toEqual([filename, ["media.filename"]]);
    expect(await fields({ filename: "ação 😀.pdf" })).toBeNull();
  });

  it("must be valid JSON with a JSON content type", async () => {
    expect((await text("{", {})).rejected?.code).toBe("invalid_json");
    expect((await text(new Uint8Array([0x22, 0xff, 0x22]))).rejected?.code).toBe("invalid_json");
    expect((await text("a=b", { "content-type": "application/x-www-form-urlencoded" })).rejected?.code).toBe("unsupported_media_type");
    expect((await text({ to: "5511900000002", text: "a" }, { "content-type": "Application/JSON; charset=UTF-8" })).rejected).toBeNull();
  });

  it("is refused over 25 MB, on every route that takes one", async () => {
    const over = new Uint8Array(26_214_401).fill(0x20);
    expect((await text(over)).rejected).toEqual({ code: "body_too_large", details: { limit_bytes: 26_214_400 } });
    expect((await callOf("POST", "/instance/restart", over)).rejected?.code).toBe("body_too_large");
    const padded = `{"to":"5511900000002","text":"a"${" ".repeat(26_214_400 - 33)}}`;
    expect(padded.length).toBe(26_214_400);
    expect((await text(padded)).rejected).toBeNull();
  });

  it("is refused over 25 MB in chunks too, although its JSON has a limit of its own", async () => {
    const chunked = async (bytes: number) => {
      const objects = scriptedConnections((call) => ({ ok: false, failure: call.rejected ?? { code: "unavailable" } }));
      const body = new Blob(['{"text":"', "a".repeat(bytes - 11), '"}']).stream();
      const headers = { "X-Api-Key": freshKey().key, "content-type": "application/json" };
      const answer = await gateway(objects)("/api/v1/messages/text", { method: "POST", headers, body });
      await answer.body?.cancel();
      return [answer.status, objects.calls[0]?.rejected];
    };
    expect(await chunked(26_214_401)).toEqual([413, { code: "body_too_large", details: { limit_bytes: 26_214_400 } }]);
    expect(await chunked(26_214_400)).toEqual([400, { code: "validation_error", details: { limit_bytes: 1_048_576 } }]);
  });

  it("is ignored where none is expected", async () => {
    expect((await callOf("POST", "/instance/restart")).rejected).toBeNull();
    expect((await callOf("POST", "/instance/restart", "null")).rejected).toBeNull();
  });
});

describe("a lone surrogate", () => {
  const HALF = "a\ud83d";

  /** Yields a copy of the value with a lone surrogate in each text, with its path. */
  function* spoiled(value: unknown, path: readonly string[] = []): Generator<[path: string, value: unknown]> {
    if (typeof value === "string") yield [path.join("."), HALF];
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value))
      for (const [place, other] of spoiled(inner, [...path, key]))
        yield [place, Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other }];
  }

  const rows = ROUTES.filter(({ example }) => example?.body !== undefined);

  it.each(rows)("is refused in every text of $method $path, by its field", async ({ method, path, example }) => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(example?.params?.[name] ?? "x"));
    // File content is not text.
    const places = [...spoiled(example?.body)].filter(([place]) => !place.endsWith("base64"));
    const found: unknown[] = [];
    for (const [, body] of places) {
      const { rejected } = await callOf(method.toUpperCase(), filled, body);
      found.push([rejected?.code, rejected?.issues?.[0]]);
    }
    const issue = "tem meio caractere (um substituto isolado, \\ud800 a \\udfff)";
    expect(found).toEqual(places.map(([field]) => ["validation_error", { field, issue }]));
  });

  it("is refused in a query too, like any other invalid UTF-8", async () => {
    for (const wrong of ["%ed%a0%bd", "%ff", "a%c3", "%e2%82"]) {
      const { rejected } = await callOf("GET", `/chats?limit=5&q=${wrong}`);
      expect([wrong, rejected]).toEqual([wrong, { code: "validation_error", issues: [{ field: "q", issue: "não é UTF-8 válido" }] }]);
    }
    for (const right of ["100%", "%25", "%f0%9f%98%80", "a+b", "%C3%A7"])
      expect([right, (await callOf("GET", `/chats?q=${right}`)).rejected]).toEqual([right, null]);
  });
});

describe("a read", () => {
  it("has one canonical name however it is spelled", async () => {
    const spellings = [
      "/chats/5511900000002%40c.us/messages?type=text&limit=5",
      "/chats/5511900000002@c.us/messages?limit=5&type=text",
      "/chats/5511900000002/messages?limit=%35&type=text",
    ];
    const names = new Set<string>();
    for (const path of spellings) {
      const call = await callOf("GET", path);
      names.add(`${call.route}?${call.query}`);
      expect(call.flags).toEqual({ mutating: false, counted: true, cached: true });
    }
    expect([...names]).toEqual(['/chats/5511900000002@c.us/messages?{"limit":5,"type":"text"}']);
  });

  it("parses its query and ignores unknown parameters", async () => {
    const call = await callOf("GET", "/chats?limit=7&archived=false&unread=true&kind=group&q=ana&what=ever");
    expect(JSON.parse(call.input)).toEqual({
      limit: 7,
      cursor: null,
      archived: false,
      unread: true,
      kind: "group",
      label_id: null,
      q: "ana",
    });
    expect(JSON.parse((await callOf("GET", "/chats")).input).limit).toBe(50);
    for (const bad of ["limit=0", "limit=201", "limit=x", "archived=yes", "kind=other"]) {
      expect([bad, (await callOf("GET", `/chats?${bad}`)).rejected?.code]).toEqual([bad, "validation_error"]);
    }
  });

  it("accepts times as Unix seconds and as ISO 8601", async () => {
    const call = await callOf("GET", "/chats/5511900000002/messages?before=1700000000&after=2023-11-14T00:00:00Z");
    expect(JSON.parse(call.input)).toMatchObject({ before: 1_700_000_000, after: 1_699_920_000, chat_id: "5511900000002@c.us" });
  });

  it("is neither counted nor cached for one message or one's own sends", async () => {
    const one = await callOf("GET", "/messages/ab%2Fc%3D%3D");
    expect([JSON.parse(one.input), one.flags]).toEqual([
      { message_id: "ab/c==", chat_id: null },
      { mutating: false, counted: false, cached: false },
    ]);
    const own = await callOf("GET", "/messages?reference=r1&status=failed&since=100");
    expect(JSON.parse(own.input)).toMatchObject({ reference: "r1", status: "failed", after: 99, from_me: true });
  });
});

describe("an idempotency key", () => {
  it("is passed on unchanged, with a fingerprint of the whole request", async () => {
    const first = await text({ to: "5511900000002", text: "a" }, { "Idempotency-Key": "k 1" });
    const again = await text({ to: "5511900000002", text: "a" }, { "Idempotency-Key": "k 1" });
    const other = await text({ to: "5511900000002", text: "b" }, { "Idempotency-Key": "k 1" });
    expect(first.idempotencyKey).toBe("k 1");
    expect(again.fingerprint).toBe(first.fingerprint);
    expect(other.fingerprint).not.toBe(first.fingerprint);
    expect((await callOf("POST", "/instance/restart")).idempotencyKey).toBeNull();
  });
});

describe("a read", () => {
  it("means the same with parameters that are ignored, and with defaults spelled out", async () => {
    const queries = ["", "?refresh=1", "?x=%20&limit=50", "?limit=50&limit=3"];
    const calls = await Promise.all(queries.map((query) => callOf("GET", `/chats${query}`)));
    expect(calls.map(({ rejected }) => rejected)).toEqual(queries.map(() => null));
    expect(new Set(calls.map(({ query }) => query)).size).toBe(1);
    expect(new Set(calls.map(({ input }) => input)).size).toBe(1);
    const long = `?${"unknown=x&".repeat(1_000)}q=${"x".repeat(200)}`;
    for (const path of [`/chats${long}`, `/chats${long}&limit=none`, `/chats/${"x".repeat(5_000)}${long}`]) {
      const { query, route } = await callOf("GET", path);
      expect(query.length + route.length, path.slice(0, 20)).toBeLessThan(150);
    }
    expect((await callOf("GET", "/chats?limit=3")).query).not.toBe(calls[0]?.query);
  });
});
