// Calls every dashboard API row as an unauthorized user. New rows are covered automatically.
import { describe, expect, it } from "vitest";
import { DASHBOARD_ROUTES } from "#root/src/api/dashboard.ts";
import { CONTRACT } from "#root/src/api/dashboard/contract/contract.ts";
import { OPERATIONS, type OperationRow } from "@gateway/protocol/operations.ts";
import { gateway, instanceOf, scriptedConnections } from "../support/gateway.ts";
import { type Someone, someone } from "../support/people.ts";

const RECORD = { id: 1, uuid: "u", owner_id: "o", name: "n", kind: "session" } as const;
const objects = scriptedConnections(() => ({ ok: true, json: JSON.stringify(instanceOf(RECORD)) }));
const ask = gateway(objects);

async function connectionOf(owner: Someone): Promise<number> {
  const made = await ask("/api/dashboard/connections", { method: "POST", headers: owner.headers, body: '{"name":"Loja"}' });
  return ((await made.json()) as { data: { id: number } }).data.id;
}

/** Status and code of each row's response, by row name. */
async function answersOf(rows: typeof DASHBOARD_ROUTES, who: Someone, id: number): Promise<[string, string][]> {
  const answers: [string, string][] = [];
  for (const { name } of rows) {
    const [method = "", path = ""] = name.split(" ");
    const url = `/api/dashboard${path.replace("{id}", String(id)).replaceAll(/\{\w+\}/g, "1")}`;
    const answer = await ask(url, { method, headers: who.headers, ...(method === "GET" ? {} : { body: "{}" }) });
    const body = (await answer.json()) as { error?: { code: string } };
    answers.push([name, `${answer.status} ${body.error?.code}`]);
  }
  return answers;
}

const below = DASHBOARD_ROUTES.filter(({ name }) => name.includes("/connections/{id}"));
const all = (rows: typeof DASHBOARD_ROUTES, said: string) => rows.map(({ name }) => [name, said]);

it("the dashboard API serves every row of its contract", () => {
  expect(DASHBOARD_ROUTES.map(({ name }) => name).toSorted()).toEqual(Object.keys(CONTRACT).toSorted());
});

describe("a connection's routes", () => {
  it("return 404 to a stranger, even an administrator", async () => {
    const id = await connectionOf(await someone());
    expect(below.length).toBeGreaterThan(20);
    expect(await answersOf(below, await someone(), id)).toEqual(all(below, "404 instance_not_found"));
  });

  it("refuse an operator before anything is read, if they are the owner's", async () => {
    const owner = await someone();
    const guest = await someone();
    const id = await connectionOf(owner);
    const shared = await ask(`/api/dashboard/connections/${id}/shares`, {
      method: "POST",
      headers: owner.headers,
      body: JSON.stringify({ email: guest.user.email, role: "operator" }),
    });
    expect(shared.status).toBe(201);
    const owned = below.filter(({ access }) => access === "owner");
    expect(owned.length).toBeGreaterThan(4);
    expect(await answersOf(owned, guest, id)).toEqual(all(owned, "403 forbidden"));
  });

  it("have a role, which their object checks, if they are operations", () => {
    const roles = below.flatMap((row) => (row.kind === "operation" ? [(OPERATIONS[row.operation] as OperationRow).role] : []));
    expect(roles.length).toBeGreaterThan(10);
    expect(new Set(roles)).toEqual(new Set(["owner", "operator", "viewer"]));
  });
});

describe("the administrators' rows", () => {
  it("refuse everybody else", async () => {
    const rows = DASHBOARD_ROUTES.filter(({ access, name }) => access === "admin" || name.includes("/admin/"));
    expect(rows.filter(({ access }) => access !== "admin")).toEqual([]);
    expect(await answersOf(rows, await someone(), 1)).toEqual(all(rows, "403 forbidden"));
  });
});
