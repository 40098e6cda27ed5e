// `gateway trigger` for each type of event, as a customer's CI job uses it: `pair`, `listen --until TYPE`, `trigger TYPE`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connectionEventTypes } from "@gateway/sdk";
import type { Cli } from "../../support/kit/cli.ts";
import { cliOf } from "../../support/kit/own-sandbox.ts";
import { pairConnection } from "../../support/paired-connection.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

const SHOP = "5511970000113";

/** The dashboard's own test of a webhook, which no listener receives. */
const NOT_TRIGGERED = new Set(["webhook.test"]);

let sandbox: SharedSandbox;
let folder: string;
let cli: Cli;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trigger-"));
  sandbox = await borrowSandbox();
  const { key } = await pairConnection(sandbox.ready(), SHOP, { name: "Loja", business: true });
  cli = cliOf(folder, sandbox.ready(), { phone: SHOP, key });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await sandbox.dispose();
});

it.each(connectionEventTypes.filter((type) => !NOT_TRIGGERED.has(type)))("trigger makes the sandbox deliver %s", async (type) => {
  expect((await cli.run("pair")).code).toBe(0);
  const listening = cli.start("listen", "--until", type, "--timeout", "120");
  await listening.shows("Ready");
  const triggered = await cli.run("trigger", type);
  expect(triggered).toEqual({ code: 0, out: `triggered ${type}\n`, err: "" });
  const { code, out, err } = await listening.ended();
  expect(code, out + err).toBe(0);
});
