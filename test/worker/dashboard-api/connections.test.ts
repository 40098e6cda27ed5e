import { describe, expect, it } from "vitest";
import { DEFAULT_INSTANCE_SETTINGS } from "@gateway/protocol/instance-settings.ts";
import { type EnglishError, gateway, instanceOf, type ScriptedConnections, scriptedConnections } from "../support/gateway.ts";
import { type Someone, someone } from "../support/people.ts";

type Shown = {
  id: number;
  instance_id: string;
  name: string;
  phone: string | null;
  kind: string;
  status: string | null;
  role: string;
  created_at: string;
};

const PATH = "/api/dashboard/connections";

/** Objects that know their own record. */
function knowingObjects(): ScriptedConnections {
  const objects: ScriptedConnections = scriptedConnections((call) => {
    const record = objects.records.findLast(({ uuid }) => uuid === objects.names.at(-1));
    if (record === undefined) return { ok: false, failure: { code: "unavailable" } };
    return { ok: true, json: call.operation === "instance.get" ? JSON.stringify(instanceOf(record)) : "{}" };
  });
  return objects;
}

const objects = knowingObjects();
const ask = gateway(objects);

async function create(who: Someone, name = "Loja"): Promise<Shown> {
  const answer = await ask(PATH, { method: "POST", headers: who.headers, body: JSON.stringify({ name }) });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { data: Shown }).data;
}

const errorOf = async (answer: Response) => [answer.status, ((await answer.json()) as EnglishError).error.code];

it("an error names a wrong field in the language of the page", async () => {
  const { headers } = await someone();
  const issues = [];
  for (const language of ["pt-BR", "en"]) {
    const answer = await ask(PATH, {
      method: "POST",
      headers: { ...headers, "accept-language": language },
      body: JSON.stringify({ name: "x".repeat(61) }),
    });
    issues.push(((await answer.json()) as EnglishError).error.details);
  }
  expect(issues).toEqual([
    [{ field: "name", issue: "deve ter no máximo 60 caracteres" }],
    [{ field: "name", issue: "must have at most 60 characters" }],
  ]);
});

describe("creating a connection", () => {
  it("registers its object before the answer", async () => {
    const owner = await someone();
    const made = await create(owner, "  Loja Centro ");
    expect(made).toMatchObject({
      name: "Loja Centro",
      kind: "session",
      status: "disconnected",
      status_reason: "created",
      phone: null,
      role: "owner",
    });
    expect(objects.records.find((record) => record.uuid === made.instance_id)).toEqual({
      revision: expect.any(Number),
      home: null,
      id: made.id,
      uuid: made.instance_id,
      owner_id: owner.user.id,
      name: "Loja Centro",
      kind: "session",
      subscription_active: true,
      subscription_status: "active",
      subscription_period_end: null,
      owner_suspended: false,
      settings: DEFAULT_INSTANCE_SETTINGS,
      proxy_url: null,
    });
    expect(Date.parse(made.created_at)).toBeGreaterThan(Date.now() - 60_000);
  });

  it("needs a subscription with a free place, also for concurrent requests", async () => {
    const post = (who: Someone) => ask(PATH, { method: "POST", headers: who.headers, body: JSON.stringify({ name: "A" }) });
    expect(await errorOf(await post(await someone(null)))).toEqual([402, "subscription_required"]);
    const owner = await someone(2);
    const statuses = await Promise.all([1, 2, 3, 4, 5].map(async () => (await post(owner)).status));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 201, 409, 409, 409]);
    expect(await errorOf(await post(owner))).toEqual([409, "instance_limit"]);
  });

  it("refuses bad fields by name", async () => {
    const owner = await someone();
    for (const [body, field] of [
      [{}, "name"],
      [{ name: "" }, "name"],
      [{ name: "a".repeat(61) }, "name"],
      [{ name: "a", knd: 1 }, "knd"],
      [{ name: "a", kind: "x" }, "kind"],
    ] as const) {
      const answer = await ask(PATH, { method: "POST", headers: owner.headers, body: JSON.stringify(body) });
      const { error } = (await answer.json()) as EnglishError;
      expect([answer.status, error.code, (error.details as { field: string }[])[0]?.field]).toEqual([400, "validation_error", field]);
    }
    expect(await errorOf(await ask(PATH, { method: "POST", headers: owner.headers, body: '{"name":"a","kind":"cloud_api"}' }))).toEqual([
      400,
      "validation_error",
    ]);
  });
});

describe("a connection", () => {
  it("is listed page by page, renamed and deleted, and its number is not used again", async () => {
    const owner = await someone();
    const [first, second, third] = [await create(owner, "1"), await create(owner, "2"), await create(owner, "3")];
    const page = (await (await ask(`${PATH}?limit=2`, { headers: owner.headers })).json()) as { data: Shown[]; next_cursor: string };
    expect(page.data.map((shown) => shown.name)).toEqual(["1", "2"]);
    const rest = (await (await ask(`${PATH}?limit=2&cursor=${page.next_cursor}`, { headers: owner.headers })).json()) as {
      data: Shown[];
      next_cursor: null;
    };
    expect([rest.data.map((shown) => shown.name), rest.next_cursor]).toEqual([["3"], null]);

    const renamed = await ask(`${PATH}/${first.id}`, { method: "PATCH", headers: owner.headers, body: '{"name":"outro"}' });
    expect(((await renamed.json()) as { data: Shown }).data.name).toBe("outro");
    expect(objects.records.findLast((record) => record.uuid === first.instance_id)?.name).toBe("outro");

    expect((await ask(`${PATH}/${third.id}`, { method: "DELETE", headers: owner.headers })).status).toBe(200);
    expect(objects.wiped).toContain(third.instance_id);
    expect(await errorOf(await ask(`${PATH}/${third.id}`, { headers: owner.headers }))).toEqual([404, "instance_not_found"]);
    expect((await create(owner, "4")).id).toBeGreaterThan(third.id);
    expect((await ask(`${PATH}/${second.id}`, { headers: owner.headers })).status).toBe(200);
  });

  it("does not exist for anyone else", async () => {
    const made = await create(await someone());
    const stranger = await someone();
    for (const [method, path, body] of [
      ["GET", ""],
      ["PATCH", "", '{"name":"x"}'],
      ["DELETE", ""],
      ["POST", "/connect", "{}"],
      ["GET", "/qr"],
      ["GET", "/keys"],
      ["POST", "/keys", '{"name":"x"}'],
      ["GET", "/webhook"],
      ["PUT", "/webhook", '{"url":"https://a.example"}'],
      ["GET", "/shares"],
      ["GET", "/deliveries/x"],
    ] as const) {
      const answer = await ask(`${PATH}/${made.id}${path}`, { method, headers: stranger.headers, ...(body === undefined ? {} : { body }) });
      expect([method, path, ...(await errorOf(answer))]).toEqual([method, path, 404, "instance_not_found"]);
    }
    for (const id of ["0", "x", "999999999", "1e3", made.instance_id]) {
      expect(await errorOf(await ask(`${PATH}/${id}`, { headers: stranger.headers }))).toEqual([404, "instance_not_found"]);
    }
    expect(((await (await ask(PATH, { headers: stranger.headers })).json()) as { data: unknown[] }).data).toEqual([]);
  });
});

describe("a share", () => {
  it("gives another user a role until it is removed", async () => {
    const [owner, guest] = [await someone(), await someone(null)];
    const made = await create(owner);
    const share = (body: object, who = owner) =>
      ask(`${PATH}/${made.id}/shares`, { method: "POST", headers: who.headers, body: JSON.stringify(body) });
    expect(await errorOf(await share({ email: owner.user.email, role: "viewer" }))).toEqual([400, "validation_error"]);
    expect((await share({ email: guest.user.email.toUpperCase(), role: "viewer" })).status).toBe(201);

    const seen = (await (await ask(`${PATH}/${made.id}`, { headers: guest.headers })).json()) as { data: Shown };
    expect([seen.data.role, seen.data.name]).toEqual(["viewer", "Loja"]);
    const before = objects.calls.length;
    await ask(`${PATH}/${made.id}/restart`, { method: "POST", headers: guest.headers });
    // The object decides by role; the worker only passes it on.
    expect(objects.calls.slice(before).map((call) => [call.operation, call.caller])).toEqual([
      ["instance.restart", { kind: "account", subject: guest.user.id, role: "viewer" }],
    ]);
    for (const [method, path, body] of [
      ["DELETE", ""],
      ["PATCH", "", '{"name":"x"}'],
      ["GET", "/shares"],
      ["POST", "/keys", '{"name":"x"}'],
    ] as const) {
      const answer = await ask(`${PATH}/${made.id}${path}`, { method, headers: guest.headers, ...(body === undefined ? {} : { body }) });
      expect([path, ...(await errorOf(answer))]).toEqual([path, 403, "forbidden"]);
    }

    const listed = (await (await ask(`${PATH}/${made.id}/shares`, { headers: owner.headers })).json()) as {
      data: { id: string; role: string }[];
    };
    expect(listed.data).toMatchObject([{ email: guest.user.email, role: "viewer" }]);
    const removed = `${PATH}/${made.id}/shares/${listed.data[0]?.id}`;
    expect((await ask(removed, { method: "DELETE", headers: owner.headers })).status).toBe(200);
    expect(await errorOf(await ask(`${PATH}/${made.id}`, { headers: guest.headers }))).toEqual([404, "instance_not_found"]);
    expect(await errorOf(await ask(removed, { method: "DELETE", headers: owner.headers }))).toEqual([404, "user_not_found"]);
  });
});
