// Writes that fail once in D1: the worker repeats idempotent ones, whether or not they took effect.
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { retriedWrite } from "#root/src/db/outages.ts";
import type { Env } from "#root/src/env.ts";
import { callsWith, holder, instanceOf } from "../support/accounts.ts";
import { failingDatabase, once, PASSING_ERRORS } from "../support/failing-database.ts";
import { gateway, scriptedConnections } from "../support/gateway.ts";

const WRITE = /^\s*(?:insert|update|delete)/im;
const RETRYABLE = PASSING_ERRORS.filter((message) => !message.includes("exceeded its"));

describe.each([
  ["before it ran", false],
  ["after it ran", true],
])("a write that fails once, %s, succeeds", (_when, hasRun) => {
  /** Calls with a database whose first matching write fails. */
  const calls = async (which: RegExp = WRITE) => {
    const fault = vi.fn(once(which, { message: "Network connection lost.", hasRun }));
    const { call, token, key } = await holder(gateway({ DB: failingDatabase(env.DB, fault) } as Partial<Env>));
    const failed = () => fault.mock.results.filter(({ value }) => value !== null).length;
    return { call, token, failed, healthy: callsWith({ "x-api-key": key }) };
  };

  it("a new account key", async () => {
    const { token, healthy, failed } = await calls(/insert into "account_key"/i);
    expect((await token("POST", "/api-keys", { name: "One" })).status).toBe(201);
    expect(failed()).toBe(1);
    const names = ((await healthy("GET", "/api-keys")).body.data as { name: string }[]).map(({ name }) => name);
    expect(names.filter((name) => name === "One")).toHaveLength(1);
  });

  it("a new instance", async () => {
    const { call, healthy, failed } = await calls(/insert into "connection"/i);
    expect((await call("POST", "/instances", { name: "Loja", connect: false })).status).toBe(201);
    expect(failed()).toBe(1);
    expect((await healthy("GET", "/instances")).body.data).toHaveLength(1);
  });

  it("a changed instance", async () => {
    const { call, healthy, failed } = await calls(/update "connection" set .*"name"/i);
    const { id } = await instanceOf(healthy);
    expect((await call("PATCH", `/instances/${id}`, { name: "Nova" })).body.data.name).toBe("Nova");
    expect(failed()).toBe(1);
  });

  it("a new webhook, a changed one and a removed one", async () => {
    for (const which of [/insert into "account_webhook"/i, /update "account_webhook"/i, /delete from "account_webhook"/i]) {
      const { call, healthy, failed } = await calls(which);
      const made = await call("POST", "/webhooks", { url: "https://hooks.example.com/", events: ["message.received"] });
      expect(made.status).toBe(201);
      expect((await healthy("GET", "/webhooks")).body.data).toHaveLength(1);
      expect((await call("PATCH", `/webhooks/${made.body.data.id}`, { description: "Nova" })).body.data.description).toBe("Nova");
      expect((await call("DELETE", `/webhooks/${made.body.data.id}`)).status).toBe(200);
      expect((await healthy("GET", "/webhooks")).body.data).toEqual([]);
      expect(failed()).toBe(1);
    }
  });
});

describe("a creation with an Idempotency-Key happens once, though a step after the commit fails", () => {
  /** Calls with a database where the statement fails that matches `then`, once `first` has run; every later one too if it is an outage. */
  const calls = async (first: RegExp, then: RegExp, outage: boolean) => {
    let [committed, healed] = [false, false];
    const fault = (sql: string) => {
      const fails = committed && !healed && then.test(sql);
      if (first.test(sql)) committed = true;
      if (fails && !outage) healed = true;
      return fails ? { message: "D1 DB exceeded its CPU time limit and was reset." } : null;
    };
    const { call, key } = await holder(gateway({ DB: failingDatabase(env.DB, fault) } as Partial<Env>));
    return { call, healthy: callsWith({ "x-api-key": key }) };
  };

  it("a webhook, during an outage of D1", async () => {
    const { call, healthy } = await calls(/insert into "account_webhook"/i, /./, true);
    const wanted = { url: "https://hooks.example.com/", events: ["message.received"] };
    await call("POST", "/webhooks", wanted, { "idempotency-key": "a" });
    expect((await healthy("POST", "/webhooks", wanted, { "idempotency-key": "a" })).status).toBe(201);
    expect((await healthy("GET", "/webhooks")).body.data).toHaveLength(1);
  });

  it("an instance, when its new row cannot be read", async () => {
    const { call, healthy } = await calls(/insert into "connection"/i, /select .* from "connection"/i, false);
    const make = (ask: typeof call) => ask("POST", "/instances", { name: "Loja", connect: false }, { "idempotency-key": "a" });
    await make(call);
    expect((await make(healthy)).status).toBe(201);
    expect((await healthy("GET", "/instances")).body.data).toHaveLength(1);
  });

  it("an instance, when the webhook that was requested with it cannot be stored", async () => {
    const { call, healthy } = await calls(/insert into "connection"/i, /insert into "account_webhook"/i, false);
    const webhook = { url: "https://hooks.example.com/", events: ["message.received"] };
    const make = (ask: typeof call) => ask("POST", "/instances", { name: "Loja", connect: false, webhook }, { "idempotency-key": "a" });
    await make(call);
    expect((await make(healthy)).status).toBe(201);
    expect((await healthy("GET", "/instances")).body.data).toHaveLength(1);
    expect((await healthy("GET", "/webhooks")).body.data).toHaveLength(1);
  });

  it("an instance, when its object fails to connect", async () => {
    const { CONNECTION } = scriptedConnections(() => Promise.reject(new Error("broken")));
    const { call, key } = await holder(gateway({ CONNECTION } as Partial<Env>));
    const healthy = callsWith({ "x-api-key": key });
    const make = (ask: typeof call) => ask("POST", "/instances", { name: "Loja" }, { "idempotency-key": "a" });
    expect((await make(call)).body.data).toMatchObject({ status_reason: "unavailable" });
    expect((await make(healthy)).status).toBe(201);
    expect((await healthy("GET", "/instances")).body.data).toHaveLength(1);
  });
});

describe("a repeated write", () => {
  it.each(RETRYABLE)("succeeds at the second attempt after %s", async (message) => {
    const write = vi.fn(async () => "written").mockRejectedValueOnce(new Error(`D1_ERROR: ${message}`));
    expect(await retriedWrite(write)).toBe("written");
    expect(write).toHaveBeenCalledTimes(2);
  });

  it("ends after a few attempts", async () => {
    const failure = new Error("Failed query", { cause: new Error("D1_ERROR: Network connection lost.") });
    const write = vi.fn(() => Promise.reject(failure));
    await expect(retriedWrite(write)).rejects.toBe(failure);
    expect(write).toHaveBeenCalledTimes(4);
  });

  it.each(["UNIQUE constraint failed: user.email: SQLITE_CONSTRAINT", "D1 DB exceeded its CPU time limit and was reset."])(
    "is not repeated after %s",
    async (message) => {
      const write = vi.fn(() => Promise.reject(new Error(`D1_ERROR: ${message}`)));
      await expect(retriedWrite(write)).rejects.toThrow(message);
      expect(write).toHaveBeenCalledTimes(1);
    },
  );
});
