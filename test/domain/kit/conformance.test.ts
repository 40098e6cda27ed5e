// Runs the packages/conformance cases against the TypeScript SDK.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import listening from "@gateway/conformance/listening.json" with { type: "json" };
import paths from "@gateway/conformance/paths.json" with { type: "json" };
import retries from "@gateway/conformance/retries.json" with { type: "json" };
import { listeningCase, type Listening, pathCase, retryCase, type Retry, signatureCase } from "@gateway/conformance/runner.ts";
import signatures from "@gateway/conformance/signatures.json" with { type: "json" };
import * as sdk from "@gateway/sdk";
import { fileCheckpoint } from "@gateway/sdk/checkpoint";
import * as webhooks from "@gateway/sdk/webhooks";

const kit = { ...sdk, ...webhooks };

it.each(signatures)("a signature, $scheme: $name", async (each) => {
  const { found, expected } = await signatureCase(kit, each);
  expect(found).toEqual(expected);
});

it.each(paths)("an id in a path: $name", async (each) => {
  const { found, expected } = await pathCase(kit, each);
  expect(found).toEqual(expected);
});

it.each(retries as Retry[])("retries: $name", async (each) => {
  const { found, expected } = await retryCase(kit, each);
  expect(found).toEqual(expected);
});

describe.each(["connection", "account"] as const)("a listener of the API %s", (api) => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "listen-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each(listening as Listening[])("$name", async (each) => {
    const { found, expected } = await listeningCase(kit, api, each, () => fileCheckpoint(join(folder, "place")));
    expect(found).toEqual(expected);
  });
});

it("a parsed body is refused with an explanation of how to get the raw one", async () => {
  const parsed = { id: "msg_1" } as unknown as string;
  await expect(webhooks.verifyConnectionWebhook(parsed, {}, "whsec_AA==")).rejects.toThrow(/raw/);
  const request = new Request("https://shop.example/hook", { method: "POST", body: "{}" });
  await request.text();
  await expect(webhooks.verifyConnectionWebhook(request, "whsec_AA==")).rejects.toThrow(/read before/);
});
