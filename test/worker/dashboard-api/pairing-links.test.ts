// Links with which the person holding the phone pairs it without an account.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "@gateway/domain/limits.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { allEnded, event, PHONE, TestConnection } from "../fakes/connection.ts";
import { allLeft, EventStream } from "../support/event-stream.ts";
import { APP, type EnglishError, gateway } from "../support/gateway.ts";
import { someone, type Someone } from "../support/people.ts";

const ask = gateway();
afterEach(async () => {
  vi.useRealTimers();
  await allLeft();
  await allEnded();
});

type Link = { id: string; label: string; expires_at: string; opened_at: string | null; ended: string | null; url?: string };

const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as EnglishError).error.code];
const dataOf = async <T>(answer: Response) => ((await answer.json()) as { data: T }).data;

const linksOf = ({ record }: TestConnection) => `/api/dashboard/connections/${record.id}/pairing-links`;

const makeLink = (connection: TestConnection, who: Someone, body: object = { label: "Ana, balcão" }) =>
  ask(linksOf(connection), { method: "POST", headers: who.headers, body: JSON.stringify(body) });

async function share({ record }: TestConnection, owner: Someone, role: "operator" | "viewer"): Promise<{ guest: Someone; id: string }> {
  const guest = await someone();
  const answer = await ask(`/api/dashboard/connections/${record.id}/shares`, {
    method: "POST",
    headers: owner.headers,
    body: JSON.stringify({ email: guest.user.email, role }),
  });
  return { guest, id: (await dataOf<{ id: string }>(answer)).id };
}

const setStatus = (who: Someone, status: string) =>
  env.DB.prepare("UPDATE user SET status = ? WHERE id = ?").bind(status, who.user.id).run();

/** A connection, and a pairing link for it. */
async function world(minutes = 60) {
  const owner = await someone();
  const connection = await TestConnection.create({ owner_id: owner.user.id });
  const link = await dataOf<Link & { url: string }>(await makeLink(connection, owner, { label: "Ana, balcão", minutes }));
  return { owner, connection, link, holder: new Holder(link.url.split("#")[1] ?? "") };
}

let addresses = 0;

/** The person holding the phone: has no account and uses their own browser. */
class Holder {
  readonly token: string;
  readonly address = `203.0.113.${++addresses}`;
  cookie = "";

  constructor(token: string) {
    this.token = token;
  }

  async go(method: "GET" | "POST", path: string, body: object = {}, headers: Record<string, string> = {}): Promise<Response> {
    const answer = await ask(`/api/dashboard/pairing${path}`, {
      method,
      headers: { origin: APP, cookie: this.cookie, "content-type": "application/json", "cf-connecting-ip": this.address, ...headers },
      ...(method === "GET" ? {} : { body: JSON.stringify(body) }),
    });
    const set = answer.headers.getSetCookie()[0];
    if (set !== undefined) this.cookie = set.split(";")[0] ?? "";
    return answer;
  }

  open(token = this.token): Promise<Response> {
    return this.go("POST", "", { token });
  }

  async watch(): Promise<EventStream> {
    return EventStream.from(await this.go("GET", "/stream"));
  }

  async state(): Promise<unknown> {
    return dataOf(await this.go("GET", ""));
  }
}

describe("a pairing link", () => {
  it("is created by users who may pair the number, and its token is in one response and in no storage", async () => {
    const { owner, connection, link } = await world();
    expect(link).toMatchObject({ label: "Ana, balcão", opened_at: null, ended: null });
    expect(link.url).toMatch(new RegExp(`^${APP}/pair#pair_[0-9A-Za-z]{60}$`));
    const { guest: operator } = await share(connection, owner, "operator");
    const { guest: viewer } = await share(connection, owner, "viewer");
    expect((await makeLink(connection, operator)).status).toBe(201);
    expect(await codeOf(await makeLink(connection, viewer))).toEqual([403, "forbidden"]);
    expect(await codeOf(await ask(linksOf(connection), { headers: viewer.headers }))).toEqual([403, "forbidden"]);
    const listed = await (await ask(linksOf(connection), { headers: operator.headers })).text();
    expect((JSON.parse(listed) as { data: Link[] }).data.map(({ label }) => label)).toHaveLength(2);
    const stored = JSON.stringify(await connection.sql("SELECT * FROM pairing_link"));
    for (const text of [listed, stored]) expect(text).not.toContain(link.url.split("#pair_")[1]);
  });

  it("lasts ten minutes to a day, and names its recipient", async () => {
    const { owner, connection } = await world();
    for (const body of [{ label: "x", minutes: 9 }, { label: "x", minutes: 1441 }, { label: " " }, { minutes: 60 }])
      expect(await codeOf(await makeLink(connection, owner, body))).toEqual([400, "validation_error"]);
    expect((await makeLink(connection, owner, { label: "x", minutes: 10 })).status).toBe(201);
    expect((await makeLink(connection, owner, { label: "x", minutes: 1440 })).status).toBe(201);
  });

  it("is one of at most ten valid links", async () => {
    const { owner, connection, link } = await world();
    const answers = await Promise.all(Array.from({ length: LIMITS.pairingLinks.working }, () => makeLink(connection, owner)));
    expect(answers.map(({ status }) => status).filter((status) => status !== 201)).toEqual([409]);
    await ask(`${linksOf(connection)}/${link.id}`, { method: "DELETE", headers: owner.headers });
    expect((await makeLink(connection, owner)).status).toBe(201);
  });

  it("keeps at most 50 rows, however many are created and revoked, and always the valid ones", async () => {
    const { owner, connection, link } = await world();
    for (let n = 0; n < 60; n += 1) {
      const { id } = await dataOf<Link>(await makeLink(connection, owner, { label: `n ${n}` }));
      await ask(`${linksOf(connection)}/${id}`, { method: "DELETE", headers: owner.headers });
    }
    const links = await dataOf<Link[]>(await ask(linksOf(connection), { headers: owner.headers }));
    expect(links.length).toBeLessThanOrEqual(51);
    expect(links.find(({ id }) => id === link.id)?.ended).toBeNull();
    expect(links[0]?.label).toBe("n 59");
  });

  it("is not shown again for a repeated Idempotency-Key", async () => {
    const { owner, connection } = await world();
    const twice = () =>
      ask(linksOf(connection), { method: "POST", headers: { ...owner.headers, "idempotency-key": "k" }, body: '{"label":"x"}' });
    const first = await dataOf<Link>(await twice());
    expect(await dataOf(await twice())).toEqual({ ...first, url: null });
  });

  it("is not made for a number that is connected", async () => {
    const { owner, connection } = await world();
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    await session.commit([event.open()]);
    expect(await codeOf(await makeLink(connection, owner))).toEqual([409, "already_connected"]);
  });
});

describe("the holder of a pairing link", () => {
  it("sees the label and pairs the number, without an account, which ends the link", async () => {
    const { owner, connection, link, holder } = await world();
    const opened = await holder.open();
    const [cookie] = opened.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-pairing=pair_[0-9A-Za-z]{60}; Max-Age=3600; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    const shown = { label: "Ana, balcão", expires_at: link.expires_at, ended: null, status: "disconnected", status_reason: "created" };
    expect(await dataOf(opened), "the response holds nothing else of the account").toEqual(shown);
    expect(await holder.state()).toEqual(shown);
    const bridge = await connection.bridge();
    const events = await holder.watch();
    expect(await events.next()).toEqual({ event: "status", data: { status: "disconnected", status_reason: "created" } });
    expect((await holder.go("POST", "/connect")).status).toBe(200);
    expect(await events.next()).toMatchObject({ event: "status", data: { status: "connecting" } });
    const session = await bridge.open(connection.uuid);
    await session.commit([event.qr(1)]);
    expect(await events.next()).toMatchObject({ event: "status", data: { status: "scan_qr" } });
    expect(await events.next()).toMatchObject({ event: "qr", data: { raw: "2@qr-1" } });
    await session.commit([event.paired()]);
    expect(await events.next(), "the event holds no phone").toEqual({
      event: "status",
      data: { status: "connecting", status_reason: "pairing" },
    });
    await session.commit([event.open()]);
    expect(await events.next()).toEqual({ event: "status", data: { status: "connected", status_reason: "ok" } });
    expect(await events.next()).toBeNull();
    const over = { ...shown, ended: "used", status: null, status_reason: null };
    expect(await holder.state()).toEqual(over);
    expect(await dataOf(await new Holder(holder.token).open())).toEqual(over);
    for (const [method, path] of [
      ["GET", "/stream"],
      ["POST", "/connect"],
    ] as const)
      expect(await codeOf(await holder.go(method, path))).toEqual([401, "unauthorized"]);
    const [listed] = await dataOf<Link[]>(await ask(linksOf(connection), { headers: owner.headers }));
    expect(listed).toMatchObject({ id: link.id, ended: "used", opened_at: expect.stringMatching(/Z$/) as string });
  });

  it("asks for a code instead of the QR", async () => {
    const { connection, holder } = await world();
    await holder.open();
    const bridge = await connection.bridge();
    await holder.go("POST", "/connect");
    const session = await bridge.open(connection.uuid);
    await session.commit([event.qr(1)]);
    const asked = holder.go("POST", "/code", { phone_number: PHONE });
    await session.answer("session.pairing_code", { code: "ABCD1234", expires_at: 1_900_000_000 });
    expect(await dataOf(await asked)).toMatchObject({ code: "ABCD-1234", phone_number: PHONE });
  });

  it("is told that the link was revoked", async () => {
    const { owner, connection, link, holder } = await world();
    await holder.open();
    const events = await holder.watch();
    await events.next();
    const gone = await ask(`${linksOf(connection)}/${link.id}`, { method: "DELETE", headers: owner.headers });
    expect(gone.status).toBe(200);
    expect(await events.next()).toBeNull();
    expect(await holder.state()).toMatchObject({ ended: "revoked", status: null });
    expect(await codeOf(await holder.go("POST", "/connect"))).toEqual([401, "unauthorized"]);
    const again = await ask(`${linksOf(connection)}/${link.id}`, { method: "DELETE", headers: owner.headers });
    expect(await codeOf(again)).toEqual([404, "pairing_link_not_found"]);
  });

  it("is told that the link has expired", async () => {
    vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
    const { holder } = await world(10);
    await holder.open();
    vi.setSystemTime(Date.now() + 10 * MINUTE_MS - 1_000);
    expect(await holder.state()).toMatchObject({ ended: null });
    vi.setSystemTime(Date.now() + 1_000);
    expect(await holder.state()).toMatchObject({ ended: "expired" });
    expect(await codeOf(await holder.go("POST", "/connect"))).toEqual([401, "unauthorized"]);
  });

  it.each(["viewer", null] as const)("loses it permanently when its maker becomes %s, even if the role returns", async (role) => {
    for (const looked of [true, false]) {
      const { owner, connection, link: others, holder: holderOfOthers } = await world();
      const { guest, id } = await share(connection, owner, "operator");
      const link = await dataOf<Link & { url: string }>(await makeLink(connection, guest));
      const holder = new Holder(link.url.split("#")[1] ?? "");
      await holder.open();
      const path = `/api/dashboard/connections/${connection.record.id}/shares`;
      const asOwner = (method: string, to: string, body?: object) =>
        ask(`${path}${to}`, { method, headers: owner.headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
      await (role === null ? asOwner("DELETE", `/${id}`) : asOwner("PATCH", `/${id}`, { role }));
      if (looked) await holder.state();
      expect((await asOwner("POST", "", { email: guest.user.email, role: "operator" })).status).toBe(201);
      expect([looked, await holder.state()]).toMatchObject([looked, { ended: "revoked" }]);
      expect(await codeOf(await holder.go("POST", "/connect"))).toEqual([401, "unauthorized"]);
      const listed = await dataOf<Link[]>(await ask(linksOf(connection), { headers: guest.headers }));
      expect(listed.map(({ id: one, ended }) => [one, ended])).toEqual(
        expect.arrayContaining([
          [link.id, "revoked"],
          [others.id, null],
        ]),
      );
      expect((await holderOfOthers.open()).status, "links of others are not touched").toBe(200);
    }
  });

  it("loses it permanently once it was opened while its maker was suspended", async () => {
    const { owner, connection } = await world();
    const { guest } = await share(connection, owner, "operator");
    const link = await dataOf<Link & { url: string }>(await makeLink(connection, guest));
    const holder = new Holder(link.url.split("#")[1] ?? "");
    await setStatus(guest, "suspended");
    expect(await dataOf(await holder.open())).toMatchObject({ ended: "revoked", status: null });
    await setStatus(guest, "active");
    expect(await dataOf(await holder.open())).toMatchObject({ ended: "revoked", status: null });
  });

  it("loses it with whoever made it", async () => {
    const { owner, connection } = await world();
    const { guest, id } = await share(connection, owner, "operator");
    const link = await dataOf<Link & { url: string }>(await makeLink(connection, guest));
    const holder = new Holder(link.url.split("#")[1] ?? "");
    await holder.open();
    const events = await holder.watch();
    await events.next();
    const path = `/api/dashboard/connections/${connection.record.id}/shares/${id}`;
    await ask(path, { method: "DELETE", headers: owner.headers });
    expect(await events.next()).toBeNull();
    expect(await holder.state()).toMatchObject({ ended: "revoked" });
    expect(await codeOf(await holder.go("POST", "/code", { phone_number: PHONE }))).toEqual([401, "unauthorized"]);
  });
});

describe("a stranger", () => {
  it("is blocked after 20 wrong tokens, unlike holders of a valid one", async () => {
    const { holder } = await world();
    const guesser = new Holder("");
    const wrong = ["", "pair_x", `pair_${"0".repeat(60)}`, `svc_${"0".repeat(60)}`, `${holder.token.slice(0, -1)}~`];
    for (let n = 0; n < 20; n++) expect(await codeOf(await guesser.open(wrong[n % wrong.length]))).toEqual([401, "unauthorized"]);
    const blocked = await guesser.open("pair_x");
    expect([...(await codeOf(blocked)), blocked.headers.get("retry-after")]).toEqual([429, "too_many_attempts", expect.any(String)]);
    guesser.cookie = "__Host-pairing=pair_x";
    expect(await codeOf(await guesser.go("GET", ""))).toEqual([429, "too_many_attempts"]);
    expect((await holder.open()).status, "the holder of a valid link is not blocked").toBe(200);
  });

  it("gets nothing without a token, and nothing from another site", async () => {
    const { holder } = await world();
    const stranger = new Holder("");
    expect(await stranger.state()).toBeNull();
    for (const [method, path] of [
      ["GET", "/stream"],
      ["POST", "/connect"],
    ] as const)
      expect(await codeOf(await stranger.go(method, path))).toEqual([401, "unauthorized"]);
    expect(await codeOf(await holder.go("POST", "", { token: holder.token }, { origin: "https://evil.example" }))).toEqual([
      403,
      "forbidden",
    ]);
    await holder.open();
    expect(await codeOf(await holder.go("POST", "/connect", {}, { origin: "https://evil.example" }))).toEqual([403, "forbidden"]);
  });

  it("finds nothing: no response is stored, indexed or leaked in a referrer", async () => {
    const { holder } = await world();
    const lines = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const answers = [await holder.open(), await holder.go("GET", ""), await holder.go("GET", "/stream"), await holder.open("pair_x")];
    const names = ["cache-control", "x-robots-tag", "referrer-policy"];
    for (const answer of answers) {
      const [stored, robots, referrer] = names.map((name) => answer.headers.get(name));
      expect([stored, robots, referrer]).toEqual(["no-store", "noindex", "no-referrer"]);
      await answer.body?.cancel();
    }
    expect(JSON.stringify(lines.mock.calls)).not.toContain(holder.token.slice(5));
    lines.mockRestore();
  });
});
