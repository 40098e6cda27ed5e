import { expect, it } from "vitest";
import type { Route } from "#root/src/api/account/routes.ts";
import { ROUTES } from "#root/src/api/account/routes.ts";
import { ACCOUNT_ROUTE_INDEX } from "../../support/documentation/account-route-index.ts";

/** Whom the route lets in, in the index's words. */
function whoOf(route: Route): string {
  if (route.kind === "public") return "none";
  if (route.scope === "admin") return "admin";
  return route.kind === "action" && route.bearerOnly ? "bearer" : "user";
}

it("is exactly the route index: statuses, credentials and idempotency", () => {
  const table = ROUTES.map((route) => ({
    method: route.method.toUpperCase(),
    path: route.path,
    status: route.status,
    idempotent: route.mutating,
    who: whoOf(route),
  }));
  const sorted = (rows: readonly { method: string; path: string }[]) =>
    rows.toSorted((a, b) => `${a.path} ${a.method}`.localeCompare(`${b.path} ${b.method}`));
  expect(sorted(table)).toEqual(sorted(ACCOUNT_ROUTE_INDEX));
});
