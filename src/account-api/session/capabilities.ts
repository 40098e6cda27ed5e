// The capabilities of an instance, computed from the route table, so that they cannot contradict it.
import type { z } from "zod";
import { featureOf, renderLimits } from "../../http/number-health.ts";
import type { OperationOutput } from "../../protocol/operations.ts";
import type { Capabilities } from "../instances/schemas.ts";
import type { RouteSummary } from "../request-context.ts";

const INSTANCE = "/instances/{instanceId}/";

export function renderCapabilities(
  instance: OperationOutput<"instance.capabilities">,
  routes: readonly RouteSummary[],
): z.input<typeof Capabilities> {
  const own = routes.flatMap(({ method, path, kinds }) =>
    kinds === null || !path.startsWith(INSTANCE) ? [] : [{ method, path, supported: kinds.includes(instance.kind) }],
  );
  const features: Record<string, boolean> = {};
  for (const { path, supported } of own) {
    const feature = featureOf(path.slice(INSTANCE.length));
    features[feature] = features[feature] === true || supported;
  }
  return {
    ...instance,
    features,
    routes: own.map(({ method, path, supported }) => ({
      method,
      path: `/api${path}`,
      supported,
      reason: supported ? null : ("not_supported" as const),
    })),
    limits: renderLimits(),
  };
}
