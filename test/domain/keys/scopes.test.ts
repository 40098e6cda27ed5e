import { expect, it } from "vitest";
import { scopesOfKey } from "@gateway/domain/keys/scopes.ts";

it("a key has the scopes that it names, never more than its user's, and administration only by its name", () => {
  expect(scopesOfKey(null, "user")).toEqual(["read", "send", "manage"]);
  expect(scopesOfKey(null, "admin")).toEqual(["read", "send", "manage"]);
  expect(scopesOfKey(["admin", "read"], "admin")).toEqual(["read", "admin"]);
  expect(scopesOfKey(["admin", "read"], "user")).toEqual(["read"]);
});
