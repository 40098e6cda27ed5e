// Session bridges, as administrators see them.
import { z } from "@hono/zod-openapi";
import { CLIENT_VERSION, VERSION_SOURCES } from "@gateway/protocol/bridge/client-version.ts";
import { iso } from "../account/fields.ts";

export const bridgeId = z.string().min(1).max(64).openapi({ example: "eu-1" });

const count = z.number().int();

const clientVersion = z.string().regex(CLIENT_VERSION, "must be like 2.3000.1043857760").openapi({ example: "2.3000.1043857760" });

/** `null` in a field: not set. */
export const clientVersionFields = {
  version: clientVersion
    .nullable()
    .default(null)
    .openapi({ description: "All bridges announce this version and no other; null: each finds its own" }),
  max: clientVersion.nullable().default(null).openapi({ description: "Look-ups take no newer version; null: any", example: null }),
};

export const ClientVersion = z.object(clientVersionFields).openapi("ClientVersion");

export const Bridge = z
  .object({
    id: bridgeId,
    region: z.string().nullable().openapi({ description: "Where it runs, as it says itself; null when it does not", example: "eu-west" }),
    network: z.enum(["real", "local"]).openapi({ description: "`local`: the test network" }),
    build: z.string().nullable().openapi({ description: "What it runs; null for one of an earlier release", example: "2026-11-22.1" }),
    version: z
      .string()
      .nullable()
      .openapi({ description: "Its version, and that of the library that speaks to the network", example: "0.1.0 (baileys 7.0.0-rc14)" }),
    sessions: count.openapi({ description: "Sessions that it was given", example: 112 }),
    capacity: count.openapi({ description: "Sessions that it takes at most", example: 150 }),
    rss_mb: z.number().openapi({ description: "Its memory, in MB", example: 612.4 }),
    cpu: z.number().openapi({ description: "Share of one core, over the last seconds", example: 0.21 }),
    client_version: z
      .object({
        version: z.string().openapi({ example: "2.3000.1043857760" }),
        source: z.enum(VERSION_SOURCES).openapi({
          description: "`set` by an administrator or its own setting, of its `library`, or as `served` by the network's web client",
        }),
      })
      .nullable()
      .openapi({ description: "The client version that its sessions announce; null for one of an earlier release" }),
    served_version: z.string().nullable().openapi({
      description: "The newest version that it has looked up, also when it announces another one; null when there is none",
      example: "2.3000.1043857760",
    }),
    started_at: iso.nullable().openapi({ description: "By its own clock; null for one of an earlier release" }),
    draining: z.boolean().openapi({ description: "It takes no sessions, and gives away those that it has", example: false }),
    connected: z.boolean().openapi({ description: "False for the moments until it dials again, or counts as gone", example: true }),
    last_seen_at: iso,
  })
  .openapi("Bridge");

const kind = z.string().openapi({
  description: "`close`, `ack`, `iq`, `unread`, `stanza`, `unhandled`, `file`, `deaf`, `app_state`; of alarms also `away`",
  example: "close",
});
const code = z.string().openapi({ description: "The network's code, or the word that tells troubles of one kind apart", example: "405" });

export const BuildShare = z.object({
  build: z.string().min(1).max(64).openapi({ description: "As the bridges say it", example: "2026-11-22.1" }),
  percent: z.number().min(0).max(100).openapi({ description: "Of all sessions; 0 takes the build back", example: 1 }),
  instance_ids: z
    .array(z.uuid())
    .max(100)
    .openapi({ description: "Instances that belong to the build whatever the share is", example: [] }),
});

export const Fleet = z
  .object({
    sessions: count.openapi({ description: "Sessions that bridges were given", example: 1240 }),
    away: count.openapi({ description: "Linked sessions that have had no line for five minutes", example: 3 }),
    troubles: z
      .array(
        z.object({
          kind,
          code,
          total: count.openapi({ description: "Since the processes of today's bridges began", example: 17 }),
          sessions: count.openapi({ description: "Sessions that had it in the last ten minutes", example: 4 }),
        }),
      )
      .openapi({ description: "What went wrong on the network" }),
    alarms: z.array(z.object({ kind, code, sessions: count.openapi({ description: "The most at once", example: 48 }), raised_at: iso })),
    rollout: BuildShare.extend({
      changed_at: iso,
      rejected_for: z
        .string()
        .nullable()
        .openapi({ description: "The trouble for which its share was taken back by itself", example: null }),
    })
      .nullable()
      .openapi({ description: "The build that has a share of its own; null: none has" }),
  })
  .openapi("Fleet");
