// D1 reads of a waking object: constant, regardless of the account's size.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import { readConfiguration } from "#root/src/services/account-webhooks/configuration.ts";
import { holder, instanceOf } from "../support/accounts.ts";

it("a waking object reads no other instance of its account", async () => {
  const { call } = await holder();
  const { id } = await instanceOf(call);
  await instanceOf(call);
  const hook = await call("POST", "/webhooks", { url: "https://hooks.example.net/", events: ["message.received"], instance_id: id });
  expect(hook.status).toBe(201);
  const queries: string[] = [];
  const counting = new Proxy(env.DB, {
    get(database, name) {
      if (name !== "prepare") return Reflect.get(database, name).bind(database) as unknown;
      return (query: string) => {
        queries.push(query);
        return database.prepare(query);
      };
    },
  });
  const reread = await readConfiguration({ ...(env as Env), DB: counting }, id, 0);
  expect(reread).toMatchObject({ record: { uuid: id }, endpoints: [{ url: "https://hooks.example.net/" }] });
  const ofConnections = queries.filter((query) => query.includes('from "connection"'));
  expect(ofConnections).toHaveLength(1);
  expect(ofConnections[0]).toContain('"connection"."uuid" = ?');
});
