// A Cloud API number's messages against a whole sandbox: every kind to a contact, with late, lost and refused responses, and worker kills
// at the worst times.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountCalls, type AccountCalls } from "../../support/account-holder.ts";
import { phones, type Reply } from "../../support/clients.ts";
import { cloudControl } from "../../support/cloud/control.ts";
import { type CloudNumber, connectCloudNumber } from "../../support/cloud/numbers.ts";
import { eventually } from "../../support/eventually.ts";
import { freshPhone } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok } from "../../support/replies.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";
import { JPEG, MP4, sha256 } from "../../support/sample-files.ts";

const [STORE, BIA, CAIO] = ["5511900000751", "5511900000752", "5511900000753"] as const;
const WITHIN_MS = 60_000;
const ANSWER_DELAY_MS = 15_000;
const DAY_AND_AN_HOUR_S = 25 * 3600;

let sandbox: Sandbox;
let receiver: Receiver;
let network: ReturnType<typeof phones>;
let account: AccountCalls;
let store: CloudNumber;
let control: ReturnType<typeof cloudControl>;
beforeAll(async () => {
  [sandbox, receiver] = await Promise.all([startSandbox(["--no-limits"]), Receiver.start()]);
  const ready = sandbox.ready();
  network = phones(ready);
  account = accountCalls(ready, { "x-api-key": ready.demo.api_key });
  await network.create(BIA, "Bia");
  await network.create(CAIO, "Caio");
  store = await connectCloudNumber(ready, { phone: STORE, name: "Loja" });
  control = cloudControl(ready, store.credentials);
  await network.call("POST", "/cloud/templates", {
    waba_id: store.credentials.waba_id,
    name: "boas_vindas",
    language: "pt_BR",
    body: "Olá, {{1}}",
  });
  await store.owner.call("PUT", `/connections/${store.id}/webhook`, { url: receiver.url });
  for (const contact of [BIA, CAIO]) await writes(contact, `oi de ${contact}`);
});
afterAll(() => Promise.all([sandbox.dispose(), receiver.stop()]));

type Event = { type: string; data: Record<string, any> };
const eventsOf = (type: string, messageId: string) =>
  receiver.events<Event>().filter((event) => event.type === type && event.data["message_id"] === messageId);
const told = (type: string, fits: (data: Record<string, any>) => boolean): Promise<Record<string, any>> =>
  eventually(`told: ${type}`, WITHIN_MS, () => receiver.events<Event>().find((event) => event.type === type && fits(event.data))).then(
    ({ data }) => data,
  );

/** The contact writes, which permits sending for a day. Returns our message id. */
async function writes(contact: string, text: string): Promise<string> {
  await network.send(contact, { to: STORE, type: "text", text });
  return (await told("message.received", (data) => data["text"] === text))["message_id"] as string;
}
const inboxOf = async (contact: string) => (await network.inbox(contact)).filter(({ from }) => from === STORE);
const copies = async (text: string, contact: string = BIA) => (await inboxOf(contact)).filter((message) => message["text"] === text).length;
const shown = async (messageId: string) => (await ok(store.api.get(`/messages/${messageId}`))).data;
const status = (messageId: string, wanted: string) =>
  eventually(`${messageId} is ${wanted}`, WITHIN_MS, async () => (await shown(messageId)).status === wanted);
/** Send requests with this text. */
const asked = async (text: string) =>
  (await control.requests()).filter(({ path, body }) => String(path).includes("/messages") && JSON.stringify(body).includes(text));

async function killWorker(): Promise<void> {
  const pid = sandbox.ready().processes.worker;
  process.kill(-pid, "SIGKILL");
  await eventually("the worker was started again", WITHIN_MS, () => sandbox.ready().processes.worker !== pid);
  await eventually("it answers", WITHIN_MS, () =>
    store.api.get("/chats").then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
}

const OPUS = Buffer.concat([Buffer.from("OggS"), Buffer.alloc(24), Buffer.from("OpusHead"), Buffer.alloc(64)]);
const WEBP = Buffer.concat([Buffer.from("RIFF"), Buffer.alloc(4), Buffer.from("WEBPVP8 "), Buffer.alloc(64)]);
const file = (bytes: Buffer, mimetype: string) => ({ media: { base64: bytes.toString("base64"), mimetype, filename: "ponto" } });

describe("each kind", () => {
  it.each<[string, Record<string, unknown>, Buffer?]>([
    ["text", { text: "Olá!" }],
    ["image", { ...file(JPEG, "image/jpeg"), caption: "Um ponto" }, JPEG],
    ["video", file(MP4, "video/mp4"), MP4],
    ["audio", file(OPUS, "audio/ogg; codecs=opus"), OPUS],
    ["voice", { ...file(OPUS, "audio/ogg; codecs=opus"), convert: false }, OPUS],
    ["document", { ...file(Buffer.from("Leia"), "text/plain"), caption: "Nota" }, Buffer.from("Leia")],
    ["sticker", file(WEBP, "image/webp"), WEBP],
    ["location", { latitude: -23.5614, longitude: -46.6559, name: "MASP" }],
    ["contact", { contacts: [{ full_name: "Ana Souza", phone: "5511900000799" }] }],
    ["list", { body: "Escolha", button: "Ver", sections: [{ title: "Dias", rows: [{ row_id: "ter", title: "Terça" }] }] }],
    ["buttons", { body: "Confirma?", buttons: [{ button_id: "sim", title: "Sim" }] }],
    ["template", { name: "boas_vindas", language: "pt_BR", components: [{ type: "body", parameters: [{ type: "text", text: "Bia" }] }] }],
  ])("arrives as it was sent, with a quote and without one: %s", async (kind, body, bytes) => {
    const quoted = await writes(BIA, `about ${kind}`);
    const before = (await inboxOf(BIA)).length;
    const ids: string[] = [];
    for (const quote of [{}, { quoted_message_id: quoted }]) {
      const sent = await ok(store.api.call("POST", `/messages/${kind}`, { to: BIA, ...body, ...quote }));
      ids.push(sent.message_id as string);
    }
    const arrived = await eventually("both at Bia's", WITHIN_MS, async () => {
      const inbox = await inboxOf(BIA);
      return inbox.length >= before + 2 ? inbox.slice(before) : null;
    });
    const [first, second] = arrived.map((message) => JSON.stringify(message));
    const digest = bytes === undefined ? "" : sha256(bytes);
    expect(first).toContain(digest);
    expect(second).toContain(digest);
    for (const id of ids)
      await eventually(`${id} was delivered`, WITHIN_MS, async () => /delivered|read|played/.test((await shown(id)).status));
    await network.call("POST", `/phones/${BIA}/read`, { chat_id: `${STORE}@c.us` });
    for (const id of ids) await status(id, "read");
    for (const id of ids) {
      await told("message.sent", (data) => data["message_id"] === id);
      expect(eventsOf("message.sent", id)).toHaveLength(1);
    }
  });
});

describe("a late answer", () => {
  it("settles by its status after a worker kill: one message, one event", async () => {
    const [text, key] = ["late answer", { "idempotency-key": "late-answer" }];
    await control.fault("delay_answer", { ms: ANSWER_DELAY_MS });
    await control.fault("hold_webhooks");
    const lost = store.api.text(BIA, text, key).catch(() => null);
    await eventually("it is accepted", WITHIN_MS, async () => (await copies(text)) === 1);
    await killWorker();
    await lost;
    const again = await store.api.text(BIA, text, key);
    expect([again.status, again.body.error?.codigo]).toEqual([424, "resultado_incerto"]);
    const id = again.body.error.detalhes.message_id as string;
    await control.fault("release");
    await told("message.sent", (data) => data["message_id"] === id);
    await status(id, "delivered");
    expect(await copies(text)).toBe(1);
    expect(eventsOf("message.sent", id)).toHaveLength(1);
    expect(await asked(text)).toHaveLength(1);
  });
});

describe("a worker killed before the message leaves", () => {
  it("sends it once under the same key", async () => {
    const key = { "idempotency-key": "killed-upload" };
    const body = { to: BIA, ...file(Buffer.concat([JPEG, Buffer.from("c7")]), "image/jpeg"), caption: "killed upload" };
    await control.fault("delay_answer", { match: "/media", ms: ANSWER_DELAY_MS });
    const lost = store.api.call("POST", "/messages/image", body, key).catch(() => null);
    await eventually("the upload has begun", WITHIN_MS, async () => !JSON.stringify(await control.faults()).includes("delay_answer"));
    await killWorker();
    await lost;
    const again = await store.api.call("POST", "/messages/image", body, key);
    expect([again.status, JSON.stringify(again.body)]).toEqual([200, expect.any(String)]);
    await eventually("it arrived", WITHIN_MS, async () => (await copies("killed upload")) === 1);
    expect(await asked("killed upload")).toHaveLength(1);
  });
});

describe("a lost answer", () => {
  it.each<[string, Record<string, unknown>]>([
    ["drop_answer", {}],
    ["garbage_answer", {}],
    ["garbage_answer", { http: 500 }],
  ])("is unknown, until the status settles it: %s %o", async (fault, about) => {
    const text = `lost ${fault} ${JSON.stringify(about)}`.replaceAll(/[{}":]/g, "");
    await control.fault("hold_webhooks");
    await control.fault(fault, about);
    const answer = await store.api.text(BIA, text);
    expect([answer.status, answer.body.error?.codigo]).toEqual([424, "resultado_incerto"]);
    const id = answer.body.error.detalhes.message_id as string;
    await control.fault("release");
    await told("message.sent", (data) => data["message_id"] === id);
    await status(id, "delivered");
    expect(eventsOf("message.sent", id)).toHaveLength(1);
    expect([await copies(text), (await asked(text)).length]).toEqual([1, 1]);
  });

  it("arrives after its status: the caller still gets the message", async () => {
    const text = "status before answer";
    await control.fault("delay_answer", { ms: 5_000 });
    const answer = await ok(store.api.text(BIA, text));
    await told("message.sent", (data) => data["message_id"] === answer.message_id);
    await status(answer.message_id, "delivered");
    expect(eventsOf("message.sent", answer.message_id)).toHaveLength(1);
    expect(await copies(text)).toBe(1);
  });

  it("stays unknown if the request never arrived, and nothing repeats it", async () => {
    const text = "dropped request";
    await control.fault("drop_request");
    const answer = await store.api.text(BIA, text);
    expect([answer.status, answer.body.error?.codigo]).toEqual([424, "resultado_incerto"]);
    expect((await shown(answer.body.error.detalhes.message_id)).status).toBe("pending");
    expect(await copies(text)).toBe(0);
    expect(await asked(text)).toHaveLength(1);
  });
});

/** Graph's code, then `code` (Account API), `codigo` (Connection API), HTTP status and `Retry-After`. One example each; test/domain/cloud covers every Graph code. */
const REFUSALS: [number, string, string, number, number?][] = [
  [190, "network_error", "erro_do_rede", 502],
  [10, "network_error", "erro_do_rede", 502],
  [131_030, "forbidden", "sem_permissao", 403],
  [133_010, "instance_not_connected", "conexao_desconectada", 409],
  [368, "temporarily_blocked", "bloqueio_temporario", 423],
  [131_049, "temporarily_blocked", "bloqueio_temporario", 423],
  [80_007, "network_rate_limited", "limite_do_rede", 429, 60],
  [131_048, "network_rate_limited", "limite_do_rede", 429, 3600],
  [131_056, "network_rate_limited", "limite_do_rede", 429, 60],
  [133_004, "unavailable", "indisponivel", 503, 60],
  [131_026, "number_not_on_network", "numero_sem_conta", 422],
  [131_062, "invalid_number", "numero_invalido", 400],
  [131_047, "outside_service_window", "fora_da_janela", 422],
  [132_001, "template_invalid", "modelo_invalido", 422],
  [131_053, "media_invalid", "midia_invalida", 422],
  [131_051, "not_supported", "nao_suportado", 501],
  [131_009, "limit_of_kind", "limite_do_tipo", 422],
  [987_654, "network_error", "erro_do_rede", 502],
];
/** Template errors occur only for templates. */
const sendFor = (code: number, text: string): [path: string, body: object] =>
  code >= 132_000 && code < 133_000
    ? [
        "/messages/template",
        { to: BIA, name: "boas_vindas", language: "pt_BR", components: [{ type: "body", parameters: [{ type: "text", text }] }] },
      ]
    : ["/messages/text", { to: BIA, text }];
const onAccount = (code: number, text: string): Promise<Reply> => {
  const [path, body] = sendFor(code, text);
  return account("POST", `/instances/${store.instance}${path}`, body);
};
const onConnection = (code: number, text: string): Promise<Reply> => store.api.call("POST", ...sendFor(code, text));
/** The failure code: from the response, or from the `failed` status event if that arrives first. */
async function whyItFailed(answer: Reply): Promise<string> {
  if (answer.status !== 200) return answer.body.error.codigo as string;
  const { error } = await told("message.status", (data) => data["message_id"] === answer.body.message_id && data["status"] === "failed");
  return error.codigo as string;
}

describe("a refusal", () => {
  it.each(REFUSALS)("%i is %s on the Account API, %s on the Connection API", async (code, english, codigo, http, retryAfter) => {
    await control.fault("error", { code });
    const a = await onAccount(code, `refused a ${code}`);
    expect([a.status, a.body.error.code, a.body.error.details.network_code]).toEqual([http, english, code]);
    await control.fault("error", { code });
    const b = await onConnection(code, `refused b ${code}`);
    expect([b.status, b.body.error.codigo, b.body.error.detalhes.codigo_rede]).toEqual([http, codigo, code]);
    const waits = [a, b].map(({ headers }) => headers.get("retry-after"));
    const wait = retryAfter === undefined ? null : String(retryAfter);
    expect(waits).toEqual([wait, wait]);
    expect(await copies(`refused b ${code}`)).toBe(0);
  });

  it.each([1, 2, 131_000, 131_016])("%i leaves the outcome unknown on both", async (code) => {
    await control.fault("error", { code });
    const a = await onAccount(code, `unknown a ${code}`);
    expect([a.status, a.body.error.code]).toEqual([424, "send_outcome_unknown"]);
    await control.fault("error", { code });
    const b = await onConnection(code, `unknown b ${code}`);
    expect([b.status, b.body.error.codigo]).toEqual([424, "resultado_incerto"]);
  });

  it.each([...REFUSALS, [131_000, "network_error", "erro_do_rede", 502] as const])(
    "%i in a status is reported as %s",
    async (code, _english, codigo) => {
      await control.fault("status_error", { code });
      const answer = await onConnection(code, `failed ${code}`);
      const id = (answer.body.message_id ?? answer.body.error.detalhes.message_id) as string;
      expect(await whyItFailed(answer)).toBe(codigo);
      await status(id, "failed");
      const message = await ok(account("GET", `/instances/${store.instance}/messages/${id}`));
      expect(message.data.status).toBe("failed");
      expect(await copies(`failed ${code}`)).toBe(0);
    },
  );

  it("131056 blocks one contact only, 130429 the whole number, while it repeats", async () => {
    const phone = freshPhone();
    const held = await connectCloudNumber(sandbox.ready(), { phone, name: "Limitada" });
    const about = cloudControl(sandbox.ready(), held.credentials);
    for (const contact of [BIA, CAIO]) await network.send(contact, { to: phone, type: "text", text: "oi" });
    await eventually("both have written", WITHIN_MS, async () => (await ok(held.api.get("/chats"))).data.length === 2);
    await about.fault("error", { code: 131_056 });
    expect((await held.api.text(BIA, "one contact")).status).toBe(429);
    await ok(held.api.text(CAIO, "others go on"));
    await about.fault("error", { code: 130_429 });
    await ok(held.api.text(CAIO, "once"));
    expect((await about.requests()).filter(({ body }) => body?.text?.body === "once")).toHaveLength(2);
    await about.fault("error", { code: 130_429, times: 10 });
    const refused = await Promise.all([CAIO, BIA].map((contact) => held.api.text(contact, "the whole number")));
    for (const { status: http, headers, body } of refused)
      expect([http, headers.get("retry-after"), body.error.codigo, body.error.detalhes.codigo_rede]).toEqual([
        429,
        "8",
        "limite_do_rede",
        130_429,
      ]);
  });
});

describe("the window of a contact", () => {
  it("closes a day after they wrote, except for templates, and reopens when they write again", async () => {
    await network.call("POST", "/cloud/clock", { offset_s: DAY_AND_AN_HOUR_S });
    expect(await whyItFailed(await store.api.text(CAIO, "too late"))).toBe("fora_da_janela");
    const components = [{ type: "body", parameters: [{ type: "text", text: "Caio" }] }];
    await ok(store.api.call("POST", "/messages/template", { to: CAIO, name: "boas_vindas", language: "pt_BR", components }));
    await eventually("the template arrived", WITHIN_MS, async () => (await copies("Olá, Caio", CAIO)) === 1);
    await writes(CAIO, "de volta");
    await ok(store.api.text(CAIO, "in time"));
    await eventually("the text arrived", WITHIN_MS, async () => (await copies("in time", CAIO)) === 1);
    expect(await copies("too late", CAIO)).toBe(0);
  });
});
