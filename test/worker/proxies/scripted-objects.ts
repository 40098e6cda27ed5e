// Connection objects that record each proxy they receive.
import { env } from "cloudflare:workers";
import type { Env } from "#root/src/env.ts";
import type { ConnectionRecord } from "@gateway/protocol/connection.ts";
import { createProxy } from "#root/src/services/proxies/change.ts";
import { runWatchdog } from "#root/src/services/watchdog/watch.ts";
import { someone } from "../support/people.ts";
import { hostName } from "./world.ts";

type Pushed = { uuid: string; proxy: string | null };

/** Objects that record pushes; those in `broken` are unreachable. `meanwhile` runs once, at the next push. */
export function scripted() {
  const told: Pushed[] = [];
  const broken = new Set<string>();
  const world = { tries: 0, meanwhile: async (): Promise<void> => undefined };
  const bindings = {
    ...env,
    CONNECTION: {
      getByName: (uuid: string) => ({
        poke: async () => undefined,
        configure: async ({ proxy_url: proxy }: ConnectionRecord) => {
          world.tries += 1;
          const { meanwhile } = world;
          world.meanwhile = async () => undefined;
          await meanwhile();
          if (broken.has(uuid)) throw new Error("away");
          told.push({ uuid, proxy });
        },
      }),
    },
    BRIDGE_POOL: { getByName: () => ({ keepBridges: async () => undefined }) },
  } as unknown as Env;
  return { bindings, told, broken, world, minute: () => runWatchdog(bindings, Date.now()) };
}

export async function proxyOf(env: Env) {
  const place = { protocol: "http", host: hostName(), port: 3128, username: null, password: null } as const;
  return createProxy(env, { label: "p", ...place, country: null, maxInstances: 1_000, isActive: true }, Date.now());
}

/** UUIDs of `count` connections on this proxy. */
export async function connectionsOn(proxyId: string | null, count: number): Promise<string[]> {
  const { user } = await someone(count);
  const uuids = Array.from({ length: count }, () => crypto.randomUUID());
  await env.DB.prepare(
    `INSERT INTO connection (uuid, owner_id, name, kind, metadata, settings, proxy_id, created_at, updated_at)
     SELECT value, ?, 'A', 'session', '{}', '{}', ?, 0, 0 FROM json_each(?)`,
  )
    .bind(user.id, proxyId, JSON.stringify(uuids))
    .run();
  return uuids;
}
