// The live event console in a real browser: a phone's messages appear at once, pauses and hidden tabs lose nothing, and possible gaps are
// marked.
import { json } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { paced } from "../../support/dashboard/paced.ts";
import { eventually } from "../../support/eventually.ts";
import { bestOfThree } from "../../support/promised-times.ts";
import { type PairedConnection, pairConnection } from "../../support/paired-connection.ts";
import { ok } from "../../support/replies.ts";
import { promised } from "../../support/sandbox.ts";

const dashboard = useDashboard(["--no-limits"]);
const PATIENT_MS = 60_000;
const FRIEND = "5511966660002";

let connection: PairedConnection;
beforeAll(async () => {
  connection = await pairConnection(dashboard().ready, "5511966660001", { name: "Loja" });
  await phones(dashboard().ready).create(FRIEND, "Bia");
});

const say = (text: string) => ok(phones(dashboard().ready).send(FRIEND, { to: connection.phone, text }));

async function sayAll(texts: readonly string[]): Promise<void> {
  for (const text of texts) await say(text);
}

const texts = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name} ${n}`);
const address = (query = "") => `/connections/${connection.id}/events${query}`;
const row = (page: Page, text: string) => page.getByRole("button", { name: text });
/** Messages in the list, newest first. */
const listed = (page: Page, name: string) =>
  page.locator("ol > li", { hasText: new RegExp(`${name} \\d+`) }).evaluateAll((rows) => rows.map((each) => each.textContent ?? ""));

const isLive = (page: Page) => page.getByText("Ao vivo", { exact: true }).waitFor();

async function expectAccessible(page: Page): Promise<void> {
  expect(await axeViolations(page)).toEqual([]);
  expect(await sidewaysScroll(page)).toBe(0);
}

/** A headless browser is never hidden, so the page gets the browser's event, under a clock that the test controls. */
async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate(
    (state) => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
      document.dispatchEvent(new Event("visibilitychange"));
    },
    hidden ? "hidden" : "visible",
  );
}

describe("live events", () => {
  it("a message to the number appears within 1 s with its payload", async () => {
    const { page } = await dashboard().visit(address());
    await page.getByText("Aguardando o primeiro evento").waitFor();
    await page.getByText("+55 11 96666-0001").waitFor();
    await isLive(page);
    await expectAccessible(page);
    let text = "";
    await bestOfThree("the event on the page", promised(1_000, dashboard().own), async (attempt) => {
      text = `um oi ${attempt}`;
      const before = performance.now();
      await say(text);
      await row(page, text).waitFor();
      return performance.now() - before;
    });
    await row(page, text).press("Enter");
    const payload = page.getByRole("group", { name: "Conteúdo de message.received" });
    await payload.getByText(`"${text}"`).waitFor();
    await payload.getByText("push_name").waitFor();
    await expectAccessible(page);
    // The downloaded file equals the webhook's body.
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      payload.getByRole("button", { name: "Salvar como teste" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^message\.received-.*\.json$/);
    const body = (await json(await download.createReadStream())) as object;
    expect(body).toMatchObject({ type: "message.received", instance: { phone: connection.phone }, data: { text, from: FRIEND } });
  });

  it("a pause loses nothing", async () => {
    const { page } = await dashboard().visit(address());
    await isLive(page);
    await say("antes 0");
    await row(page, "antes 0").waitFor();
    await page.getByRole("button", { name: "Pausar" }).click();
    await sayAll(texts(30, "durante"));
    await page.getByText("Em pausa: 30 eventos aguardando.").waitFor();
    expect(await listed(page, "durante")).toEqual([]);
    await page.getByRole("button", { name: "Continuar (30)" }).click();
    const shown = await eventually("what came in the pause", PATIENT_MS, async () => {
      const now = await listed(page, "durante");
      return now.length === 30 && now;
    });
    expect(shown.map((text) => /durante \d+/.exec(text)?.[0])).toEqual(texts(30, "durante").toReversed());
    await page.getByRole("button", { name: "Limpar" }).click();
    await page.getByText("Aguardando o primeiro evento").waitFor();
  });

  it("20 events a second keep typing under 100 ms", async () => {
    const { page } = await dashboard().visit(address());
    await isLive(page);
    await page.evaluate(() => {
      const seen: number[] = [];
      Object.assign(globalThis, { seen });
      const entries = (list: PerformanceObserverEntryList) => {
        for (const { duration, name } of list.getEntries()) if (name === "keydown") seen.push(duration);
      };
      new PerformanceObserver(entries).observe({ type: "event", durationThreshold: 16, buffered: true } as PerformanceObserverInit);
    });
    await bestOfThree("the slowest key", promised(100, dashboard().own), async (attempt) => {
      const name = `muitos ${attempt}`;
      const flood = paced(texts(100, name), 50, say);
      const field = page.getByLabel("Buscar no conteúdo");
      await field.pressSequentially("muitos e muitos e muitos e muitos", { delay: 100 });
      await field.fill("");
      await flood;
      await eventually("all of them", PATIENT_MS, async () => (await listed(page, name)).length === 100);
      // Events shorter than 16 ms are not reported.
      return Math.max(0, ...(await page.evaluate(() => (globalThis as unknown as { seen: number[] }).seen.splice(0))));
    });
  });

  it("stop when the tab is hidden for 30 s, and resume with a mark", async () => {
    const { page, context } = await dashboard().visit(null);
    await context.clock.install();
    const opened: string[] = [];
    let ended = 0;
    page.on("request", (request) => {
      if (request.url().includes(`/connections/${connection.id}/stream`)) opened.push(request.url());
    });
    const end = (request: { url(): string }) => {
      if (request.url().includes(`/connections/${connection.id}/stream`)) ended += 1;
    };
    page.on("requestfailed", end);
    page.on("requestfinished", end);
    await page.goto(address());
    await isLive(page);
    await say("visto 0");
    await context.clock.runFor(1_000);
    await row(page, "visto 0").waitFor();
    // Excludes the test's own time.
    await context.clock.pauseAt((await page.evaluate(() => Date.now())) + 10_000);
    await setHidden(page, true);
    await context.clock.runFor(29_000);
    expect([opened.length, ended]).toEqual([1, 0]);
    await context.clock.runFor(2_000);
    await eventually("the stream is closed", PATIENT_MS, () => ended === 1);
    await context.clock.resume();
    await sayAll(texts(3, "perdido"));
    await context.clock.runFor(1_000);
    expect(await listed(page, "perdido")).toEqual([]);
    await setHidden(page, false);
    await eventually("the stream is open again", PATIENT_MS, async () => {
      await context.clock.runFor(200);
      return (await listed(page, "perdido")).length === 3;
    });
    expect(opened[1]).toContain("last_event_id=evt_");
    const order = await page
      .locator("ol > li")
      .evaluateAll((rows) => rows.map((each) => /visto 0|perdido \d|A aba ficou em segundo plano/.exec(each.textContent ?? "")?.[0]));
    expect(order.filter((text) => text !== undefined)).toEqual([
      "perdido 2",
      "perdido 1",
      "perdido 0",
      "A aba ficou em segundo plano",
      "visto 0",
    ]);
    await expectAccessible(page);
    // More events arrive than the server buffers, so the page reports a possible gap.
    await setHidden(page, true);
    await context.clock.runFor(31_000);
    await eventually("the stream is closed", PATIENT_MS, () => ended === 2);
    await sayAll(texts(120, "demais"));
    await setHidden(page, false);
    await eventually("a mark of the gap", PATIENT_MS, async () => {
      await context.clock.runFor(200);
      return (await page.getByText("Podem faltar eventos aqui").count()) === 1;
    });
    await expectAccessible(page);
    await page.getByRole("link", { name: "Ver entregas do webhook" }).click();
    await page.waitForURL(/\/deliveries$/);
  });

  it("are filtered by type and text in the address, also in English on a dark phone", async () => {
    const { page } = await dashboard().visit(address("?type=labels"), { language: "en", theme: "dark", phone: true });
    await page.getByText("Live", { exact: true }).waitFor();
    await sayAll(texts(2, "achado"));
    await page.getByText("No events match the filter.").waitFor();
    await page.getByLabel("Event type").selectOption("message.received");
    await eventually("both", PATIENT_MS, async () => (await page.locator("ol > li").count()) === 2);
    await page.getByLabel("Search content").fill("ACHADO 1");
    await eventually("one", PATIENT_MS, async () => (await page.locator("ol > li").count()) === 1);
    expect(new URL(page.url()).search).toBe("?type=message.received&q=ACHADO+1");
    await page.locator("ol > li button").first().click();
    await expectAccessible(page);
    await page.reload();
    expect(await page.getByLabel("Event type").inputValue()).toBe("message.received");
    expect(await page.getByLabel("Search content").inputValue()).toBe("ACHADO 1");
  });
});
