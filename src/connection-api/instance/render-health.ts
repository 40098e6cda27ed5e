// What works on the connection of a key. The list is generated from the route table, so the two cannot differ.
import type { z } from "zod";
import type { FAILURE_ANSWERS } from "../../domain/failures/answers.ts";
import { featureOf, renderLimits } from "../../http/number-health.ts";
import type { OperationOutput } from "../../protocol/operations.ts";
import type { RenderContext, Route } from "../route.ts";
import type { Capabilities } from "./health-schemas.ts";

type Connection = OperationOutput<"instance.capabilities">;
type Support = z.input<typeof Capabilities>["routes"][number];

export function renderCapabilities(connection: Connection, { routes }: RenderContext): z.input<typeof Capabilities> {
  const supports = routes.map((route) => ({ route, support: supportOf(route, connection) }));
  const features: Record<string, boolean> = {};
  for (const { route, support } of supports) {
    const feature = featureOf(route.path);
    features[feature] = features[feature] === true || support.supported;
  }
  return { ...connection, features, routes: supports.map(({ support }) => support), limits: renderLimits() };
}

function supportOf({ method, path, kinds, business }: Route, { kind, is_business }: Connection): Support {
  const refusal = !kinds.includes(kind) ? "not_supported" : business && is_business === false ? "business_account_required" : null;
  const reason = refusal === null ? null : REASONS[refusal];
  return { method: METHODS[method], path: `/api/v1${path}`, supported: reason === null, reason };
}

const METHODS = { get: "GET", post: "POST", put: "PUT", patch: "PATCH", delete: "DELETE" } as const;

const REASONS = { not_supported: "nao_suportado", business_account_required: "exige_conta_comercial" } as const satisfies {
  [C in keyof typeof FAILURE_ANSWERS]?: Support["reason"];
};
