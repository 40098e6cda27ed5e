// The signature verifier of the integrations page: a pasted delivery is checked in the browser only.
import type { Page, Request } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeWebhookSecret } from "@gateway/domain/webhooks/signature.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { person } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { type Received, Receiver } from "../../support/receiver.ts";
import { ok } from "../../support/replies.ts";

const WITHIN_MS = 60_000;
const dashboard = useDashboard();
let receiver: Receiver;
let path: string;
let secret: string;
let rotated: string;
/** A test delivery from before the rotation, and one after it with two signatures. */
let [delivery, overlapping]: [Received | null, Received | null] = [null, null];

beforeAll(async () => {
  receiver = await Receiver.start();
  const owner = await person(dashboard().ready);
  const { id } = (await ok(owner.call("POST", "/connections", { name: "Conferência" }), 201)).data as { id: number };
  path = `/connections/${id}/integrations`;
  secret = (await ok(owner.call("PUT", `/connections/${id}/webhook`, { url: receiver.url }), 201)).data.secret as string;
  const test = async (signatures: number) => {
    await ok(owner.call("POST", `/connections/${id}/webhook/test`));
    const carries = ({ headers }: Received) => String(headers["webhook-signature"]).split(" ").length;
    return receiver.waitFor("a test", WITHIN_MS, (_, received) => carries(received) === signatures);
  };
  delivery = await test(1);
  rotated = (await ok(owner.call("POST", `/connections/${id}/webhook/rotate`))).data.secret as string;
  overlapping = await test(2);
});
afterAll(() => receiver.stop());

const headersOf = (received: Received | null) =>
  Object.entries(received?.headers ?? {})
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join("\n");

type Pasted = { headers?: string; body?: string; secret?: string };

async function check(page: Page, pasted: Pasted = {}): Promise<void> {
  await page.getByLabel("Cabeçalhos").fill(pasted.headers ?? headersOf(delivery));
  await page.getByLabel("Corpo").fill(pasted.body ?? delivery?.body ?? "");
  await page.getByLabel("Chave secreta").fill(pasted.secret ?? secret);
  await page.getByRole("button", { name: "Conferir", exact: true }).click();
}

it("a real delivery verifies, also by each secret while a rotation overlaps", async () => {
  const { page } = await dashboard().visit(path);
  await check(page);
  await page.getByText("Autêntica: a entrega veio deste webhook").waitFor();
  expect(await page.locator('[data-step][data-state="passed"]').count()).toBe(5);
  for (const [key, place] of [
    [rotated, "A 1ª corresponde a esta chave secreta"],
    [secret, "A 2ª corresponde a esta chave secreta"],
  ] as const) {
    await check(page, { headers: headersOf(overlapping), body: overlapping?.body ?? "", secret: key });
    await page.getByText(place).waitFor();
    await page.getByText("Autêntica: a entrega veio deste webhook").waitFor();
  }
});

it("one changed byte, an old time, a wrong secret and v1,whsec_ each get their own message, in both languages", async () => {
  const body = delivery?.body ?? "";
  const old = headersOf(delivery).replace(/webhook-timestamp: \d+/, "webhook-timestamp: 1700000000");
  const mistakes: [Pasted, string, string][] = [
    [{ body: body.replace("teste", "tests") }, "Um caractere do corpo foi alterado", "One character of the body was changed"],
    [
      { headers: old },
      "Seu servidor deve recusar entregas assinadas há mais de 5 minutos",
      "Your server must refuse anything older than 5 minutes",
    ],
    [
      { secret: makeWebhookSecret(new Uint8Array(32)) },
      "A chave secreta não é desta conexão, ou o corpo",
      "Either this is a different secret, or",
    ],
    [{ secret: `v1,${secret}` }, "Remova o “v1,” antes de whsec_", "Remove the “v1,” before whsec_"],
    [
      { body: JSON.stringify(JSON.parse(body), null, 2) },
      "O JSON é o mesmo, mas foi reformatado",
      "The JSON is the same but was rewritten",
    ],
  ];
  const { page } = await dashboard().visit(path);
  for (const [pasted, portuguese] of mistakes) {
    await check(page, pasted);
    await page.getByText("A entrega não confere.").waitFor();
    await page.getByText(portuguese).waitFor();
    expect(await page.locator('[data-state="failed"]').count()).toBeGreaterThan(0);
  }
  const { page: english } = await dashboard().visit(path, { language: "en" });
  for (const [pasted, , sentence] of mistakes) {
    await english.getByLabel("Headers").fill(pasted.headers ?? headersOf(delivery));
    await english.getByLabel("Body").fill(pasted.body ?? body);
    await english.getByLabel("Signing secret").fill(pasted.secret ?? secret);
    await english.getByRole("button", { name: "Verify", exact: true }).click();
    await english.getByText(sentence).waitFor();
  }
});

it("no request leaves the page, and the secret is not kept", async () => {
  const { page, context } = await dashboard().visit(null);
  const sent = (request: Request) => `${request.method()} ${request.url()} ${request.postData() ?? ""}`;
  // The frame's stream stays open.
  const loading = new Set<Request>();
  const byItself = new Set<string>();
  page.on("request", (request) => void (/\/stream(\?|$)/.test(request.url()) || loading.add(request)));
  page.on("request", (request) => byItself.add(sent(request)));
  page.on("requestfinished", (request) => loading.delete(request));
  page.on("requestfailed", (request) => loading.delete(request));
  // A moment after the page opens, the frame loads the code of the pages in the navigation bar.
  const codeOfNextPages = page.waitForRequest(/\/deliveries-[^/]+\.js$/);
  await page.goto(path);
  await page.getByRole("button", { name: "Enviar teste" }).waitFor();
  await codeOfNextPages;
  await eventually("what the page itself loads is there", WITHIN_MS, async () => {
    return (await page.locator("[aria-busy=true]").count()) === 0 && loading.size === 0;
  });
  // Requests that the page also made before the paste are routine refreshes: they can't contain the pasted delivery.
  const known = new Set(byItself);
  const asked: string[] = [];
  page.on("request", (request) => known.has(sent(request)) || asked.push(sent(request)));
  await check(page);
  await page.getByText("Autêntica: a entrega veio deste webhook").waitFor();
  expect(asked.filter((line) => !/\/stream\?|\/stream /.test(line))).toEqual([]);
  const places = async () =>
    (await page.evaluate(() => [JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]), location.href].join("\n"))) +
    JSON.stringify(await context.cookies());
  expect(await places()).not.toContain(secret.slice(6));
  await page.reload();
  await page.getByRole("button", { name: "Enviar teste" }).waitFor();
  expect(await page.getByLabel("Chave secreta").inputValue()).toBe("");
  expect((await page.content()) + (await places())).not.toContain(secret.slice(6));
});
