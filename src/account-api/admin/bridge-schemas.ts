// Session bridges, as administrators see them.
import { z } from "@hono/zod-openapi";
import { iso } from "../fields.ts";

export const bridgeId = z.string().min(1).max(64).openapi({ example: "eu-1" });

const count = z.number().int();

export const Bridge = z
  .object({
    id: bridgeId,
    region: z.string().nullable().openapi({ description: "Where it runs, as it says itself; null when it does not", example: "eu-west" }),
    network: z.enum(["real", "local"]).openapi({ description: "`local`: the test network" }),
    sessions: count.openapi({ description: "Sessions that it was given", example: 112 }),
    capacity: count.openapi({ description: "Sessions that it takes at most", example: 150 }),
    rss_mb: z.number().openapi({ description: "Its memory, in MB", example: 612.4 }),
    cpu: z.number().openapi({ description: "Share of one core, over the last seconds", example: 0.21 }),
    started_at: iso.nullable().openapi({ description: "By its own clock; null for one of an earlier release" }),
    draining: z.boolean().openapi({ description: "It takes no sessions, and gives away those that it has", example: false }),
    connected: z.boolean().openapi({ description: "False for the moments until it dials again, or counts as gone", example: true }),
    last_seen_at: iso,
  })
  .openapi("Bridge");
