// The instance's session, from the first QR code to its end.
import { expect, it } from "vitest";
import { authenticator } from "#root/test/support/bridge/passkey.ts";
import { AN_ISO_TIME, BIA, BIAS_CHAT, CAIO, type Store, STORE } from "./store.ts";

export function pairing(store: () => Store): void {
  it("shows a QR code, and is paired by a code that is typed into the phone and the passkey of its account", async () => {
    const { raw, qr } = await store().become("the QR code", async () => {
      const answer = await store().ask("GET", "/qr");
      return answer.status === 200 && (await store().get("/qr"));
    });
    expect([raw.split(",").length, qr]).toEqual([5, expect.stringMatching(/^data:image\/png;base64,/)]);
    const ago = Math.floor(Date.now() / 1000) - 90_000;
    await store().on(STORE, "history", {
      chat_id: `${CAIO}@c.us`,
      messages: Array.from({ length: 205 }, (_, n) => ({ text: `past ${n}`, timestamp: ago + n })),
    });
    const { data } = await store().post("/pairing-code", { phone_number: STORE });
    expect(data).toEqual({ code: expect.stringMatching(/^[A-Z1-9]{4}-[A-Z1-9]{4}$/), phone_number: STORE, expires_at: AN_ISO_TIME });
    const browser = authenticator();
    await store().network.call("PATCH", `/phones/${STORE}`, { passkey: browser.passkey("asked") });
    const typed = store().on(STORE, "code", { code: data.code.replace("-", "") });
    const wanted = await store().become("what the browser is to be asked for", async () => {
      const answer = await store().ask("GET", "/passkey");
      return answer.status === 200 && (await store().get("/passkey")).data;
    });
    expect(wanted).toMatchObject({ options: { rpId: "whatsapp.com" }, expires_at: AN_ISO_TIME });
    await store().post("/passkey", { assertion: browser.assertion(wanted.options) });
    await typed;
    await connected(store());
    expect((await store().get("")).data).toMatchObject({ id: store().id, status: "connected", phone_number: STORE });
  });

  it("reports capabilities and health", async () => {
    const { data } = await store().get("/capabilities");
    expect(data.features).toMatchObject({ "messages.text": true, "messages.list": false, labels: true });
    const unsupported = data.routes.filter(({ supported }: { supported: boolean }) => !supported);
    expect(unsupported.map(({ path }: { path: string }) => path.split("/").at(-1)).toSorted()).toEqual(["buttons", "list", "template"]);
    expect((await store().get("/health")).data).toMatchObject({ level: "ok", sends_24h: 0, connected_since: AN_ISO_TIME });
  });

  it("is renamed", async () => {
    expect((await store().ok("PATCH", "", { name: "Store", metadata: { shop: "7" } })).data).toMatchObject({ name: "Store" });
  });

  it("requests older history from the phone", async () => {
    const state = async () => (await store().get("/history-sync")).data;
    const chat = `/chats/${CAIO}@c.us/messages?limit=200`;
    const oldest = async () => (await store().get(chat)).data.at(-1)?.text as string;
    const first = await store().become("the phone's history", async () => (await oldest()) === "past 5" && oldest());
    const { messages } = await state();
    expect((await store().post("/history-sync", { chat_id: `${CAIO}@c.us`, count: 4 })).message).toMatch(/asked/);
    await store().become("older messages", async () => (await state()).messages > messages);
    expect(first).toBe("past 5");
    expect(await state()).toMatchObject({ state: "complete", progress: 100 });
  });
}

export function ending(store: () => Store): void {
  it("streams its events as they happen", async () => {
    const { ready, id, bearer } = store();
    const key = (await bearer("POST", "/api-keys", { name: "Stream" })).body.data.key as string;
    const leave = new AbortController();
    const { base_url } = ready;
    const answer = await fetch(`${base_url}/api/instances/${id}/events?events=message.received`, {
      headers: { "x-api-key": key },
      signal: leave.signal,
    });
    store().counted("GET", "/events", answer.status);
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    await store().on(BIA, "send", { to: STORE, text: "Live?" });
    let text = "";
    // Waits for a complete line, which may arrive in parts.
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) if (/Live\?.*\n/.test((text += chunk))) break;
    leave.abort();
    const data = text.split("\n").find((line) => line.startsWith("data: ") && line.includes("Live?"));
    expect(JSON.parse(data!.slice(6))).toMatchObject({ event: "message.received", instance_id: id, data: { chat_id: BIAS_CHAT } });
  });

  it("is exported completely", async () => {
    const records: any[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: any = await store().get(`/export?limit=200${cursor === "" ? "" : `&cursor=${cursor}`}`);
      records.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(records[0]).toMatchObject({ kind: "instance", record: { id: store().id } });
    expect(records.some(({ record }) => record.text === "Live?")).toBe(true);
  });

  it("disconnects, connects, restarts, and is logged out: the phone has no linked device any more", async () => {
    const status = async () => (await store().get("/status")).data.status as string;
    const linked = async () => ((await store().network.call("GET", `/phones/${STORE}`)).body.data?.devices ?? []).length as number;
    expect(await linked()).toBe(1);
    expect((await store().post("/disconnect")).message).toMatch(/kept/);
    await store().become("disconnected", async () => (await status()) === "disconnected");
    expect(await linked()).toBe(1);
    await store().post("/connect", {});
    await connected(store());
    expect((await store().post("/restart")).message).toMatch(/restarted/);
    await connected(store());
    await store().post("/logout");
    await store().become("unlinked on the phone", async () => (await linked()) === 0);
    expect((await store().get("/status")).data).toMatchObject({ status: "disconnected", status_reason: "logged_out" });
  });

  it("is deleted, and cannot be found afterwards", async () => {
    expect((await store().ok("DELETE", "")).message).toMatch(/deleted/);
    await store().refused(store().ask("GET", ""), 404, "instance_not_found");
  });
}

export async function connected(store: Store): Promise<void> {
  await store.become("connected", async () => (await store.get("/status")).data.status === "connected");
}
