import { featureOf, renderLimits } from "#root/src/http/number-health.ts";
import type { FieldRules, ConnectionKind, OperationOutput } from "@gateway/protocol/operations.ts";
import type { RouteSummary } from "../responses.ts";

type Number = OperationOutput<"instance.capabilities">;
type Refusal = "not_supported" | "business_account_required";

type Supported = { changes: boolean; supported: boolean };

/** `prefix` is prepended to every path. `base` says where a number's paths start. */
type Naming<R> = { prefix: string; base: string; reasons: Readonly<Record<Refusal, R>> };

export function renderCapabilities<R>(number: Number, routes: readonly RouteSummary[], { prefix, base, reasons }: Naming<R>) {
  const named: (Supported & { feature: string })[] = [];
  const shown = routes.flatMap(({ method, path, kinds, fields = {}, business = false }) => {
    if (kinds === undefined || !path.startsWith(base)) return [];
    const refusal = refusalOf({ kinds, business }, number);
    named.push({ feature: featureOf(path.slice(base.length)), changes: method.toUpperCase() !== "GET", supported: refusal === null });
    return [
      {
        method: method.toUpperCase(),
        path: prefix + path,
        supported: refusal === null,
        reason: refusal === null ? null : reasons[refusal],
        unsupported_fields: refusal === null ? unsupportedFields(fields, number.kind) : [],
      },
    ];
  });
  const features = Object.fromEntries(
    [...Map.groupBy(named, ({ feature }) => feature)].map(([feature, ofFeature]) => [feature, works(ofFeature)]),
  );
  return { ...number, features, routes: shown, limits: renderLimits(number.kind) };
}

/** A feature with changes is supported only if at least one changing route is. Routes that only read settings are not enough. */
function works(routes: readonly Supported[]): boolean {
  const changes = routes.filter((route) => route.changes);
  return (changes.length > 0 ? changes : routes).some(({ supported }) => supported);
}

function refusalOf({ kinds, business }: { kinds: readonly string[]; business: boolean }, { kind, is_business }: Number): Refusal | null {
  if (!kinds.includes(kind)) return "not_supported";
  return business && is_business === false ? "business_account_required" : null;
}

/** Fields that are never accepted for this kind of number. */
function unsupportedFields(fields: FieldRules, kind: ConnectionKind): string[] {
  return Object.entries(fields).flatMap(([field, rule]) => (rule.kinds.includes(kind) || rule.partly === true ? [] : [field]));
}
