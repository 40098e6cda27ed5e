// Getting in: by e-mail and password, by an outside issuer, and again when the session has ended under one's hands.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openBrowser } from "../../support/browser.ts";
import { Dashboard, useDashboard } from "../../support/dashboard/dashboard.ts";
import { startIssuer } from "../../support/identity/issuer-server.ts";
import { startSandbox } from "../../support/sandbox.ts";

// Attempts to sign in are counted for the address: not in a sandbox that others use.
const dashboard = useDashboard([]);

const alerts = (page: Page) => page.getByRole("alert").filter({ hasText: /./ });

async function fill(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Senha", { exact: true }).fill(password);
}

async function signIn(page: Page, { email, password }: { email: string; password: string } = dashboard().ready.demo): Promise<void> {
  await fill(page, email, password);
  await page.getByRole("button", { name: "Entrar" }).click();
}

it("S1 returns to the address that was asked for, and to no other site", async () => {
  const asked = `/connections/${dashboard().ready.demo.connection.id}/settings?part=people`;
  const { page } = await dashboard().visit(asked, { as: null });
  await page.getByRole("heading", { level: 1, name: "Entre no painel" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/sign-in");
  await fill(page, dashboard().ready.demo.email, dashboard().ready.demo.password);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**${asked}`);
  await page.getByRole("heading", { level: 1 }).waitFor();

  for (const foreign of ["https://example.com/", "//example.com", "/\\example.com"]) {
    await page.goto(`/sign-in?to=${encodeURIComponent(foreign)}`);
    await page.waitForURL("**/connections");
  }
});

it("S2 a wrong password and an unknown address look alike", async () => {
  const look = async (email: string) => {
    const { page, trouble } = await dashboard().visit("/sign-in", { as: null });
    trouble.expect(/401/);
    await signIn(page, { email, password: "a wrong password" });
    await alerts(page).waitFor();
    // Nothing but what was typed differs.
    const shown = await page.locator("main").innerText();
    return { shown, markup: (await page.locator("main").innerHTML()).replaceAll(email, "") };
  };
  const known = await look(dashboard().ready.demo.email);
  const unknown = await look("nobody@example.com");
  expect(known.shown).toContain("E-mail ou senha não conferem.");
  expect(unknown).toEqual(known);
});

it("S2 a link by mail is promised to every address in the same words", async () => {
  const { page } = await dashboard().visit("/sign-in", { as: null });
  for (const email of [dashboard().ready.demo.email, "nobody@example.com"]) {
    await page.goto("/forgot");
    await page.getByLabel("E-mail").fill(email);
    await page.getByRole("button", { name: "Enviar link" }).click();
    await page.getByText(`Se ${email} puder ser usado, um e-mail com o link está a caminho.`).waitFor();
    await page.getByRole("button", { name: /Enviar de novo em \d+ s/ }).waitFor();
  }
  await page.goto("/sign-up");
  await page.getByLabel("Seu nome").fill("Ana");
  await page.getByLabel("E-mail").fill(dashboard().ready.demo.email);
  await page.getByRole("button", { name: "Enviar link" }).click();
  await page.getByText("um e-mail com o link está a caminho").waitFor();
  expect(new URL(page.url()).search).toBe("");
});

it("S3 password managers find the fields and fill them", async () => {
  const { page } = await dashboard().visit("/sign-in", { as: null });
  const { email, password } = dashboard().ready.demo;
  // As they do: by what the fields say they are for, in one form, without a key pressed.
  await page.locator("form input[autocomplete=username][type=email]").waitFor();
  await page.evaluate(
    ([user, secret]) => {
      const form = document.querySelector("form:has(input[autocomplete=username]):has(input[autocomplete=current-password])");
      const put = (selector: string, value: string) => {
        const field = form?.querySelector<HTMLInputElement>(selector);
        if (field === null || field === undefined) throw new Error(`no ${selector}`);
        field.value = value;
        field.dispatchEvent(new Event("input", { bubbles: true }));
        field.dispatchEvent(new Event("change", { bubbles: true }));
      };
      put("input[autocomplete=username]", user);
      put("input[autocomplete=current-password][type=password]", secret);
    },
    [email, password] as const,
  );
  await page.getByRole("button", { name: "Mostrar senha" }).click();
  expect(await page.getByLabel("Senha", { exact: true }).inputValue()).toBe(password);
  expect(await page.locator("input[autocomplete=current-password]").getAttribute("type")).toBe("text");
  await page.getByRole("button", { name: "Ocultar senha" }).click();
  await page.getByRole("button", { name: "Entrar" }).click();
  await page.waitForURL("**/connections");
});

it("signs out, and leaves nothing of the session behind", async () => {
  const { page } = await dashboard().visit("/sign-in", { as: null });
  await signIn(page);
  await page.waitForURL("**/connections");
  await page.getByRole("button", { name: /Conta e preferências/ }).click();
  await page.getByRole("button", { name: "Sair" }).click();
  await page.getByText("Você saiu.").waitFor();
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Entre no painel" }).waitFor();
  expect(await page.context().cookies()).toEqual([]);
});

it("S4 with an issuer there is its button alone, and no password field", async () => {
  const outside = await startIssuer("Acme");
  const [sandbox, browser] = await Promise.all([startSandbox([], outside.settings), openBrowser()]);
  try {
    outside.signsInFor(sandbox.ready().app_url);
    const other = new Dashboard(sandbox, browser);
    const { page, trouble } = await other.visit("/account", { as: null });
    // The issuer is another site.
    trouble.expect(/^asked for http:\/\/127\.0\.0\.1/, new RegExp(outside.settings["IDENTITY_ISSUER"] ?? "-"));
    const button = page.getByRole("link", { name: "Entrar com Acme" });
    for (const path of ["/sign-up", "/forgot", "/account"]) {
      await page.goto(path);
      await button.waitFor();
      expect(await page.locator("input").count(), path).toBe(0);
    }
    await button.click();
    await page.waitForURL("**/account");
    await page.getByRole("button", { name: /Conta e preferências/ }).waitFor();
    await other.closeVisits();
  } finally {
    await browser.close();
    await sandbox.dispose();
    await outside.close();
  }
});

it("S5 a session that ends asks for the password over the page, and what was typed survives", async () => {
  const { page, context, trouble } = await dashboard().visit(`/connections/${dashboard().ready.demo.connection.id}/integrations?add=key`, {
    as: null,
  });
  await signIn(page);
  const name = page.getByLabel("Nome da chave");
  const send = page.getByRole("dialog").getByRole("button", { name: "Gerar chave" });
  await name.fill("Loja Centro");
  await context.clearCookies();
  trouble.expect(/401/);
  await send.click();
  const again = page.getByRole("dialog", { name: "Sua sessão terminou" });
  await again.waitFor();
  // Only signing in ends it.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await again.getByLabel("Senha", { exact: true }).fill(dashboard().ready.demo.password);
  await page.keyboard.press("Enter");
  await again.waitFor({ state: "hidden" });
  expect(await name.inputValue()).toBe("Loja Centro");
  await send.click();
  await page.getByRole("dialog", { name: /“Loja Centro” gerada/ }).waitFor();
  await page.getByRole("button", { name: "Guardei" }).click();
});

it("says how long to wait after too many attempts", async () => {
  const { page, trouble } = await dashboard().visit("/sign-in", { as: null });
  trouble.expect(/401|429/);
  for (let attempt = 0; attempt < 12; attempt += 1) {
    const answered = page.waitForResponse("**/api/auth/sign-in/email");
    await signIn(page, { email: "nobody@example.com", password: `guess ${attempt}` });
    if ((await answered).status() === 429) break;
  }
  const wait = await alerts(page)
    .getByText(/Tente de novo em \d+ s\./)
    .innerText();
  expect(Number(/\d+/.exec(wait)?.[0])).toBeLessThanOrEqual(60);
  await alerts(page).getByText("Id da requisição").waitFor();
});
