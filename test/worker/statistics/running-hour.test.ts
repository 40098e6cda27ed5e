// The current hour in GET /api/admin/statistics.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import { setRole } from "#root/src/services/users/user-table.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";
import { theirs } from "../fakes/messages.ts";
import { type Calls, holder } from "../support/accounts.ts";
import { stored } from "./world.ts";

let admin: Calls;
beforeEach(async () => {
  vi.useFakeTimers({ now: Date.UTC(2035, 0, 1, 10, 20), toFake: ["Date"] });
  const { who, call } = await holder();
  await setRole(env.DB, who.user.id, "admin");
  admin = call;
});
afterEach(async () => {
  await allEnded();
  vi.useRealTimers();
});

const read = async (query: string) => (await admin("GET", `/admin/statistics?${query}`)).body.data;

it("the current hour is included and marked as incomplete", async () => {
  const { connection, session } = await TestConnection.connected();
  await session.commit([theirs("A")]);
  const query = `interval=hour&instance_id=${connection.uuid}`;
  const { series, messages, complete_until } = await read(query);
  expect(series.at(-1)).toMatchObject({ received: 1, complete: false });
  expect(messages.received).toBe(1);
  for (const { at, complete } of series) expect([at, complete]).toEqual([at, Date.parse(at) + HOUR_MS <= Date.parse(complete_until)]);
  await session.commit([theirs("B")]);
  expect((await read(query)).messages.received).toBe(2);
  expect((await read(`instance_id=${connection.uuid}`)).series.at(-1)).toMatchObject({ received: 2, complete: false });
});

it("the running hour lacks what more than 100 connections have counted in it", async () => {
  const { connection, session } = await TestConnection.connected();
  await session.commit([theirs("A")]);
  const owned = "FROM connection WHERE uuid = ?1";
  await env.DB.prepare(
    `INSERT INTO connection (uuid, owner_id, name, kind, created_at, updated_at)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
     SELECT 'other-' || i || ?1, (SELECT owner_id ${owned}), 'Loja', 'session', 0, 0 FROM n`,
  )
    .bind(connection.uuid)
    .run();
  await read(`interval=hour&user_id=${connection.record.owner_id}`);
  expect(await stored("hourly_count", `connection:${connection.uuid}`)).toEqual([]);
});
