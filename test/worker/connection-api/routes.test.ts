import { expect, it } from "vitest";
import { ROUTES as ACCOUNT_ROUTES } from "#root/src/api/account/routes.ts";
import { ROUTES } from "#root/src/api/connection/routes.ts";

/** Network reads that must not be cached. */
const NEVER_CACHED = ["getChatPresence", "getPasskeyRequest", "getQrCode"];

it("the route table caches the reads of the network, except those named here", () => {
  const named = (which: (route: (typeof ROUTES)[number]) => boolean) => ROUTES.filter(which).map(({ name }) => name);
  expect(named(({ counted, cached }) => cached && !counted)).toEqual([]);
  expect(named(({ counted, cached }) => counted && !cached).toSorted()).toEqual(NEVER_CACHED);
});

it("the route table lets only administrators call a route below /admin, and no other route requires one", () => {
  const administrative = ACCOUNT_ROUTES.filter((route) => route.kind !== "public" && route.scope === "admin");
  const below = ACCOUNT_ROUTES.filter(({ path }) => path.startsWith("/admin/"));
  expect(administrative.map(({ name }) => name)).toEqual(below.map(({ name }) => name));
});

it("the route table gives every operation a unique, readable name", () => {
  const names = ROUTES.map(({ name }) => name);
  expect(names.filter((name) => !/^[a-z]+([A-Z][a-z]+)*$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

/** Read-only requests with a method other than GET. */
const READS = ["checkNumbers"];
/** DELETE requests that another call can undo. */
const REVERSIBLE = ["removeChatLabel", "unsubscribePresence"];

it("the route table says what a call does: GET reads, and DELETE destroys unless it is named here", () => {
  const reads = ROUTES.filter(({ effect }) => effect === "read").map(({ name }) => name);
  const gets = ROUTES.filter(({ method }) => method === "get").map(({ name }) => name);
  expect(reads.toSorted()).toEqual([...gets, ...READS].toSorted());
  const mild = ROUTES.filter(({ method, effect }) => method === "delete" && effect !== "destructive").map(({ name }) => name);
  expect(mild.toSorted()).toEqual(REVERSIBLE);
});
