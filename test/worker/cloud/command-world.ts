// Commands of a cloud number over real stores, with a Graph controlled by the test.
import type { CloudContext } from "#root/durable-objects/connection/cloud/commands/asking.ts";
import { cloudDriver } from "#root/durable-objects/connection/cloud/commands.ts";
import { createGraph } from "#root/durable-objects/connection/cloud/graph.ts";
import { GroupRequests } from "#root/durable-objects/connection/cloud/group-requests.ts";
import { CloudIdTables } from "#root/durable-objects/connection/cloud/id-tables.ts";
import { CLOUD_MIGRATIONS } from "#root/durable-objects/connection/cloud/schema.ts";
import { migrate } from "#root/durable-objects/shared/migrate.ts";
import type { CommandInput, CommandOutput, NetworkCommand } from "@gateway/protocol/commands.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { NOW, type TestStores, withStores } from "../store/world.ts";

export const NUMBER = "106540352242922";
export const PHONE = "5511900000001";
/** A group id in Meta's format. */
export const GROUP_ID = "Y2FwaV9ncm91cDox==";

type Asked = { method: string; path: string; query: Record<string, string>; json: unknown };

export type CommandWorld = TestStores & {
  /** Requests to Graph, in order. */
  asked: Asked[];
  /** Events reported by the commands. */
  reported: NetworkEvent[];
  /** Graph's next responses; a function receives the request. When none is left, Graph does not respond. */
  answers: (object | ((asked: Asked) => object))[];
  groupRequests: GroupRequests;
  ids: CloudIdTables;
  doubts: () => number;
  context: CloudContext;
  run<N extends NetworkCommand>(name: N, input: CommandInput<N>): Promise<Outcome<CommandOutput<N>>>;
};

/** A refusal by Graph, with status 400 by default. */
export const refusal = (code: number, more: object = {}) => ({
  error: { message: `(#${code}) no`, type: "OAuthException", code, fbtrace_id: "A" },
  ...more,
});

export function withCommands<T>(run: (world: CommandWorld) => T | Promise<T>): Promise<T> {
  return withStores(async (stores) => {
    migrate(stores.storage, [["cloud", CLOUD_MIGRATIONS]]);
    stores.stores.groups.setSelf(PHONE, null);
    const asked: Asked[] = [];
    const answers: CommandWorld["answers"] = [];
    const reported: NetworkEvent[] = [];
    let doubts = 0;
    const graph = createGraph({
      baseUrl: "https://graph.test",
      version: "v23.0",
      credentials: () => ({ accessToken: "EAAtoken", appSecret: "app secret" }),
      connection: "c1",
      transport: async (url, init) => {
        const { pathname, searchParams } = new URL(url);
        searchParams.delete("appsecret_proof");
        const json: unknown = typeof init.body === "string" ? JSON.parse(init.body) : null;
        const path = decodeURIComponent(pathname.slice("/v23.0".length));
        const request = { method: init.method ?? "GET", path, query: Object.fromEntries(searchParams), json };
        asked.push(request);
        const next = answers.shift();
        if (next === undefined) throw new TypeError("connection lost");
        const body = typeof next === "function" ? (next as (request: Asked) => object)(request) : next;
        return Response.json(body, { status: "error" in body ? 400 : 200 });
      },
    });
    const ids = new CloudIdTables({
      sql: stores.sql,
      lids: stores.stores.lids,
      phone: () => PHONE,
      own: () => null,
      known: () => null,
    });
    const groupRequests = new GroupRequests();
    const context: CloudContext = {
      instance: { state: { status: "connected", phone: PHONE, profileName: "Loja" } } as CloudContext["instance"],
      graph,
      number: () => ({ phoneNumberId: NUMBER }),
      ids,
      stores: stores.stores,
      groupRequests,
      files: {
        uploadHandle: async () => ({ ok: true, value: "4::handle" }),
        post: async (path, fields, { mimetype }) => {
          asked.push({ method: "POST", path: decodeURIComponent(path), query: {}, json: { ...fields, file: mimetype } });
          const next = answers.shift();
          return next === undefined ? fail("unavailable") : { ok: true, value: next };
        },
        refetch: async () => fail("media_expired"),
        copyPicture: async (url) => ({
          ok: true,
          value: { media: { token: url, mimetype: "image/jpeg" } as never, stored_at: NOW },
        }),
      },
      commit: (events, now) => {
        reported.push(...events.map(({ event }) => event));
        stores.projection.apply(events, now);
      },
      doubtCredentials: () => (doubts += 1),
      clock: () => NOW,
    };
    const driver = cloudDriver(context);
    return run({
      ...stores,
      asked,
      reported,
      answers,
      groupRequests,
      ids,
      doubts: () => doubts,
      context,
      run: (name, input) => driver.command(name, input, 25_000),
    });
  });
}
