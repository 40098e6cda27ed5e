// What the dashboard leaves out on each kind of connection.
import { expect, it } from "vitest";
import { FEATURES } from "#root/src/api/dashboard/contract/connections.ts";
import { lacksOf } from "#root/src/api/dashboard/lacks.ts";

it("offers all of it on a paired phone, and nothing of it on a number of the Cloud API", () => {
  expect(lacksOf("session")).toEqual([]);
  expect(lacksOf("cloud_api")).toEqual(FEATURES);
});
