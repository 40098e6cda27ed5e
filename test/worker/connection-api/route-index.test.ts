import { expect, it } from "vitest";
import { ROUTES } from "#root/src/api/connection/routes.ts";
import { CONNECTION_ROUTE_INDEX } from "../../support/documentation/connection-route-index.ts";

const named = ({ method, path }: { method: string; path: string }) => `${method.toUpperCase()} ${path}`;

it("is exactly the route index", () => {
  expect(ROUTES.map(named).toSorted()).toEqual(CONNECTION_ROUTE_INDEX.map(named).toSorted());
});

it("counts and caches what the index says, and nothing else", () => {
  const table = ROUTES.map((route) => [named(route), { counted: route.counted, cached: route.cached, mutating: route.mutating }] as const);
  const index = CONNECTION_ROUTE_INDEX.map(
    (row) =>
      [named(row), { counted: row.flags.includes("rr"), cached: row.flags.includes("c10"), mutating: row.flags.includes("idem") }] as const,
  );
  const wanted = Object.fromEntries(index);
  expect(Object.fromEntries(table)).toEqual(Object.fromEntries(table.map(([name]) => [name, wanted[name]])));
});

it("gives every operation a name of its own, as people say it", () => {
  const names = ROUTES.map(({ name }) => name);
  expect(names.filter((name) => !/^[a-z]+([A-Z][a-z]+)*$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

/** Requests that only ask, although their method is not GET. */
const READS = ["checkNumbers"];
/** DELETE that can be taken back by another call. */
const REVERSIBLE = ["removeChatLabel", "unsubscribePresence"];

it("says what a call does: GET reads, and DELETE destroys unless it is named here", () => {
  const reads = ROUTES.filter(({ effect }) => effect === "read").map(({ name }) => name);
  const gets = ROUTES.filter(({ method }) => method === "get").map(({ name }) => name);
  expect(reads.toSorted()).toEqual([...gets, ...READS].toSorted());
  const mild = ROUTES.filter(({ method, effect }) => method === "delete" && effect !== "destructive").map(({ name }) => name);
  expect(mild.toSorted()).toEqual(REVERSIBLE);
});
