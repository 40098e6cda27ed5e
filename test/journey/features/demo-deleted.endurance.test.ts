import { afterEach, beforeEach, expect, it } from "vitest";
import { customer, person } from "../../support/clients.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox();
});
afterEach(() => sandbox.dispose());

it("a sandbox starts again with a new demo connection when the first was deleted", async () => {
  const before = sandbox.ready().demo.connection;
  expect((await (await person(sandbox.ready())).call("DELETE", `/connections/${before.id}`)).status).toBe(200);
  await sandbox.stop();
  await sandbox.start();
  const { demo } = sandbox.ready();
  expect(demo.connection.id).not.toBe(before.id);
  expect((await customer(sandbox.ready()).text(demo.contact!.phone, "anew")).status).toBe(200);
});
