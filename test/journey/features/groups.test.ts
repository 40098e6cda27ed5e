// Every group route, end to end: the customer's response, the group as people on the network see it, and the webhook events.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type customer, phones, type Reply } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { pairConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok, refused } from "../../support/replies.ts";
import { PNG, sha256 } from "../../support/sample-files.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

const SHOP = "5511922220000";
const [BIA, CAIO, DUDA, EVA] = ["5511922220001", "5511922220002", "5511922220003", "5511922220004"] as const;
const NOBODY = "5511955550000";

let sandbox: SharedSandbox;
let receiver: Receiver;
let api: ReturnType<typeof customer>;
let network: ReturnType<typeof phones>;
let us: string;

beforeAll(async () => {
  [sandbox, receiver] = await Promise.all([borrowSandbox(), Receiver.start()]);
  const ready = sandbox.ready();
  network = phones(ready);
  const shop = await pairConnection(ready, SHOP, { name: "Loja" });
  [api, us] = [shop.api, SHOP];
  for (const phone of [BIA, CAIO, DUDA, EVA]) await network.create(phone, `Pessoa ${phone.at(-1)}`);
  await shop.owner.call("PUT", `/connections/${shop.id}/webhook`, { url: receiver.url });
});
afterAll(async () => {
  await Promise.all([sandbox.dispose(), receiver.stop()]);
});

const put = (path: string, json: unknown) => api.call("PUT", path, json);
const post = (path: string, json?: unknown) => api.call("POST", path, json);
/** The group as a person on the network sees it. */
const seen = async (group: string, by = us): Promise<any> => (await network.call("GET", `/phones/${by}/groups/${group}`)).body.data;
const rolesIn = async (group: string): Promise<Record<string, string>> =>
  Object.fromEntries((await seen(group)).participants.map(({ phone, role }: { phone: string; role: string }) => [phone, role]));
const delivered = (type: string, group: string, suits: (data: any) => boolean = () => true) =>
  receiver.waitFor(`${type} of ${group}`, 60_000, (event) => event.type === type && event.data.chat_id === group && suits(event.data));

async function codeOf(call: Promise<Reply>): Promise<[number, string]> {
  const { status, body } = await call;
  return [status, body.error?.codigo];
}
const ours = async (subject: string, ...participants: string[]): Promise<string> =>
  (await ok(post("/groups", { subject, participants }))).data.group_id;
const theirs = async (subject: string, ...participants: string[]): Promise<string> =>
  (await network.call("POST", `/phones/${BIA}/groups`, { subject, participants })).body.group_id;

describe("making and reading groups", () => {
  it("creates a group with the reachable people, and reports each result", async () => {
    await network.call("POST", `/phones/${EVA}/blocked`, { phone: us });
    const body = { subject: "Vendas 🎉", participants: [BIA, `${CAIO}@c.us`, EVA, NOBODY], description: "Só vendas", join_approval: true };
    const { data, participants } = await ok(post("/groups", body));
    expect(data).toMatchObject({
      group_id: expect.stringMatching(/@g\.us$/),
      subject: "Vendas 🎉",
      description: "Só vendas",
      owner: us,
      my_role: "superadmin",
      settings: { join_approval: true, messages_admins_only: false },
      community_id: null,
      is_announcement_group: false,
    });
    expect(Date.parse(data.created_at)).toBeGreaterThan(Date.now() - 60_000);
    expect(participants.filter(({ phone }: { phone: string }) => phone !== EVA)).toEqual([
      { phone: BIA, status: "ok", code: 200, reason: null, invite_sent: false },
      { phone: CAIO, status: "ok", code: 200, reason: null, invite_sent: false },
      { phone: NOBODY, status: "failed", code: 404, reason: "not_on_network", invite_sent: false },
    ]);
    expect(await seen(data.group_id, BIA)).toMatchObject({
      subject: "Vendas 🎉",
      description: "Só vendas",
      join_approval: true,
      created_by: us,
    });
    await delivered("group.participants", data.group_id);
  });

  it("lists groups by name, in pages, searchable, and refreshed on request", async () => {
    const [a, b] = [await ours("Lista Alpha Ômega"), await ours("Lista Zebra")];
    const names = async (query: string): Promise<string[]> =>
      (await ok(api.get(`/groups?${query}`))).data.map(({ subject }: any) => subject);
    expect(await names("q=LÍSTA")).toEqual(["Lista Alpha Ômega", "Lista Zebra"]);
    const first = await ok(api.get("/groups?q=lista&limit=1"));
    expect(first.data).toMatchObject([{ group_id: a, size: 1, my_role: "superadmin" }]);
    expect(first.data[0]).not.toHaveProperty("participants");
    expect((await ok(api.get(`/groups?q=lista&limit=1&cursor=${first.next_cursor}`))).data).toMatchObject([{ group_id: b }]);
    expect(await names("refresh=true&limit=200")).toEqual(expect.arrayContaining(["Lista Alpha Ômega", "Lista Zebra"]));
    await refused(api.get("/groups?limit=0"), 400, "requisicao_invalida");
  });

  it("shows a group with its people", async () => {
    const group = await theirs("Da Bia", us, CAIO);
    await delivered("group.participants", group);
    const { data } = await ok(api.get(`/groups/${encodeURIComponent(group)}`));
    expect(data).toMatchObject({ group_id: group, subject: "Da Bia", owner: BIA, my_role: "member", size: 3 });
    expect(data.participants.toSorted((x: any, y: any) => x.phone.localeCompare(y.phone))).toMatchObject([
      { phone: us, role: "member" },
      { phone: BIA, role: "superadmin" },
      { phone: CAIO, role: "member" },
    ]);
    expect((await ok(api.get(`/groups/${group}/participants`))).data).toHaveLength(3);
    expect((await ok(api.get(`/groups/${group}/settings`))).data).toEqual({
      messages_admins_only: false,
      info_admins_only: false,
      members_can_add: false,
      join_approval: false,
      disappearing_seconds: 0,
    });
  });

  it("finds no group that does not exist, or that the number is not in", async () => {
    for (const path of ["", "/settings", "/participants"]) {
      expect(await codeOf(api.get(`/groups/120363777777777777@g.us${path}`))).toEqual([404, "grupo_nao_encontrado"]);
    }
    expect(await codeOf(api.get(`/groups/${await theirs("Sem nós", CAIO)}`))).toEqual([403, "sem_permissao"]);
    expect(await codeOf(api.get(`/groups/${BIA}@c.us`))).toEqual([400, "requisicao_invalida"]);
  });
});

describe("running a group", () => {
  it("changes its name and description, with an event", async () => {
    const group = await ours("Antes", BIA);
    expect(await ok(put(`/groups/${group}/subject`, { subject: "Depois" }))).toEqual({ ok: true });
    await ok(put(`/groups/${group}/description`, { description: "Linha 1\nLinha 2" }));
    expect(await seen(group, BIA)).toMatchObject({ subject: "Depois", description: "Linha 1\nLinha 2" });
    expect((await ok(api.get(`/groups/${group}`))).data).toMatchObject({ subject: "Depois", description: "Linha 1\nLinha 2" });
    await delivered("group.updated", group, ({ by, changed }) => by === us && changed.subject === "Depois");
    await ok(put(`/groups/${group}/description`, { description: "" }));
    expect(await seen(group, BIA)).toMatchObject({ description: null });
    await refused(put(`/groups/${group}/subject`, { subject: "" }), 400, "requisicao_invalida");
    await refused(put(`/groups/${group}/subject`, { subject: "á".repeat(101) }), 400, "requisicao_invalida");
    await refused(put(`/groups/${group}/description`, { description: "á".repeat(2049) }), 400, "requisicao_invalida");
  });

  it("changes its picture", async () => {
    const group = await ours("Foto", BIA);
    expect(await ok(put(`/groups/${group}/picture`, { media: { base64: PNG.toString("base64") } }))).toEqual({ ok: true });
    const { picture_sha256 } = await seen(group, BIA);
    expect(picture_sha256).toMatch(/^[0-9a-f]{64}$/);
    // The network requires a square JPEG.
    expect(picture_sha256).not.toBe(sha256(PNG));
    await refused(
      put(`/groups/${group}/picture`, { media: { base64: Buffer.from("não é foto").toString("base64") } }),
      422,
      "midia_invalida",
    );
    await refused(put(`/groups/${group}/picture`, {}), 400, "requisicao_invalida");
    expect(await ok(api.call("DELETE", `/groups/${group}/picture`))).toEqual({ ok: true });
    expect((await seen(group, BIA)).picture_sha256).toBeNull();
  });

  it("changes only the given settings", async () => {
    const group = await ours("Regras", BIA);
    const patch = (json: unknown) => api.call("PATCH", `/groups/${group}/settings`, json);
    expect((await ok(patch({ messages_admins_only: true, members_can_add: true, disappearing_seconds: 604_800 }))).data).toEqual({
      messages_admins_only: true,
      info_admins_only: false,
      members_can_add: true,
      join_approval: false,
      disappearing_seconds: 604_800,
    });
    expect(await seen(group, BIA)).toMatchObject({
      announce: true,
      locked: false,
      member_add_mode: "all_member_add",
      disappearing_seconds: 604_800,
    });
    expect((await ok(patch({ info_admins_only: true, disappearing_seconds: 0 }))).data).toMatchObject({
      messages_admins_only: true,
      info_admins_only: true,
    });
    expect(await seen(group, BIA)).toMatchObject({ announce: true, locked: true, disappearing_seconds: 0 });
    expect((await ok(api.get(`/groups/${group}/settings`))).data).toMatchObject({ info_admins_only: true, disappearing_seconds: 0 });
    await refused(patch({}), 400, "requisicao_invalida");
    await refused(patch({ disappearing_seconds: 5 }), 400, "requisicao_invalida");
    await refused(patch({ unknown: true }), 400, "requisicao_invalida");
  });

  it("adds, promotes, demotes and removes people", async () => {
    const group = await ours("Gente", BIA);
    const change = (action: string, ...participants: string[]) => post(`/groups/${group}/participants/${action}`, { participants });
    const added = await ok(change("add", CAIO, `${DUDA}@c.us`, BIA, NOBODY));
    expect(added.data).toEqual([
      { phone: CAIO, status: "ok", code: 200, reason: null, invite_sent: false },
      { phone: DUDA, status: "ok", code: 200, reason: null, invite_sent: false },
      { phone: BIA, status: "failed", code: 409, reason: "already_member", invite_sent: false },
      { phone: NOBODY, status: "failed", code: 404, reason: "not_on_network", invite_sent: false },
    ]);
    expect((await ok(change("promote", CAIO))).data).toMatchObject([{ phone: CAIO, status: "ok" }]);
    expect(await rolesIn(group)).toEqual({ [us]: "superadmin", [BIA]: "member", [CAIO]: "admin", [DUDA]: "member" });
    await ok(change("demote", CAIO));
    await ok(change("remove", DUDA));
    expect(await rolesIn(group)).toEqual({ [us]: "superadmin", [BIA]: "member", [CAIO]: "member" });
    expect((await ok(api.get(`/groups/${group}`))).data).toMatchObject({ size: 3 });
    expect((await ok(api.get(`/groups/${group}/participants`))).data.map(({ phone }: any) => phone)).not.toContain(DUDA);
    // Nobody was added, so the status alone must already tell the caller.
    const nobody = await refused(change("add", NOBODY), 422, "numero_sem_conta");
    expect(nobody.body.error.detalhes).toEqual([{ campo: "participants.0", motivo: "not_on_network" }]);
    await refused(change("add", EVA), 403, "sem_permissao");
    await refused(change("promote", DUDA), 404, "contato_nao_encontrado");
    // Bia is already a member.
    expect((await ok(change("add", BIA))).data).toMatchObject([{ reason: "already_member" }]);
    await refused(change("add"), 400, "requisicao_invalida");
    await refused(change("add", "abc"), 400, "numero_invalido");
  });

  it("is refused admin actions as a member", async () => {
    const group = await theirs("Sem poder", us, CAIO);
    await network.call("POST", `/phones/${BIA}/groups/${group}/settings`, { locked: true });
    const denied = (call: Promise<Reply>) => refused(call, 403, "sem_permissao");
    await denied(put(`/groups/${group}/subject`, { subject: "Meu" }));
    await denied(put(`/groups/${group}/description`, { description: "x" }));
    await denied(put(`/groups/${group}/picture`, { media: { base64: PNG.toString("base64") } }));
    await denied(api.call("DELETE", `/groups/${group}/picture`));
    await denied(api.call("PATCH", `/groups/${group}/settings`, { messages_admins_only: true }));
    for (const action of ["add", "remove", "promote", "demote"]) {
      await denied(post(`/groups/${group}/participants/${action}`, { participants: [action === "add" ? DUDA : CAIO] }));
    }
    await denied(api.get(`/groups/${group}/invite-code`));
    await denied(post(`/groups/${group}/invite-code/revoke`));
    await denied(api.get(`/groups/${group}/requests`));
    await denied(post(`/groups/${group}/requests/approve`, { participants: [DUDA] }));
    expect(await seen(group, BIA)).toMatchObject({ subject: "Sem poder", announce: false });
    expect(await rolesIn(group)).toEqual({ [us]: "member", [BIA]: "superadmin", [CAIO]: "member" });
  });

  it("answers 404 for an unknown group", async () => {
    const group = "/groups/120363777777777777@g.us";
    const calls = [
      put(`${group}/subject`, { subject: "x" }),
      put(`${group}/description`, { description: "x" }),
      api.call("PATCH", `${group}/settings`, { join_approval: true }),
      post(`${group}/participants/add`, { participants: [CAIO] }),
      api.get(`${group}/invite-code`),
      post(`${group}/leave`),
      api.get(`${group}/requests`),
    ];
    for (const call of calls) expect(await codeOf(call)).toEqual([404, "grupo_nao_encontrado"]);
  });
});

describe("coming and going", () => {
  it("creates an invitation, and revokes it", async () => {
    const group = await ours("Convite");
    const { code, link } = (await ok(api.get(`/groups/${group}/invite-code`))).data;
    expect(link).toBe(`https://chat.whatsapp.com/${code}`);
    expect((await network.call("POST", `/phones/${CAIO}/groups/join`, { invite_code: code })).body.group_id).toBe(group);
    await delivered("group.participants", group, ({ action, participants }) => action === "join" && participants[0].phone === CAIO);
    expect((await ok(api.get(`/groups/${group}`))).data).toMatchObject({ invite_link: link, size: 2 });
    const fresh = (await ok(post(`/groups/${group}/invite-code/revoke`))).data;
    expect(fresh.code).not.toBe(code);
    expect((await seen(group)).invite_code).toBe(fresh.code);
    await refused(api.get(`/groups/join-info?code=${code}`), 404, "grupo_nao_encontrado");
  });

  it("previews an invitation, joins by it, and leaves again", async () => {
    const group = await theirs("Portas abertas", CAIO);
    const { invite_code } = await seen(group, BIA);
    const link = `https://chat.whatsapp.com/${invite_code}`;
    const preview = await ok(api.get(`/groups/join-info?code=${encodeURIComponent(link)}`));
    expect(preview.data).toMatchObject({ group_id: group, subject: "Portas abertas", owner: BIA, size: 2, join_approval: false });
    expect(preview.data).not.toHaveProperty("participants");
    expect((await ok(post("/groups/join", { code: link }))).data).toEqual({ group_id: group, pending: false });
    expect(await rolesIn(group)).toHaveProperty(us, "member");
    expect((await ok(api.get(`/groups/${group}`))).data).toMatchObject({ my_role: "member", size: 3 });
    expect(await ok(post(`/groups/${group}/leave`))).toEqual({ ok: true });
    expect((await seen(group, BIA)).participants.map(({ phone }: any) => phone)).not.toContain(us);
    expect((await ok(api.get("/groups?limit=200&q=portas"))).data).toEqual([]);
    await refused(post("/groups/join", { code: "NuncaExistiu000" }), 422, "convite_invalido");
    await refused(api.get("/groups/join-info?code=NuncaExistiu000"), 404, "grupo_nao_encontrado");
    await refused(post("/groups/join", { code: "não é código" }), 400, "requisicao_invalida");
  });

  it("leaves and deletes in one go", async () => {
    const group = await theirs("Descartável", us);
    await delivered("group.participants", group);
    const { message_id } = (await network.send(BIA, { chat_id: group, text: "oi" })).body;
    await eventually("the message", 60_000, async () => (await api.get(`/messages/${message_id}`)).status === 200);
    expect(await ok(api.call("DELETE", `/groups/${group}`))).toEqual({ ok: true });
    expect((await seen(group, BIA)).participants.map(({ phone }: any) => phone)).not.toContain(us);
    expect((await ok(api.get("/chats?kind=group&limit=200"))).data.map(({ chat_id }: any) => chat_id)).not.toContain(group);
    const { body } = await eventually("the deletion on the phone", 60_000, async () => {
      const reply = await network.call("GET", `/phones/${us}/chats/${group}`);
      return reply.body.data?.deleted_at !== null && reply;
    });
    expect(body.data.last_message).toBeNull();
    await refused(api.call("DELETE", `/groups/${group}`), 404, "grupo_nao_encontrado");
  });

  it("waits for an admin where the group requires one, and approves others as admin", async () => {
    const closed = await theirs("Fechado", CAIO);
    await network.call("POST", `/phones/${BIA}/groups/${closed}/settings`, { join_approval: true });
    expect((await ok(post("/groups/join", { code: (await seen(closed, BIA)).invite_code }))).data).toEqual({
      group_id: closed,
      pending: true,
    });
    expect((await seen(closed, BIA)).requests).toEqual([us]);

    const group = await ours("Aprovação");
    await ok(api.call("PATCH", `/groups/${group}/settings`, { join_approval: true }));
    const { code } = (await ok(api.get(`/groups/${group}/invite-code`))).data;
    for (const phone of [CAIO, DUDA]) await network.call("POST", `/phones/${phone}/groups/join`, { invite_code: code });
    const { data } = await ok(api.get(`/groups/${group}/requests`));
    expect(data).toEqual(
      [CAIO, DUDA].map((phone) => ({
        request_id: `${phone}@c.us`,
        phone,
        method: "invite_link",
        requested_at: expect.stringMatching(/Z$/),
      })),
    );
    const decide = (verdict: string, ...participants: string[]) => post(`/groups/${group}/requests/${verdict}`, { participants });
    expect((await ok(decide("approve", data[0].request_id))).data).toMatchObject([{ phone: CAIO, status: "ok" }]);
    expect((await ok(decide("reject", DUDA))).data).toMatchObject([{ phone: DUDA, status: "ok" }]);
    expect(await rolesIn(group)).toEqual({ [us]: "superadmin", [CAIO]: "member" });
    expect((await ok(api.get(`/groups/${group}/requests`))).data).toEqual([]);
  });
});

describe("network errors", () => {
  it("reports rate limits with its own code", async () => {
    await network.call("POST", "/faults", { phone: us, kind: "iq_error", code: 429, xmlns: "w:g2" });
    const limited = await refused(post("/groups", { subject: "Demais", participants: [] }), 429, "limite_do_rede");
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThanOrEqual(60);
  });

  it("answers a repeated key once, and makes one group", async () => {
    const create = () => api.call("POST", "/groups", { subject: "Só um", participants: [BIA] }, { "idempotency-key": "grupo-1" });
    const [first, second] = [await create(), await create()];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    const { body } = await network.call("GET", `/phones/${us}/groups`);
    expect(body.data.filter(({ subject }: any) => subject === "Só um")).toHaveLength(1);
  });
});
