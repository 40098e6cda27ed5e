// A proxy responds for the gateway while the gateway is down. The open page keeps what was typed and returns by itself.
import type { Page, Route } from "playwright-core";
import { expect, it } from "vitest";
import { axeViolations } from "#root/test/support/dashboard/axe.ts";
import { useDashboard } from "#root/test/support/dashboard/dashboard.ts";

const dashboard = useDashboard(["--no-limits"]);
const DOWN = "O servidor não está respondendo.";
const BANNER = "Nada do que você digitou se perdeu.";

const demo = () => `/connections/${dashboard().ready.demo.connection.id}`;
const field = (page: Page) => page.getByRole("textbox", { name: "Escreva uma mensagem" });
/** The demo contact repeats what it receives. */
const own = (page: Page, text: string) => page.getByRole("article").filter({ hasText: text }).filter({ hasText: "pelo painel" });
const banner = (page: Page) => page.locator(".shell-body").getByText(BANNER);

/** Responds to every request as a proxy does, also to the page's own files. Returns a function that ends this. */
async function takeDown(page: Page, status: number): Promise<() => Promise<void>> {
  const act = (route: Route) => route.fulfill({ status, contentType: "text/html", body: `<h1>${status}</h1>` });
  await page.route("**/*", act);
  return () => page.unroute("**/*", act);
}

async function openChat() {
  const { ready } = dashboard();
  const { page, trouble } = await dashboard().visit(`${demo()}/chats/${ready.demo.contact?.phone}@c.us`);
  await field(page).waitFor();
  await page.getByRole("log").waitFor();
  await page.evaluate("globalThis.samePage = true");
  // The service worker's script also cannot load.
  trouble.expect(/'renew'/);
  return { page, trouble };
}

it.each([502, 503, 504])(
  "a message that got %i from a proxy stays in the chat and is sent again once the gateway is back",
  async (status) => {
    const { page, trouble } = await openChat();
    trouble.expect(new RegExp(String(status)));
    const text = `Escrita com ${status}`;
    const restore = await takeDown(page, status);
    await field(page).fill(text);
    await field(page).press("Enter");
    await banner(page).waitFor();
    // The bubble does not repeat the reason.
    await own(page, text).getByText(DOWN).waitFor({ state: "hidden" });
    await own(page, text).getByText("não enviada").waitFor();
    expect(await field(page).inputValue()).toBe("");
    expect(await axeViolations(page)).toEqual([]);
    await restore();
    await banner(page).waitFor({ state: "detached" });
    await page
      .getByRole("group", { name: `não enviada: ${text}` })
      .getByRole("button", { name: "Tentar de novo" })
      .click();
    await own(page, text).locator("[data-status=read]").waitFor();
    expect(await page.evaluate("globalThis.samePage")).toBe(true);
  },
);

it("a page that cannot load while the gateway is down opens once it is back, and a draft survives the reload", async () => {
  const { page, trouble } = await openChat();
  // React reports the page that could not load.
  trouble.expect(/502/, /TypeError: Cannot/);
  await field(page).fill("Um rascunho");
  const restore = await takeDown(page, 502);
  await page.getByRole("link", { name: "Registros" }).click();
  await page.getByRole("heading", { level: 1, name: "Não foi possível abrir esta página" }).waitFor();
  await banner(page).waitFor();
  expect(await page.evaluate("globalThis.samePage")).toBe(true);
  await page.goBack();
  await expect.poll(() => field(page).inputValue()).toBe("Um rascunho");
  await restore();
  await banner(page).waitFor({ state: "detached" });
  expect(await page.evaluate("globalThis.samePage")).toBe(true);
  await page.getByRole("link", { name: "Registros" }).click();
  // Opening the page takes a reload.
  await page.getByRole("heading", { level: 1, name: "Registros" }).waitFor();
  await page.goBack();
  await expect.poll(() => field(page).inputValue()).toBe("Um rascunho");
});

it("an unreadable response is shown even without the help text, which cannot load either", async () => {
  const { page, trouble } = await openChat();
  trouble.expect(/500/);
  await field(page).fill("Um rascunho");
  const restore = await takeDown(page, 500);
  const help = page.waitForResponse(/\/remedy-/);
  await field(page).press("Enter");
  await own(page, "Um rascunho").getByText("O servidor retornou uma resposta inesperada.").waitFor();
  expect((await help).status()).toBe(500);
  await restore();
  await page.getByRole("group", { name: "não enviada: Um rascunho" }).getByRole("button", { name: "Tentar de novo" }).click();
  await own(page, "Um rascunho").locator("[data-status=read]").waitFor();
  expect(await page.evaluate("globalThis.samePage")).toBe(true);
});
