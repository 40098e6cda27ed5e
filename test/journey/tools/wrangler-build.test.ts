// The uploaded bundle starts. Esbuild once dropped a package's initialization call from this bundle, but not from the sandbox's.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type DeployedWorker, startDeployedWorker } from "../../support/deployment/deployed-worker.ts";
import { DEPLOYMENT_SECRETS, ROOT, wranglerBuild } from "../../support/deployment/wrangler-build.ts";

const folder = mkdtempSync(join(tmpdir(), "gateway-deployed-"));
let worker: DeployedWorker;

beforeAll(async () => {
  await wranglerBuild(join(folder, "build"));
  worker = await startDeployedWorker({ clone: ROOT, folder, secrets: DEPLOYMENT_SECRETS });
});
afterAll(async () => {
  await worker?.dispose();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

it("the worker starts as built by wrangler, and responds", async () => {
  expect(await worker.ask("/api/health")).toMatchObject({ status: 200, body: { status: "ok" } });
});

it("the worker answers a wrong call in both languages", async () => {
  const portuguese = await worker.ask("/api/v1/chats");
  const english = await worker.ask("/api/me");
  expect([portuguese.status, english.status]).toEqual([401, 401]);
});

it("the worker loads the identity provider on first use", async () => {
  expect(await worker.ask("/api/auth/get-session")).toMatchObject({ status: 200, body: null });
});

it("the worker serves the documents with its own addresses", async () => {
  const { status, body } = await worker.ask("/docs/connection.json");
  expect([status, (body as { servers: unknown }).servers]).toEqual([200, [{ url: "https://app.example.com" }]]);
});
