// Features that the dashboard hides for each kind of connection.
import { expect, it } from "vitest";
import { FEATURES } from "#root/src/api/dashboard/contract/connections.ts";
import { missingFeatures } from "#root/src/api/dashboard/missing-features.ts";

it("offers all of it on a paired phone, and nothing of it on a number of the Cloud API", () => {
  expect(missingFeatures("session")).toEqual([]);
  expect(missingFeatures("cloud_api")).toEqual(FEATURES);
});
