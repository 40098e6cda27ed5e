// The list of connections: D1 filters, and the objects report current state.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { StatusReason } from "@gateway/domain/instance/state.ts";
import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import { writeConnectionState } from "#root/src/services/connections/directory-state.ts";
import { gateway, instanceOf, type ScriptedConnections, scriptedConnections } from "../support/gateway.ts";
import { type Someone, someone } from "../support/people.ts";

const PATH = "/api/dashboard/connections";
const NOW = Date.now();

type Row = { id: number; instance_id: string; name: string; phone: string | null; status: string | null; status_reason: string };
type List = {
  data: Row[];
  next_cursor: string | null;
  attention: { name: string; status_reason: string }[];
  attention_total: number;
  plan: object | null;
};

/** An object's reply to a state request; if absent, its initial state. */
type Script = "throws" | "hangs" | { status: InstanceStatus; reason: StatusReason };
const scripts = new Map<string, Script>();

const objects: ScriptedConnections = scriptedConnections(async (call) => {
  const name = objects.names.at(-1);
  const record = objects.records.findLast(({ uuid }) => uuid === name);
  if (record === undefined) return { ok: false, failure: { code: "unavailable" } };
  const script = scripts.get(record.name);
  if (script === "throws") throw new Error("file is not a database");
  if (script === "hangs") return new Promise(() => undefined);
  const live = script === undefined ? {} : { status: script.status, status_reason: script.reason };
  return { ok: true, json: call.operation === "instance.get" ? JSON.stringify({ ...instanceOf(record), ...live }) : "{}" };
});
const ask = gateway(objects);

async function create(who: Someone, name: string): Promise<Row> {
  const answer = await ask(PATH, { method: "POST", headers: who.headers, body: JSON.stringify({ name }) });
  return ((await answer.json()) as { data: Row }).data;
}

/** Changes the state in D1 and in the object. */
async function become(row: Row, status: InstanceStatus, reason: StatusReason, phone: string | null = null): Promise<void> {
  scripts.set(row.name, { status, reason });
  const state = { status, reason, statusChangedAt: NOW - row.id, bridgeId: null, phone, stateKid: 1 };
  await writeConnectionState(env.DB, row.id, state, NOW);
}

async function listed(who: Someone, query = ""): Promise<List> {
  const answer = await ask(`${PATH}?${query}`, { headers: who.headers });
  expect(answer.status).toBe(200);
  return answer.json();
}

const names = ({ data }: List) => data.map(({ name }) => name);

describe("the list of connections", () => {
  it("is filtered by status, part of name or phone, and whose they are", async () => {
    const [owner, friend] = [await someone(), await someone()];
    const [shop, stock, theirs] = [await create(owner, "Loja Sul"), await create(owner, "Estoque"), await create(friend, "Da amiga")];
    await ask(`${PATH}/${theirs.id}/shares`, {
      method: "POST",
      headers: friend.headers,
      body: JSON.stringify({ email: owner.user.email, role: "viewer" }),
    });
    await become(shop, "connected", "ok", "5511900001111");
    await become(stock, "disconnected", "manual");
    expect(names(await listed(owner))).toEqual(["Loja Sul", "Estoque", "Da amiga"]);
    expect(names(await listed(owner, "status=connected"))).toEqual(["Loja Sul"]);
    expect(names(await listed(owner, "status=failed"))).toEqual([]);
    expect(names(await listed(owner, "q=SUL"))).toEqual(["Loja Sul"]);
    expect(names(await listed(owner, "q=0000111"))).toEqual(["Loja Sul"]);
    expect(names(await listed(owner, "q=%25"))).toEqual([]);
    expect(names(await listed(owner, "of=shared"))).toEqual(["Da amiga"]);
    expect(names(await listed(owner, "of=owner&status=disconnected"))).toEqual(["Estoque"]);
    expect((await ask(`${PATH}?status=asleep`, { headers: owner.headers })).status).toBe(400);
  });

  it("shows the object's state where D1 is behind", async () => {
    const owner = await someone();
    const row = await create(owner, "Atrasada");
    await become(row, "connected", "ok");
    scripts.set("Atrasada", { status: "disconnected", reason: "logged_out" });
    expect(names(await listed(owner, "status=connected"))).toEqual([]);
    expect((await listed(owner)).data).toMatchObject([{ status: "disconnected", status_reason: "logged_out" }]);
  });

  it("loses only the row of an object that fails or hangs", async () => {
    const owner = await someone();
    const [broken, hung, well] = [await create(owner, "Quebrada"), await create(owner, "Presa"), await create(owner, "Boa")];
    for (const row of [broken, hung, well]) await become(row, "connected", "ok", "5511900002222");
    scripts.set("Quebrada", "throws");
    scripts.set("Presa", "hangs");
    expect((await listed(owner)).data).toMatchObject([
      { name: "Quebrada", status: null, status_reason: "internal_error", phone: "5511900002222" },
      { name: "Presa", status: null, status_reason: "unavailable", phone: "5511900002222" },
      { name: "Boa", status: "connected", status_reason: "ok" },
    ]);
  });

  it("says how much of the plan is used", async () => {
    const owner = await someone(3);
    await create(owner, "Uma");
    expect((await listed(owner)).plan).toEqual({ instances: 1, max_instances: 3 });
    expect((await listed(await someone(null))).plan).toBeNull();
  });

  it("names connections that need their owner on every page, the latest first", async () => {
    const owner = await someone();
    const rows = [await create(owner, "Um"), await create(owner, "Dois"), await create(owner, "Três"), await create(owner, "Quatro")];
    const [one, two, three, four] = rows as [Row, Row, Row, Row];
    await become(one, "disconnected", "logged_out");
    await become(two, "disconnected", "manual");
    await become(three, "failed", "banned");
    await become(four, "connecting", "reconnecting");
    const page = await listed(owner, "limit=1&q=Quatro");
    expect(names(page)).toEqual(["Quatro"]);
    expect(page.attention).toMatchObject([
      { name: "Um", status_reason: "logged_out" },
      { name: "Três", status_reason: "banned" },
    ]);
    expect(page.attention_total).toBe(2);
    expect((await listed(await someone())).attention_total).toBe(0);
  });
});
