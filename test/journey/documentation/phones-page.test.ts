// The page on which a person moves simulated phones, in a real browser.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openBrowser } from "../../support/browser.ts";
import { person } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

let sandbox: Sandbox;
let browser: Browser;
beforeAll(async () => {
  [sandbox, browser] = await Promise.all([startSandbox(["--no-limits"]), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await sandbox.dispose();
});

it("shows who is there, takes a new phone, links a connection by the text of its QR, writes and calls", async () => {
  const ready = sandbox.ready();
  const owner = await person(ready);
  const { body } = await owner.call("POST", "/connections", { name: "By the page" });
  const path = `/connections/${body.data.id}`;
  await owner.call("POST", `${path}/connect`);
  const qr = await eventually("a QR", 60_000, async () => {
    const answer = await owner.call("GET", `${path}/qr`);
    return answer.status === 200 && (answer.body.data.raw as string);
  });

  const page = await browser.newPage();
  const troubles: string[] = [];
  page.on("pageerror", ({ message }) => troubles.push(message));
  page.on("console", (line) => line.type() === "error" && troubles.push(line.text()));
  await page.goto(`${ready.network_url}/`);
  await page.getByRole("row", { name: `${ready.demo.connection.phone} Demo Gateway` }).waitFor();

  await page.getByLabel("Number").fill("5511900000055");
  await page.getByLabel("Name").fill("Paula");
  await page.getByRole("button", { name: "Add the phone" }).click();
  await page.getByText("Added.").waitFor();
  await page.getByLabel("Text of the QR code").fill("not a QR");
  await page.getByRole("button", { name: "Link the device" }).click();
  await page.locator("#result", { hasText: /not the text of a pairing QR/ }).waitFor();
  await page.getByLabel("Text of the QR code").fill(qr);
  await page.getByRole("button", { name: "Link the device" }).click();
  await page.getByText("Linked.").waitFor();
  await page.getByRole("row", { name: "5511900000055 Paula Gateway" }).waitFor();
  await eventually("connected", 60_000, async () => (await owner.call("GET", path)).body.data.phone === "5511900000055");

  await page.getByRole("link", { name: "5511900000002" }).click();
  await page.getByLabel("To", { exact: true }).fill("5511900000055");
  await page.getByLabel("Message", { exact: true }).fill("Written by hand");
  await page.getByRole("button", { name: "Write" }).click();
  await page.getByText("Written.", { exact: true }).waitFor();
  await page.getByRole("listitem").filter({ hasText: "to 5511900000055@c.us: Written by hand" }).waitFor();
  await page.getByRole("link", { name: "5511900000055" }).click();
  await page.getByRole("listitem").filter({ hasText: "from 5511900000002: Written by hand" }).waitFor();
  await page.getByLabel("To", { exact: true }).fill("5511900000002");
  await page.getByRole("button", { name: "Call" }).click();
  await page.getByText("It rings.").waitFor();
  await page.getByRole("button", { name: "Lose the line" }).click();
  await page.getByText("Lost.").waitFor();
  // The refusal of what is no QR is told by its status too.
  expect(troubles.filter((trouble) => !trouble.includes("400"))).toEqual([]);
});
