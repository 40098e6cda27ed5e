// Contacts and the profile, as a customer reads them and as phones see them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customer, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { pairConnection, type PairedConnection } from "../../support/paired-connection.ts";
import { failed } from "../../support/replies.ts";
import { JPEG, PNG, sha256 } from "../../support/sample-files.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

const SHOP = "5511900000081";
const BIA = "5511900000082";
const NOBODY = "5511900009999";

let sandbox: SharedSandbox;
let shop: PairedConnection;
let network: ReturnType<typeof phones>;
beforeAll(async () => {
  sandbox = await borrowSandbox();
  network = phones(sandbox.ready());
  await network.create(BIA, "Bia");
  shop = await pairConnection(sandbox.ready(), SHOP, { name: "Shop", business: true });
});
afterAll(() => sandbox.dispose());

/** Varies the query, because a cached read may be up to ten seconds old. */
let reads = 0;
const savedContacts = async () => (await shop.api.get(`/contacts?saved=true&limit=${50 + (++reads % 50)}`)).body.data as { name: string }[];
const seen = async (phone: string, by = SHOP) => (await network.call("GET", `/phones/${by}/contacts/${phone}`)).body.data;

describe("contacts", () => {
  it("are found by their number, alone and many at once", async () => {
    expect((await shop.api.get(`/contacts/check?phone=${BIA}`)).body).toEqual({
      data: { phone: BIA, exists: true, chat_id: `${BIA}@c.us` },
    });
    expect((await shop.api.get(`/contacts/check?phone=${NOBODY}`)).body).toEqual({ data: { phone: NOBODY, exists: false, chat_id: null } });
    const many = await shop.api.call("POST", "/contacts/check", { phones: [NOBODY, BIA] });
    expect(many).toMatchObject({
      status: 200,
      body: {
        data: [
          { phone: NOBODY, exists: false },
          { phone: BIA, exists: true, chat_id: `${BIA}@c.us` },
        ],
      },
    });
    expect(await shop.api.call("POST", "/contacts/check", { phones: [] })).toMatchObject(failed(400, "requisicao_invalida"));
    expect(await shop.api.call("POST", "/contacts/check", { phones: Array.from({ length: 51 }, () => BIA) })).toMatchObject(
      failed(400, "requisicao_invalida"),
    );
    expect(await shop.api.call("POST", "/contacts/check", { phones: ["+55 11"] })).toMatchObject(failed(400, "numero_invalido"));
    expect(await shop.api.get("/contacts/check?phone=12")).toMatchObject(failed(400, "numero_invalido"));
  });

  it("are saved in the phone's address book, listed, renamed and removed", async () => {
    expect(await shop.api.get(`/contacts/${NOBODY}@c.us`)).toMatchObject(failed(404, "contato_nao_encontrado"));
    const saved = await shop.api.call("PUT", `/contacts/${BIA}@c.us`, { full_name: "Bia Souza", first_name: "Bia" });
    expect(saved).toMatchObject({
      status: 200,
      body: { data: { contact_id: `${BIA}@c.us`, phone: BIA, name: "Bia Souza", is_saved: true, is_blocked: false } },
    });
    await eventually("the name at the phone", 60_000, async () => (await seen(BIA)).full_name === "Bia Souza");
    expect((await shop.api.get(`/contacts/${BIA}`)).body.data).toMatchObject({ name: "Bia Souza", picture_url: null });
    expect((await shop.api.get("/contacts?saved=true&q=souza")).body).toMatchObject({
      data: [{ contact_id: `${BIA}@c.us` }],
      next_cursor: null,
    });

    expect((await shop.api.call("PUT", `/contacts/${BIA}`, { full_name: "Beatriz" })).body.data.name).toBe("Beatriz");
    await eventually("the new name at the phone", 60_000, async () => (await seen(BIA)).full_name === "Beatriz");
    expect(await shop.api.call("DELETE", `/contacts/${BIA}@c.us`)).toMatchObject({ status: 200, body: { ok: true } });
    await eventually("the contact gone from the phone", 60_000, async () => (await seen(BIA)).full_name === null);
    expect((await shop.api.get("/contacts?saved=true")).body.data).toEqual([]);
    expect((await shop.api.get(`/contacts/${BIA}`)).body.data).toMatchObject({ name: null, is_saved: false });

    expect(await shop.api.call("PUT", `/contacts/${NOBODY}`, { full_name: "Nobody" })).toMatchObject(failed(422, "numero_sem_conta"));
    expect(await shop.api.call("PUT", `/contacts/${BIA}`, { full_name: "x".repeat(257) })).toMatchObject(
      failed(400, "requisicao_invalida"),
    );
    expect(await shop.api.call("PUT", "/contacts/120363000000000001@g.us", { full_name: "A group" })).toMatchObject(
      failed(400, "requisicao_invalida"),
    );
    expect(await shop.api.call("DELETE", `/contacts/${NOBODY}`)).toMatchObject(failed(404, "contato_nao_encontrado"));
  });

  it("appear here when they are saved on the phone", async () => {
    await network.call("PATCH", `/phones/${SHOP}/contacts/${BIA}`, { full_name: "Bia do celular" });
    await eventually("the phone's name", 60_000, async () => (await savedContacts()).some(({ name }) => name === "Bia do celular"));
  });

  it("are blocked, listed as blocked, and unblocked", async () => {
    const blocked = async () => (await network.call("GET", `/phones/${SHOP}/blocked`)).body.data;
    expect(await shop.api.call("POST", `/contacts/${BIA}@c.us/block`)).toMatchObject({ status: 200, body: { ok: true } });
    expect(await blocked()).toEqual([BIA]);
    expect((await shop.api.get("/contacts/blocked")).body).toEqual({ data: [`${BIA}@c.us`] });
    expect((await shop.api.get(`/contacts/${BIA}`)).body.data.is_blocked).toBe(true);
    expect(await shop.api.call("POST", `/contacts/${BIA}@c.us/unblock`)).toMatchObject({ status: 200, body: { ok: true } });
    expect(await blocked()).toEqual([]);
    expect((await shop.api.get("/contacts/blocked")).body).toEqual({ data: [] });
    expect(await shop.api.call("POST", `/contacts/${NOBODY}/block`)).toMatchObject(failed(422, "numero_sem_conta"));
  });

  it("show their picture, about text and business profile, as far as visible", async () => {
    expect(await shop.api.get(`/contacts/${BIA}/picture`)).toMatchObject(failed(404, "foto_nao_encontrada"));
    await network.call("POST", `/phones/${BIA}/picture`, { base64: JPEG.toString("base64") });
    await network.call("PATCH", `/phones/${BIA}`, { about: "na praia" });
    const picture = await shop.api.get(`/contacts/${BIA}/picture?size=full`);
    expect(picture.status, JSON.stringify(picture.body)).toBe(200);
    const copy = await fetch(picture.body.data.url);
    expect([copy.status, copy.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    expect(sha256(Buffer.from(await copy.arrayBuffer()))).toBe(sha256(JPEG));
    expect(Date.parse(picture.body.data.expires_at)).toBeGreaterThan(Date.now());
    expect((await shop.api.get(`/contacts/${BIA}`)).body.data.picture_url).toBe(picture.body.data.url);

    expect((await shop.api.get(`/contacts/${BIA}/about`)).body.data).toEqual({
      about: "na praia",
      set_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(await shop.api.get(`/contacts/${BIA}/business-profile`)).toMatchObject(failed(404, "perfil_comercial_nao_encontrado"));
    const demo = customer(sandbox.ready());
    expect((await demo.get(`/contacts/${SHOP}/business-profile`)).body.data).toEqual({
      description: null,
      email: null,
      websites: [],
      address: null,
      category: null,
    });
    expect(await shop.api.get(`/contacts/${NOBODY}/about`)).toMatchObject(failed(404, "contato_nao_encontrado"));
  });
});

describe("the profile", () => {
  it("is changed as others see it", async () => {
    expect((await shop.api.get("/profile")).body.data).toMatchObject({ phone: SHOP, about: null, picture_url: null, is_business: true });
    expect(await shop.api.call("PUT", "/profile/name", { name: "Loja da Ana" })).toMatchObject({ status: 200, body: { ok: true } });
    expect(await shop.api.call("PUT", "/profile/about", { about: "aberto até as seis" })).toMatchObject({
      status: 200,
      body: { ok: true },
    });
    const put = await shop.api.call("PUT", "/profile/picture", { media: { base64: PNG.toString("base64") } });
    expect(put, JSON.stringify(put.body)).toMatchObject({ status: 200, body: { ok: true } });

    const shown = await seen(SHOP, BIA);
    expect(shown).toMatchObject({ about: "aberto até as seis", push_name: "Loja da Ana", picture_sha256: expect.any(String) });
    const { data } = (await shop.api.get("/profile")).body;
    expect(data).toMatchObject({ name: "Loja da Ana", about: "aberto até as seis", business: { websites: [] } });
    expect(sha256(Buffer.from(await (await fetch(data.picture_url)).arrayBuffer()))).toBe(shown.picture_sha256);

    expect(await shop.api.call("DELETE", "/profile/picture")).toMatchObject({ status: 200, body: { ok: true } });
    expect(await shop.api.call("PUT", "/profile/about", { about: "" })).toMatchObject({ status: 200 });
    expect((await shop.api.get("/profile")).body.data).toMatchObject({ about: null, picture_url: null });
    expect(await seen(SHOP, BIA)).toMatchObject({ about: null, picture_sha256: null });
  });

  it("accepts no more than the network does", async () => {
    expect(await shop.api.call("PUT", "/profile/name", { name: "x".repeat(26) })).toMatchObject(failed(400, "requisicao_invalida"));
    expect(await shop.api.call("PUT", "/profile/name", { name: "" })).toMatchObject(failed(400, "requisicao_invalida"));
    expect(await shop.api.call("PUT", "/profile/about", { about: "x".repeat(140) })).toMatchObject(failed(400, "requisicao_invalida"));
    const text = Buffer.from("not a picture").toString("base64");
    expect(await shop.api.call("PUT", "/profile/picture", { media: { base64: text } })).toMatchObject(failed(422, "midia_invalida"));
  });
});

describe("calls that need the network", () => {
  it("report that the number is not connected, or that the network is rate limiting", async () => {
    await network.call("POST", "/faults", { phone: SHOP, kind: "iq_error", code: 429, xmlns: "blocklist" });
    const refused = await shop.api.get("/contacts/blocked");
    expect(refused).toMatchObject(failed(429, "limite_do_rede"));
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(60);
    await shop.api.call("POST", "/instance/disconnect");
    expect(await shop.api.get("/profile")).toMatchObject(failed(409, "conexao_desconectada"));
    expect(await shop.api.call("POST", `/contacts/${BIA}/block`)).toMatchObject(failed(409, "conexao_desconectada"));
    // Stored data is still there.
    expect((await shop.api.get(`/contacts/${BIA}`)).status).toBe(200);
  });
});
