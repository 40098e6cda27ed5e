// Signing in: by email and password, through an external issuer, and again after the session has ended during use.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openBrowser } from "../../support/browser.ts";
import { Dashboard, useDashboard } from "../../support/dashboard/dashboard.ts";
import { startIssuer } from "../../support/identity/issuer-server.ts";
import { ask } from "../../support/clients.ts";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { eventually } from "../../support/eventually.ts";
import { administrator, PASSWORD, inviteUser } from "../../support/invited-user.ts";
import { ok } from "../../support/replies.ts";
import { startSandbox } from "../../support/sandbox.ts";

// Sign-in attempts are counted per address, so other files must not share this sandbox.
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

it("a sign-in returns to the requested address, and to no other site", async () => {
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

it.each(["pt", "en"] as const)("the whole form with its button is visible on a phone on its side, in %s", async (language) => {
  const height = 390;
  const { page } = await dashboard().visit(null, { as: null, language, phone: true, options: { viewport: { width: 844, height } } });
  for (const path of ["/sign-in", "/sign-up", "/forgot"]) {
    await page.goto(path);
    const box = await page
      .getByRole("button", { name: language === "pt" ? /^(Entrar|Enviar link)$/ : /^(Sign in|Send link)$/ })
      .boundingBox();
    expect((box?.y ?? height) + (box?.height ?? 1), path).toBeLessThanOrEqual(height);
  }
});

it("a wrong password and an unknown address get the same response", async () => {
  const look = async (email: string) => {
    const { page, trouble } = await dashboard().visit("/sign-in", { as: null });
    trouble.expect(/401/);
    await signIn(page, { email, password: "a wrong password" });
    await alerts(page).waitFor();
    // Both pages differ only in the typed text.
    const shown = await page.locator("main").innerText();
    return { shown, markup: (await page.locator("main").innerHTML()).replaceAll(email, "") };
  };
  const known = await look(dashboard().ready.demo.email);
  const unknown = await look("nobody@example.com");
  expect(known.shown).toContain("E-mail ou senha incorretos.");
  expect(unknown).toEqual(known);
});

it("every address gets the same promise of an emailed link", async () => {
  const { page } = await dashboard().visit("/sign-in", { as: null });
  for (const email of [dashboard().ready.demo.email, "nobody@example.com"]) {
    await page.goto("/forgot");
    await page.getByLabel("E-mail").fill(email);
    await page.getByRole("button", { name: "Enviar link" }).click();
    await page.getByText(`Se ${email} tiver acesso a este painel, você vai receber um e-mail com o link.`).waitFor();
    await page.getByRole("button", { name: /Enviar de novo em \d+ s/ }).waitFor();
  }
  // Browsers accept this address, and the API does not.
  await page.goto("/sign-up");
  await page.getByLabel("Seu nome").fill("Ana");
  await page.getByLabel("E-mail").fill("ana@example");
  await page.getByRole("button", { name: "Enviar link" }).click();
  await page.getByText("Digite um e-mail, como ana@exemplo.com.br.").waitFor();
  for (const email of [dashboard().ready.demo.email, "a-new-customer@example.com"]) {
    await page.goto("/sign-up");
    await page.getByLabel("Seu nome").fill("Ana");
    await page.getByLabel("E-mail").fill(email);
    await page.getByRole("button", { name: "Enviar link" }).click();
    await page
      .getByText(`Enviamos um e-mail para ${email}. Se você já tem conta, o link serve para escolher uma nova senha.`, { exact: true })
      .waitFor();
    expect(new URL(page.url()).search).toBe("");
  }
});

it("password managers find the fields and fill them", async () => {
  const { page } = await dashboard().visit("/sign-in", { as: null });
  const { email, password } = dashboard().ready.demo;
  // Mimics password managers, which go by the fields' declared purpose, in one form, without key presses.
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

it("an emailed link creates an account, in the reader's language", async () => {
  const { page } = await dashboard().visit("/sign-up", { as: null });
  const email = `ana-${Date.now()}@example.com`;
  await page.getByLabel("Seu nome").fill("Ana Souza");
  await page.getByLabel("E-mail").fill(email);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Confira seu e-mail" }).waitFor();
  await page.goto(await mailedLink(email));
  await page.getByRole("heading", { level: 1, name: "Confirme seu e-mail e escolha sua senha" }).waitFor();
  expect(await page.locator("input[autocomplete=username]").inputValue()).toBe(email);
  await looksRight(page);
  await page.locator("input[autocomplete=new-password]").fill("uma senha bem longa");
  await page.getByRole("button", { name: "Definir senha" }).click();
  // A user who has just chosen the password need not type it again.
  await page.waitForURL("**/connections");
  await page.getByRole("heading", { level: 1, name: "Conexões" }).waitFor();

  const later = await dashboard().visit(null, { as: null });
  later.trouble.expect(/400/);
  await later.page.goto("/set-password?token=used");
  await later.page.getByRole("heading", { level: 1, name: "Este link não é mais válido" }).waitFor();
  await looksRight(later.page);
  await later.page.getByRole("link", { name: "Receber um novo link" }).click();
  await later.page.getByRole("heading", { level: 1, name: "Esqueci a senha" }).waitFor();
  await later.page.getByRole("link", { name: "Voltar para o login" }).click();
  await later.page.getByRole("heading", { level: 1, name: "Entre no painel" }).waitFor();
  await signIn(later.page, { email, password: "uma senha bem longa" });
  await later.page.waitForURL("**/connections");
});

/** The link in an email that the sandbox would have sent. */
function mailedLink(email: string): Promise<string> {
  return eventually(`a link for ${email}`, 60_000, async () => {
    const { body } = await ask<{ data: { to: string; text: string }[] }>(`${dashboard().url}/sandbox/mail`);
    const mail = body.data.find(({ to }) => to === email);
    return mail !== undefined && /\S+\/set-password\?token=\S+/.exec(mail.text)?.[0];
  });
}

/** Checks the gateway's own page, outside the dashboard, in both themes and widths. */
async function looksRight(page: Page): Promise<void> {
  expect(await page.locator("header img").evaluate((mark: HTMLImageElement) => mark.naturalWidth)).toBeGreaterThan(0);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect([await axeViolations(page), await sidewaysScroll(page)], `${colorScheme} ${width}`).toEqual([[], 0]);
    }
  }
}

it("a suspended account sees one page, which says what happened", async () => {
  const ready = dashboard().ready;
  const admin = await administrator(ready);
  const { email, id } = await inviteUser(ready, admin, `bia-${Date.now()}@example.com`);
  const { page, trouble } = await dashboard().visit(null, { as: null });
  await page.goto("/sign-in");
  await signIn(page, { email, password: PASSWORD });
  await page.waitForURL("**/connections");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await ok(admin("POST", `/admin/users/${id}/suspend`, { reason: "test" }));
  trouble.expect(/401|403/);
  // The notice appears during use and on a new visit.
  await page.keyboard.press("Control+k");
  await page.getByRole("heading", { level: 1, name: "Conta suspensa" }).waitFor();
  await page.getByRole("button", { name: "Verificar de novo" }).click();
  await page.getByText("A conta continua suspensa.").waitFor();
  await page.goto("/connections");
  await page.getByRole("heading", { level: 1, name: "Conta suspensa" }).waitFor();
  // Switches to another account and back.
  await page.getByRole("button", { name: "Sair", exact: true }).click();
  await page.waitForURL("**/sign-in?out=yes");
  await signIn(page, { email, password: PASSWORD });
  await page.getByRole("heading", { level: 1, name: "Conta suspensa" }).waitFor();
  await ok(admin("POST", `/admin/users/${id}/activate`, {}));
  await page.getByRole("button", { name: "Verificar de novo" }).click();
  await page.waitForURL("**/connections");
  await page.getByRole("heading", { level: 1, name: "Conexões" }).waitFor();
});

it("a sign-out leaves nothing of the session behind", async () => {
  const { page } = await dashboard().visit("/sign-in", { as: null });
  await signIn(page);
  await page.waitForURL("**/connections");
  await page.getByRole("button", { name: /Conta e preferências/ }).click();
  await page.getByRole("button", { name: "Sair" }).click();
  await page.getByText("Você saiu da conta.").waitFor();
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Entre no painel" }).waitFor();
  expect(await page.context().cookies()).toEqual([]);
});

it("a sign-out ends all further requests of the page", async () => {
  const { page, context } = await dashboard().visit("/sign-in", { as: null });
  await signIn(page);
  await page.waitForURL("**/connections");
  const path = `/connections/${dashboard().ready.demo.connection.id}`;
  const isStream = (request: { url(): string }) => request.url().endsWith(`${path}/stream`);
  const opened = page.waitForResponse((response) => isStream(response.request()));
  await page.goto(path);
  await opened;
  const streamEnds = Promise.race([page.waitForEvent("requestfinished", isStream), page.waitForEvent("requestfailed", isStream)]);
  await page.route("**/api/dashboard/sign-out", async (route) => {
    const answer = await route.fetch();
    // The page's requests after its stream's end precede this response.
    await streamEnds;
    expect((await context.request.get(`/api/dashboard${path}`)).status()).toBe(401);
    return route.fulfill({ response: answer });
  });
  await page.getByRole("button", { name: /Conta e preferências/ }).click();
  await page.getByRole("button", { name: "Sair" }).click();
  await page.getByText("Você saiu da conta.").waitFor();
});

it("a dashboard with an issuer shows its button alone, and no password field", async () => {
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

it("an expired session asks for the password in a dialog over the page, and keeps typed text", async () => {
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
  const again = page.getByRole("dialog", { name: "Sua sessão foi encerrada" });
  await again.waitFor();
  // Only signing in closes the dialog.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await again.getByLabel("Senha", { exact: true }).fill(dashboard().ready.demo.password);
  await page.keyboard.press("Enter");
  await again.waitFor({ state: "hidden" });
  expect(await name.inputValue()).toBe("Loja Centro");
  await send.click();
  await page.getByRole("dialog", { name: /“Loja Centro” gerada/ }).waitFor();
  await page.getByRole("button", { name: "Já guardei" }).click();
});

it("a forgotten password keeps the page behind, which nobody else gets to see", async () => {
  const { demo, admin } = dashboard().ready;
  const { page, context, trouble } = await dashboard().visit(`/connections/${demo.connection.id}/integrations?add=key`);
  // The connection does not exist for another user.
  trouble.expect(/401/, /404.+\/connections\//);
  await page.getByLabel("Nome da chave").fill("Loja Centro");
  await context.clearCookies();
  // Mimics returning to the window, which also requests the session.
  await page.clock.install({ time: Date.now() + 60_000 });
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  const again = page.getByRole("dialog", { name: "Sua sessão foi encerrada" });
  await again.waitFor();
  expect(await again.getByLabel("E-mail").inputValue()).toBe(demo.email);
  await again.getByLabel("Senha", { exact: true }).fill("uma outra senha");
  await again.getByRole("button", { name: "Entrar" }).click();
  const [other] = await Promise.all([context.waitForEvent("page"), again.getByRole("link", { name: /^Esqueceu a senha/ }).click()]);
  await other.getByRole("heading", { level: 1, name: "Esqueci a senha" }).waitFor();
  expect(await page.getByLabel("Nome da chave").inputValue()).toBe("Loja Centro");
  // Another user signs in, in the other tab.
  await other.close();
  await dashboard().signIn(context, admin.email);
  await page.clock.fastForward(60_000);
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.waitForURL(`${dashboard().url}/connections`);
});

it("too many attempts are answered with how long to wait", async () => {
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
  await alerts(page).getByText("Detalhes técnicos").click();
  await alerts(page).getByText("ID da requisição").waitFor();
});
