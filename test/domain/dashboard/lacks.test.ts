// Features that the dashboard hides for each kind of connection.
import { expect, it } from "vitest";
import { FEATURES } from "#root/src/api/dashboard/contract/connections.ts";
import { missingFeatures } from "#root/src/api/dashboard/missing-features.ts";

it("a paired phone lacks no feature, and a number of the Cloud API lacks all the listed ones", () => {
  expect(missingFeatures("session")).toEqual([]);
  expect(missingFeatures("cloud_api")).toEqual(FEATURES);
});
