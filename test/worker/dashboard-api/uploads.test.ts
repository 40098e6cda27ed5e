// Files uploaded before sending: counted, limited, and deleted after an hour.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "@gateway/domain/limits.ts";
import { mediaKey } from "@gateway/domain/media/media-link.ts";
import type { Env } from "#root/src/env.ts";
import { DAY_SECONDS } from "@gateway/protocol/units.ts";
import { accountGuardStub } from "#root/src/services/accounts/guard.ts";
import { issueToken } from "#root/src/services/identity/sessions.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";
import { type EnglishError, gateway } from "../support/gateway.ts";
import { someone } from "../support/people.ts";

const ask = gateway();
const bindings = env as unknown as Env;
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...Array<number>(92).fill(0)]);
const { lifeMs, connectionBytes, accountBytes } = LIMITS.uploads;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2035, 0, 1), toFake: ["Date"] });
});
afterEach(async () => {
  await allEnded();
  vi.useRealTimers();
});

async function world() {
  const owner = await someone();
  const connection = await TestConnection.create({ owner_id: owner.user.id });
  const authorization = `Bearer ${await issueToken(bindings, owner.user, Date.now() / 1000 + DAY_SECONDS)}`;
  const upload = async (body: Uint8Array = PNG) => {
    const url = `/api/dashboard/connections/${connection.record.id}/media`;
    const headers = { authorization, "content-type": "image/png", "content-length": String(body.length) };
    const answer = await ask(url, { method: "POST", headers, body });
    const { data, error } = (await answer.json()) as { data?: { id: string; expires_at: string } } & Partial<EnglishError>;
    return { status: answer.status, code: error?.code, data, retryAfter: Number(answer.headers.get("retry-after")) };
  };
  const isStored = async (token: string) => (await bindings.MEDIA.head(mediaKey(token))) !== null;
  const waiting = async () =>
    (await connection.sql<{ bytes: number }>("SELECT bytes FROM upload WHERE bytes > 0")).map(({ bytes }) => bytes);
  return { owner, connection, upload, isStored, waiting, guard: accountGuardStub(bindings, owner.user.id) };
}

describe("an upload", () => {
  it("is deleted after an hour, sent or not", async () => {
    const { connection, upload, isStored } = await world();
    const { status, data } = await upload();
    expect([status, data?.expires_at]).toEqual([201, "2035-01-01T01:00:00.000Z"]);
    const token = data?.id ?? "";
    await connection.after(lifeMs - 1_000);
    expect(await isStored(token)).toBe(true);
    await connection.after(1_000);
    await vi.waitFor(async () => expect(await isStored(token)).toBe(false));
  });

  it("counts like any call", async () => {
    const { owner, connection, upload, waiting } = await world();
    const caller = { kind: "account", subject: owner.user.id, role: "owner" } as const;
    await Promise.all(Array.from({ length: LIMITS.burst.requests }, () => connection.ask("instance.get", {}, { caller })));
    expect(await upload()).toMatchObject({ status: 429, code: "rate_limited" });
    expect(await waiting()).toEqual([]);
  });

  it("is limited to a connection's waiting bytes, for an hour", async () => {
    const { connection, upload, waiting } = await world();
    await connection.ask("uploads.claim", { token: "first", bytes: connectionBytes - PNG.length });
    expect((await upload()).status).toBe(201);
    await connection.after(lifeMs / 2);
    expect(await upload()).toMatchObject({ status: 429, code: "upload_limit", retryAfter: lifeMs / 2_000 });
    expect(await waiting()).toEqual([connectionBytes - PNG.length, PNG.length].toSorted((a, b) => a - b));
    await connection.after(lifeMs / 2);
    expect((await upload()).status).toBe(201);
  });

  it("is limited to an account's waiting bytes, over all its connections", async () => {
    const { upload, waiting, guard } = await world();
    expect(await guard.claimUpload("elsewhere", accountBytes)).toBeNull();
    expect(await upload()).toMatchObject({ status: 429, code: "upload_limit", retryAfter: lifeMs / 1_000 });
    expect(await waiting()).toEqual([]);
    vi.setSystemTime(Date.now() + lifeMs);
    expect((await upload()).status).toBe(201);
  });

  it("uses no capacity if it fails", async () => {
    const { upload, waiting } = await world();
    expect(await upload(new Uint8Array(0))).toMatchObject({ status: 422, code: "media_invalid" });
    expect(await waiting()).toEqual([]);
  });

  it("is not blocked by an earlier one from the future, after the clock was set back", async () => {
    const { connection, upload } = await world();
    await connection.ask("uploads.claim", { token: "first", bytes: connectionBytes });
    vi.setSystemTime(Date.now() - 1_000);
    expect((await upload()).status).toBe(201);
  });
});
