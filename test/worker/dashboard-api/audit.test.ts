// The audit log that a connection's owner can read.
import { expect, it, vi } from "vitest";
import { APP, gateway } from "../support/gateway.ts";
import { holder } from "../support/accounts.ts";
import { someone, type Someone } from "../support/people.ts";

const ask = gateway();

async function call(who: Someone, method: string, path: string, body?: object): Promise<any> {
  const sent = method === "GET" ? {} : { body: JSON.stringify(body ?? {}) };
  const answer = await ask(`/api/dashboard${path}`, { method, headers: who.headers, ...sent });
  return { status: answer.status, ...((await answer.json()) as object) };
}

async function connectionOf(owner: Someone): Promise<{ path: string; uuid: string }> {
  const made = await call(owner, "POST", "/connections", { name: "Loja" });
  return { path: `/connections/${made.data.id}`, uuid: made.data.instance_id };
}

const sorted = (acts: (string | null)[][]) => acts.map((act) => act.join(" ")).sort((a, b) => a.localeCompare(b));
const told = ({ by, act, subject }: any) => [by.email ?? by.key, act, subject];

it("the audit log lists actors and actions, newest first, from every interface", async () => {
  const account = await holder();
  const owner = account.who;
  const guest = await someone(null);
  const { path, uuid } = await connectionOf(owner);
  const { data: key } = await call(owner, "POST", `${path}/keys`, { name: "ERP" });
  const { data: share } = await call(owner, "POST", `${path}/shares`, { email: guest.user.email, role: "viewer" });
  await call(owner, "PATCH", `${path}/shares/${share.id}`, { role: "operator" });
  await call(guest, "POST", `${path}/connect`, {});
  await ask("/api/v1/instance/disconnect", { method: "POST", headers: { "x-api-key": key.key } });
  await call(owner, "PUT", `${path}/webhook`, { url: "https://hooks.example.net/a/secret/path" });
  await call(owner, "DELETE", `${path}/keys/${key.id}`);
  await account.call("PATCH", `/instances/${uuid}`, { name: "Loja Centro" });
  await call(guest, "DELETE", `${path}/shares/mine`);
  const read = async () => (await call(owner, "GET", `${path}/audit`)).data.map(told);
  // Some entries are written after the response.
  await vi.waitFor(async () => expect(await read()).toHaveLength(9));
  const [mine, theirs] = [owner.user.email, guest.user.email];
  const acts = await read();
  expect(sorted(acts)).toEqual(
    sorted([
      [mine, "key_created", "ERP"],
      [mine, "shared", theirs],
      [mine, "role_changed", theirs],
      [theirs, "connect", null],
      ["ERP", "disconnect", null],
      [mine, "webhook_set", "hooks.example.net"],
      [mine, "key_revoked", "ERP"],
      ["Test", "renamed", "Loja Centro"],
      [theirs, "left", null],
    ]),
  );
  expect(acts[0]).not.toEqual([mine, "key_created", "ERP"]);
  expect(JSON.stringify(await call(owner, "GET", `${path}/audit`))).not.toMatch(/secret\/path|svc_/);
});

it("the audit log is for the owner only, without refused or replayed calls", async () => {
  const owner = await someone();
  const guest = await someone(null);
  const { path } = await connectionOf(owner);
  await call(owner, "POST", `${path}/shares`, { email: guest.user.email, role: "operator" });
  expect([(await call(guest, "GET", `${path}/audit`)).status, (await call(guest, "POST", `${path}/keys`, { name: "X" })).status]).toEqual([
    403, 403,
  ]);
  const headers = { ...owner.headers, "idempotency-key": crypto.randomUUID() };
  const make = () => ask(`/api/dashboard${path}/keys`, { method: "POST", headers, body: JSON.stringify({ name: "Once" }) });
  expect([(await make()).status, (await make()).status]).toEqual([201, 201]);
  await vi.waitFor(async () => expect((await call(owner, "GET", `${path}/audit`)).data.map(told)).toHaveLength(2));
  expect(
    (await call(owner, "GET", `${path}/audit`)).data.map(({ act }: any) => act).sort((a: string, b: string) => a.localeCompare(b)),
  ).toEqual(["key_created", "shared"]);
});

it("the audit log names the pairing link that was made, that asked for a code, and that was revoked", async () => {
  const owner = await someone();
  const { path } = await connectionOf(owner);
  const { data: link } = await call(owner, "POST", `${path}/pairing-links`, { label: "Ana, balcão" });
  const headers = { origin: APP, "content-type": "application/json", cookie: `__Host-pairing=${link.url.split("#")[1]}` };
  const connected = await ask("/api/dashboard/pairing/connect", { method: "POST", headers, body: "{}" });
  expect(connected.status).toBe(200);
  await call(owner, "DELETE", `${path}/pairing-links/${link.id}`);
  const { data } = await call(owner, "GET", `${path}/audit`);
  expect(data.map(({ by, act, subject }: any) => [by.kind, by.email ?? by.key, act, subject])).toEqual([
    ["user", owner.user.email, "pairing_link_revoked", "Ana, balcão"],
    ["pairing_link", "Ana, balcão", "connect", null],
    ["user", owner.user.email, "pairing_link_made", "Ana, balcão"],
  ]);
  expect(JSON.stringify(data)).not.toContain(link.url.split("#")[1]);
});

it("the audit log comes in pages", async () => {
  const owner = await someone();
  const { path } = await connectionOf(owner);
  for (let n = 0; n < 5; n += 1) await call(owner, "POST", `${path}/restart`);
  const first = await call(owner, "GET", `${path}/audit?limit=3`);
  const second = await call(owner, "GET", `${path}/audit?limit=3&cursor=${first.next_cursor}`);
  expect([first.data.length, second.data.length, second.next_cursor]).toEqual([3, 2, null]);
  const ids = [...first.data, ...second.data].map(({ id }: any) => id);
  expect(ids).toEqual(ids.toSorted((a: number, b: number) => b - a));
});
