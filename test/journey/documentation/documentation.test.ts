// Runs every example of the Connection API's documents as served.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customer, person } from "../../support/clients.ts";
import { parseCurl, runCurl } from "../../support/documentation/curl.ts";
import { DocumentedShop } from "../../support/documentation/documented-shop.ts";
import { eventually } from "../../support/eventually.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

let sandbox: SharedSandbox;
let world: DocumentedShop;
beforeAll(async () => {
  sandbox = await borrowSandbox();
  world = await DocumentedShop.open(sandbox);
});
afterAll(async () => {
  await world.close();
  await sandbox.dispose();
});

const page = async (path: string) => (await fetch(sandbox.ready().app_url + path)).text();
const commandsIn = (blocks: Iterable<RegExpMatchArray>) =>
  [...blocks].map(([, text = ""]) => text.trim()).filter((text) => text.startsWith("curl ") && text.includes("/api/v1/"));

async function documented() {
  const text = await page("/llms.txt");
  const document = JSON.parse(await page("/docs/connection.json")) as {
    info: { description: string };
    paths: Record<string, Record<string, { "x-example-answers"?: string }>>;
  };
  return {
    // Excludes the guides, because a separate journey runs their code.
    commands: commandsIn(text.replace(document.info.description, "").matchAll(/^```sh\n([\s\S]*?)^```$/gm)),
    document,
  };
}

/** Examples that start or end a session run last, on a disposable connection. */
const LIFE = /\/instance\/(qr|pairing-code|passkey|connect|disconnect|restart)'/;

describe("the documents", () => {
  it("show at least one example of every route", async () => {
    const { commands, document } = await documented();
    const routes = Object.entries(document.paths).flatMap(([path, item]) => Object.keys(item).map((method) => ({ method, path })));
    const asked = commands.map((command) => parseCurl(command, { API_KEY: "key" }));
    const missing = routes.filter(({ method, path }) => {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
      return !asked.some((curl) => curl.method === method.toUpperCase() && pattern.test(new URL(curl.url).pathname));
    });
    expect(missing).toEqual([]);
  });

  it("have examples that work as described", async () => {
    const { commands, document } = await documented();
    const variables = { API_KEY: world.shop.key };
    const wrong: string[] = [];
    const examples = [...new Set(commands)].filter((command) => !LIFE.test(command));
    expect(examples.length).toBeGreaterThan(100);
    for (const command of examples) {
      const curl = parseCurl(await world.realised(command), variables);
      const sample = parseCurl(command, variables);
      const promised = Object.entries(document.paths).find(
        ([path, item]) =>
          item[sample.method.toLowerCase()] !== undefined &&
          new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(new URL(sample.url).pathname),
      )?.[1][sample.method.toLowerCase()]?.["x-example-answers"];
      const { status, body } = await runCurl(curl);
      const seen = status === 200 ? undefined : (body.error?.codigo as string);
      if (seen !== promised) wrong.push(`${curl.method} ${curl.url} answered ${status} ${JSON.stringify(body)}`);
    }
    expect(wrong.join("\n")).toBe("");
  });

  it("have examples that take a number from its QR code to its deletion", async () => {
    const { commands } = await documented();
    const owner = await person(sandbox.ready());
    const { id } = (await owner.call("POST", "/connections", { name: "New" })).body.data as { id: number };
    const key = (await owner.call("POST", `/connections/${id}/keys`, { name: "docs" })).body.data.key as string;
    const run = async (route: string) => {
      const command = commands.find((text) => text.includes(`/instance/${route}'`)) ?? "";
      const answer = await runCurl(parseCurl(command, { API_KEY: key }));
      return [route, answer.status, answer.body.error?.codigo ?? null];
    };
    expect(await run("connect")).toEqual(["connect", 200, null]);
    const scannable = () => customer(sandbox.ready(), key).get("/instance/qr");
    await eventually("a QR", 60_000, async () => (await scannable()).status === 200);
    expect(await run("qr")).toEqual(["qr", 200, null]);
    expect(await run("pairing-code")).toEqual(["pairing-code", 200, null]);
    // No phone has scanned the QR code, so none has requested its account's passkey.
    expect(await run("passkey")).toEqual(["passkey", 409, "chave_de_acesso_nao_pedida"]);
    expect(await run("restart")).toEqual(["restart", 200, null]);
    expect(await run("disconnect")).toEqual(["disconnect", 200, null]);
  });
});
