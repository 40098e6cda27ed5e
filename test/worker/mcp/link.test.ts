// Consent by the page of a link, for clients without forms (docs/use/mcp.md, "Policy of a key").
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { makeKey } from "@gateway/domain/keys/api-key.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { issueToken } from "#root/src/services/identity/sessions.ts";
import { findUser } from "#root/src/services/users/user-table.ts";
import { allEnded, OTHER } from "../fakes/connection.ts";
import { taken, theirs } from "../fakes/messages.ts";
import { APP, gateway } from "../support/gateway.ts";
import { someone } from "../support/people.ts";
import { assistant, client, stateless } from "./client.ts";

const CHAT = `${OTHER}@c.us`;
const LINK = new RegExp(`${APP}/connections/(\\d+)/confirmations/([\\w-]{43})(?= )`);

type Asked = { key: string; accepted: boolean | null; expires_at: string; change: object | null } | null;
type Result = { isError?: true; content: { text: string }[]; structuredContent?: { facts: { message_id: string } } };

const ask = gateway();
const hello = () => ({ chat_id: CHAT, text: "Olá!", request_id: crypto.randomUUID() });
const headersOf = (token: string) => ({ authorization: `Bearer ${token}`, "content-type": "application/json" });

afterEach(async () => {
  vi.useRealTimers();
  await allEnded();
});

/** An assistant without forms, to whom OTHER has just written. `old`: of a protocol version that has none. */
async function withoutForms() {
  const made = await assistant();
  await made.session.commit([theirs("3EB0A1B2C3D4E5F60718")]);
  const send = async (args: object, { name = "send_text", old = false, by = made.request } = {}) =>
    (await by("tools/call", { name, arguments: args, ...(old ? {} : stateless(false)) })).result as Result;
  const textOf = ({ content }: Result) => content[0]?.text ?? "";
  const linkOf = (result: Result) => {
    const [, connection = "", id = ""] = LINK.exec(textOf(result)) ?? [];
    expect(Number(connection), textOf(result)).toBe(made.connection.record.id);
    return id;
  };
  const owner = await findUser((env as Env).DB, made.connection.record.owner_id);
  const token = await issueToken(env as Env, owner!, Math.floor(Date.now() / 1000) + 3_600);
  const page = async (id: string, accept?: boolean, headers = headersOf(token)) => {
    const init = accept === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify({ accept }) };
    const answer = await ask(`/api/dashboard/connections/${made.connection.record.id}/confirmations/${id}`, init);
    const body = (await answer.json()) as { data: Asked; error?: { code: string } };
    return body.error?.code ?? body.data;
  };
  const reached = () => made.session.commands.filter((name) => name === "send");
  return { ...made, send, textOf, linkOf, page, reached, ownerHeaders: headersOf(token) };
}

describe("a link's page", () => {
  it("shows the whole change; once confirmed, the repeated call sends it, and only once", async () => {
    const { connection, session, send, linkOf, page, reached } = await withoutForms();
    const args = { ...hello(), text: "Olá!\nSegunda linha \u202Eoculta" };
    const id = linkOf(await send(args));
    await connection.evict();
    expect(await page(id)).toEqual({
      key: "assistant",
      accepted: null,
      expires_at: expect.any(String),
      change: {
        tool: "send_text",
        given: { text: "Olá!\nSegunda linha \\u{202e}oculta" },
        chat_id: CHAT,
        name: "Bia",
        phone: OTHER,
      },
    });
    expect(linkOf(await send(args))).toBe(id);
    expect(await page(id, true)).toMatchObject({ accepted: true, change: null });
    expect(reached()).toEqual([]);
    await connection.evict();
    expect(await connection.sql("SELECT change FROM assistant_confirmation")).toEqual([{ change: null }]);
    const sending = send(args);
    const { content, message_id } = await taken(session);
    expect(content).toMatchObject({ text: args.text });
    expect((await sending).structuredContent?.facts.message_id).toBe(message_id);
    expect((await send(args)).structuredContent?.facts.message_id).toBe(message_id);
    expect(reached()).toEqual([]);
  });

  it("shows every argument of a file send, even one from a client of an earlier version", async () => {
    const { send, linkOf, page } = await withoutForms();
    const given = { kind: "document", url: "https://example.com/a.pdf", caption: "A nota", filename: "nota.pdf" };
    const asked = await send({ chat_id: CHAT, request_id: "r1", ...given }, { name: "send_media", old: true });
    expect(asked.isError).toBe(true);
    expect(await page(linkOf(asked))).toMatchObject({ change: { tool: "send_media", given } });
  });

  it("decides once: the first decision counts, and a declined change reaches nobody", async () => {
    const { send, textOf, linkOf, page, reached } = await withoutForms();
    const args = hello();
    const id = linkOf(await send(args));
    expect(await page(id, false)).toMatchObject({ accepted: false, change: null });
    expect(await page(id, true)).toMatchObject({ accepted: false });
    for (let n = 0; n < 2; n += 1) expect(textOf(await send(args))).toMatch(/declined/);
    expect(reached()).toEqual([]);
  });

  it("decides about its own change alone: not another text, request or key", async () => {
    const { connection, session, send, textOf, linkOf, page, reached } = await withoutForms();
    const [first, second] = [hello(), hello()];
    const ids = [linkOf(await send(first)), linkOf(await send(second))];
    expect(new Set(ids).size).toBe(2);
    await page(ids[1]!, true);
    expect(linkOf(await send(first))).toBe(ids[0]);
    expect(linkOf(await send({ ...second, text: "Outro" }))).not.toBe(ids[1]);
    const other = makeKey(settingsOf(env as Env).KEY_SECRET, connection.uuid, crypto.getRandomValues(new Uint8Array(15)));
    await connection.ask("keys.create", { name: "other", prefix: other.prefix, hash: other.hash });
    expect(linkOf(await send(second, { by: client(ask, other.key).request }))).not.toBe(ids[1]);
    expect(reached()).toEqual([]);
    await page(ids[0]!, false);
    const sending = send(second);
    await taken(session);
    expect((await sending).isError).toBeUndefined();
    expect(textOf(await send(first))).toMatch(/declined/);
  });

  it("decides for nobody but people who may send from the number", async () => {
    const { connection, hash, send, linkOf, page, ownerHeaders } = await withoutForms();
    const id = linkOf(await send(hello()));
    const [viewer, operator, stranger] = [await someone(), await someone(), await someone()];
    for (const [{ user }, role] of [
      [viewer, "viewer"],
      [operator, "operator"],
    ] as const) {
      const body = JSON.stringify({ email: user.email, role });
      const shared = await ask(`/api/dashboard/connections/${connection.record.id}/shares`, {
        method: "POST",
        headers: ownerHeaders,
        body,
      });
      expect(shared.status).toBe(201);
    }
    const caller = { kind: "connection_key", hash } as const;
    expect(await connection.ask("assistant.asked", { id }, { caller })).toMatchObject({ ok: false, code: "forbidden" });
    expect(await connection.ask("assistant.decide", { id, accept: true }, { caller })).toMatchObject({ ok: false, code: "forbidden" });
    expect(await page(id, true, stranger.headers)).toBe("instance_not_found");
    expect(await page(id, true, viewer.headers)).toBe("forbidden");
    expect(await page("A".repeat(43), true)).toBe(null);
    expect(await page(id, undefined, viewer.headers)).toMatchObject({ accepted: null });
    expect(await page(id, true, operator.headers)).toMatchObject({ accepted: true });
  });
});

describe("a request for consent", () => {
  it("expires after ten minutes, decided or not, and leaves nothing behind", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { connection, send, linkOf, page, reached } = await withoutForms();
    const args = hello();
    const id = linkOf(await send(args));
    await connection.after(9 * MINUTE_MS);
    expect(linkOf(await send(args))).toBe(id);
    await connection.after(MINUTE_MS);
    expect(await connection.sql("SELECT * FROM assistant_confirmation")).toEqual([]);
    expect(await page(id, true)).toBe(null);
    linkOf(await send(args));
    await page(id, true);
    await connection.after(10 * MINUTE_MS);
    expect(await connection.sql("SELECT * FROM assistant_confirmation")).toEqual([]);
    expect(linkOf(await send(args))).toBe(id);
    expect(reached()).toEqual([]);
  });

  it("waits beside nine others of its key at most", async () => {
    const { send, textOf, linkOf, page } = await withoutForms();
    const ids: string[] = [];
    for (let n = 0; n < 10; n += 1) ids.push(linkOf(await send(hello())));
    const args = hello();
    expect(textOf(await send(args))).toMatch(/Too many changes/);
    await page(ids[0]!, false);
    linkOf(await send(args));
  });
});
