// How the number is doing, and what works on it. The list of what works is drawn from the route table, so it cannot say anything else.
import type { z } from "zod";
import { FAILURE_ANSWERS } from "../../domain/failures/answers.ts";
import { LIMITS } from "../../domain/limits.ts";
import { isoOfMsOrNull, isoOfSeconds } from "../../http/times.ts";
import type { NumberHealth as HealthRecord } from "../../protocol/health.ts";
import type { OperationOutput } from "../../protocol/operations.ts";
import type { Rendering, Route } from "../route.ts";
import type { Capabilities, NumberHealth } from "../schemas/health.ts";
import { renderRestriction } from "./instance.ts";

export function renderHealth(record: HealthRecord): z.input<typeof NumberHealth> {
  const { restriction, new_chat_quota: quota } = record;
  return {
    ...record,
    restriction: restriction === null ? null : renderRestriction(restriction),
    new_chat_quota:
      quota === null ? null : { ...quota, cycle_ends_at: quota.cycle_ends_at === null ? null : isoOfSeconds(quota.cycle_ends_at) },
    last_inbound_at: isoOfMsOrNull(record.last_inbound_at),
    connected_since: isoOfMsOrNull(record.connected_since),
    checked_at: isoOfMsOrNull(record.checked_at),
    // Sessions go out directly, and only cloud numbers are rated.
    proxy: null,
    quality_rating: null,
  };
}

type Connection = OperationOutput<"instance.capabilities">;
type Support = z.input<typeof Capabilities>["routes"][number];

export function renderCapabilities(connection: Connection, { routes }: Rendering): z.input<typeof Capabilities> {
  const supports = routes.map((route) => ({ route, support: supportOf(route, connection) }));
  const features: Record<string, boolean> = {};
  for (const { route, support } of supports) {
    const feature = featureOf(route);
    features[feature] = features[feature] === true || support.supported;
  }
  return { ...connection, features, routes: supports.map(({ support }) => support), limits: limits() };
}

function supportOf({ method, path, kinds, business }: Route, { kind, is_business }: Connection): Support {
  const refusal = !kinds.includes(kind) ? "not_supported" : business && is_business === false ? "business_account_required" : null;
  const reason = refusal === null ? null : REASONS[refusal];
  return { method: method.toUpperCase(), path: `/api/v1${path}`, supported: reason === null, reason };
}

const REASONS = { not_supported: "nao_suportado", business_account_required: "exige_conta_comercial" } as const satisfies {
  [C in keyof typeof FAILURE_ANSWERS]?: Support["reason"];
};

/** The words of its path: `/messages/poll` is `messages.poll`, and `/chats/{chatId}` belongs to `chats`. */
function featureOf({ path }: Route): string {
  return path
    .split("/")
    .filter((word) => word !== "" && !word.startsWith("{"))
    .join(".");
}

/** Every limit there is, under its own name. */
function limits(): Record<string, number> {
  const named = Object.entries(LIMITS).flatMap(([name, limit]): [string, number][] =>
    typeof limit === "number"
      ? [[name, limit]]
      : Object.entries(limit).map(([part, value]): [string, number] => [`${name}_${part}`, value]),
  );
  return Object.fromEntries(named.map(([name, value]) => [snakeCase(name), value]));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
