// The frame around every page: keyboard navigation, the palette, theme and language, missing pages, and the next release.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { person } from "../../support/clients.ts";
import { goBackInVain } from "../../support/dashboard/back.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { ok } from "../../support/replies.ts";

const dashboard = useDashboard();

const title = (page: Page) => page.getByRole("heading", { level: 1 });
const demo = () => `/connections/${dashboard().ready.demo.connection.id}`;

/** The focused element: its role or tag, and its name or text. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const at = document.activeElement;
    return `${at?.getAttribute("role") ?? at?.tagName.toLowerCase() ?? ""} ${at?.getAttribute("aria-label") ?? at?.textContent ?? ""}`.trim();
  });
}

async function tabTo(page: Page, wanted: RegExp, key = "Tab"): Promise<void> {
  for (let stop = 0; stop < 60; stop += 1) {
    await page.keyboard.press(key);
    if (wanted.test(await focused(page))) return;
  }
  throw new Error(`${key} never comes to ${wanted}`);
}

it("every page is reachable by keyboard alone, with a visible focus", async () => {
  const { page } = await dashboard().visit(null, { as: null });
  await page.goto("/sign-in");
  await title(page).waitFor();
  await tabTo(page, /^input/);
  await page.keyboard.type(dashboard().ready.demo.email);
  await page.keyboard.press("Tab");
  await page.keyboard.type(dashboard().ready.demo.password);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/connections");
  await expect.poll(() => focused(page)).toMatch(/^h1/);

  // Uses the skip link.
  await page.reload();
  await title(page).waitFor();
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("a Ir para o conteúdo");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("content");

  // Switches connections with the switcher: Escape returns the focus, Enter opens the connection.
  await tabTo(page, /Trocar de conexão/, "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: /Demo/ }).filter({ visible: true }).first().waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toMatch(/Trocar de conexão/);
  await page.keyboard.press("Enter");
  await tabTo(page, /^a .*Demo/);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**${demo()}`);
  await expect.poll(() => focused(page)).toMatch(/^h1/);

  for (const section of ["Conversas", "Integrações", "Entregas", "Eventos ao vivo", "Registros", "Ajustes", "Visão geral"]) {
    await tabTo(page, new RegExp(`^a ${section}`), "Shift+Tab");
    await page.keyboard.press("Enter");
    await page.locator("a[aria-current=page]").filter({ hasText: section }).first().waitFor();
    await expect.poll(() => focused(page), { message: section }).toMatch(/^h1/);
  }
  await tabTo(page, /Conta e preferências/, "Shift+Tab");
  await page.keyboard.press("Enter");
  await tabTo(page, /^a Conta$/);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/account");
  await expect.poll(() => focused(page)).toMatch(/^h1/);
});

it("the palette finds pages, connections, actions and pasted ids, and gives the focus back", async () => {
  const { page, trouble } = await dashboard().visit("/account");
  // The id pasted below does not exist in this sandbox.
  trouble.expect(/404.+\/(logs|deliveries)\//);
  await title(page).waitFor();
  await tabTo(page, /Conta e preferências/, "Shift+Tab");
  await page.keyboard.press("Control+k");
  const box = page.getByRole("combobox", { name: "Contato, conexão, página, ação ou ID" });
  await expect.poll(() => focused(page)).toMatch(/^combobox/);
  // Each entry has its description on a phone, too.
  await page.setViewportSize({ width: 360, height: 740 });
  const list = page.getByRole("listbox");
  await list.getByRole("option", { name: /^Demo/ }).waitFor();
  expect(await list.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toMatch(/Conta e preferências/);

  const go = async (typed: string, option: RegExp) => {
    await page.keyboard.press("Control+k");
    await box.waitFor();
    await page.keyboard.type(typed);
    await page.getByRole("option", { name: option, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await box.waitFor({ state: "hidden" });
  };
  // Searches by a synonym for a page, without an open number: each number is offered.
  await go("webhook", /^Integrações: Demo/);
  await page.waitForURL(`**${demo()}/integrations`);
  await page.goBack();
  await page.waitForURL("**/account");
  await go("demo", /^Demo/);
  // Searches by the last digits of its number.
  await go(dashboard().ready.demo.connection.phone?.slice(-4) ?? "", /^Demo/);
  await page.waitForURL(`**${demo()}`);
  await go("integracoes", /Integrações/);
  await page.waitForURL(`**${demo()}/integrations`);
  await go("+55 11 90000-0002", /Conversa com \+55 11 90000-0002/);
  await page.waitForURL(`**${demo()}/chats/5511900000002*c.us`);
  await go("0d6c2e1e-93ab-4c55-b1a7-8ac0d5f8f3b1", /Requisição/);
  await page.waitForURL(`**${demo()}/logs/0d6c2e1e-93ab-4c55-b1a7-8ac0d5f8f3b1`);
  await closeDrawer(page);
  await go("msg_e335da910933267da0ec35e04af353d2", /Entrega/);
  await page.waitForURL(`**${demo()}/deliveries/msg_e335da910933267da0ec35e04af353d2`);
  await closeDrawer(page);
  const opened = page.waitForEvent("popup");
  await go("referencia account", /Account API/);
  const reference = await opened;
  await reference.waitForURL("**/docs/account?lang=pt");
  await reference.close();
  await go("escuro", /Tema: Escuro/);
  await page.locator("html[data-theme=dark]").waitFor();
});

it("language, theme and hidden numbers change without a reload, and stay", async () => {
  const { page } = await dashboard().visit("/connections", { language: "pt", theme: "light" });
  await title(page).waitFor();
  await page.evaluate("globalThis.sameDocument = true");
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await ground();
  await page.getByRole("button", { name: /Conta e preferências/ }).click();
  const choices = page.getByRole("dialog", { name: /Conta e preferências|Account and preferences/ });
  await choices.getByText("Escuro").click();
  await expect.poll(ground).not.toBe(light);
  await choices.getByText("English").click();
  await page.getByRole("button", { name: /Account and preferences/ }).waitFor();
  await choices.getByRole("checkbox", { name: "Hide numbers" }).check();
  await expect
    .poll(() => page.evaluate(() => ({ ...document.documentElement.dataset, lang: document.documentElement.lang })))
    .toEqual({
      theme: "dark",
      hide: "yes",
      lang: "en",
    });
  expect(await page.evaluate("globalThis.sameDocument")).toBe(true);

  await page.reload();
  await page.getByRole("button", { name: /Account and preferences/ }).click();
  expect(await page.evaluate(() => ({ ...document.documentElement.dataset, lang: document.documentElement.lang }))).toEqual({
    theme: "dark",
    hide: "yes",
    lang: "en",
  });
  expect(await choices.getByRole("radio", { name: "Dark" }).isChecked()).toBe(true);
  // A second tab adopts the choice.
  const second = await page.context().newPage();
  await second.goto("/connections");
  await second.getByRole("link", { name: "Skip to content" }).waitFor({ state: "attached" });
  await choices.getByText("Português").click();
  await second.getByRole("link", { name: "Ir para o conteúdo" }).waitFor({ state: "attached" });
});

it("an unknown address shows a page that says so", async () => {
  const { page, trouble } = await dashboard().visit("/nowhere/at/all");
  await page.getByRole("heading", { level: 1, name: "Página não encontrada" }).waitFor();
  trouble.expect(/404/);
  for (const foreign of ["/connections/999999", "/connections/999999/settings", "/connections/none", `${demo()}/nothing`, "/admin/users"]) {
    await page.goto(foreign);
    await page.getByRole("heading", { level: 1, name: "Página não encontrada" }).waitFor();
    expect(await page.locator("main").innerText()).toContain("não existe ou você não tem acesso a ela");
  }
  // Returning to the window keeps the page and makes no further requests.
  await page.goto("/connections/999999");
  const heading = page.getByRole("heading", { level: 1, name: "Página não encontrada" });
  await heading.waitFor();
  let asked = 0;
  page.on("request", () => (asked += 1));
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  expect([asked, await heading.isVisible()]).toEqual([0, true]);
  await page.getByRole("link", { name: "Ir para as conexões" }).click();
  await page.waitForURL("**/connections");
});

it("after a new release the next click loads the new page, without losing typed text", async () => {
  const { page, trouble } = await dashboard().visit(demo());
  await title(page).waitFor();
  await page.evaluate("globalThis.oldRelease = true");
  trouble.expect(/404/);
  // The files that this page references are gone, as after a deployment; the gateway responds to the unknown name itself.
  await page.route("**/assets/app/*", (route) => route.continue({ url: `${dashboard().url}/assets/app/gone.js` }));
  page.on("request", (request) => {
    if (request.isNavigationRequest()) void page.unroute("**/assets/app/*");
  });
  // Hovering requests its file; the page does not change.
  const gone = page.waitForResponse((answer) => answer.url().includes("/assets/app/") && answer.status() === 404);
  await page.getByRole("link", { name: "Ajustes" }).hover();
  await gone;
  expect(await page.evaluate("globalThis.oldRelease")).toBe(true);
  await page.getByRole("link", { name: "Ajustes" }).click();
  await page.waitForURL(`**${demo()}/settings`);
  await expect.poll(() => page.evaluate("globalThis.oldRelease")).toBeUndefined();
  await title(page).waitFor();
  await page.getByRole("link", { name: "Ajustes", exact: true }).and(page.locator("[aria-current=page]")).waitFor();
});

/** As after a deployment: the files that the page references are gone until the page is reloaded. */
async function deployed(page: Page): Promise<void> {
  await page.evaluate("globalThis.oldRelease = true");
  await page.route("**/assets/app/*", (route) => route.continue({ url: `${dashboard().url}/assets/app/gone.js` }));
  page.on("request", (request) => {
    if (request.isNavigationRequest()) void page.unroute("**/assets/app/*");
  });
}

const draft = (page: Page) => page.getByRole("textbox", { name: "Escreva uma mensagem" });

it("after a new release, a chat's draft survives the reload", async () => {
  const { page, trouble } = await dashboard().visit(`${demo()}/chats/5511900000002@c.us`);
  await draft(page).fill("Um rascunho");
  trouble.expect(/404/, /reading 'default'/);
  await deployed(page);
  await page.getByRole("link", { name: "Ajustes" }).click();
  await expect.poll(() => page.evaluate("globalThis.oldRelease")).toBeUndefined();
  await page.getByRole("heading", { level: 1, name: "Ajustes" }).waitFor();
  await page.goto(`${dashboard().url}${demo()}/chats/5511900000002@c.us`);
  expect(await draft(page).inputValue()).toBe("Um rascunho");
});

it("after a new release, a page with a draft that the browser cannot store reloads only if the user asks for it", async () => {
  const { page, trouble } = await dashboard().visit(`${demo()}/chats/5511900000002@c.us`);
  await page.evaluate(() => {
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function set(...item) {
      if (this === localStorage) throw new DOMException("full", "QuotaExceededError");
      setItem.apply(this, item);
    };
  });
  await draft(page).fill("Um rascunho");
  trouble.expect(/404/, /reading 'default'/);
  await deployed(page);
  await page.getByRole("link", { name: "Ajustes" }).click();
  await page.getByText("Se você digitou algo, volte e salve ou envie", { exact: false }).waitFor();
  await page.goBack();
  expect(await draft(page).inputValue()).toBe("Um rascunho");
  expect(await page.evaluate("globalThis.oldRelease")).toBe(true);
  await page.getByRole("link", { name: "Ajustes" }).click();
  await page.getByRole("button", { name: "Tentar de novo" }).click();
  await expect.poll(() => page.evaluate("globalThis.oldRelease")).toBeUndefined();
  await page.getByRole("heading", { level: 1, name: "Ajustes" }).waitFor();
});

it("a dialog asks before Escape, its button or Back discards typed text", async () => {
  const { page } = await dashboard().visit(demo());
  await page.getByRole("link", { name: "Integrações", exact: true }).click();
  await page.getByRole("button", { name: "Gerar chave" }).click();
  const dialog = page.getByRole("dialog");
  const name = dialog.getByLabel("Nome", { exact: false }).first();
  await name.fill("ERP");
  const address = page.url();
  for (const close of [
    () => page.keyboard.press("Escape"),
    () => dialog.getByRole("button", { name: "Fechar" }).click(),
    () => goBackInVain(page),
  ]) {
    await close();
    await dialog.getByRole("alert").filter({ hasText: "Descartar o que você digitou?" }).waitFor();
    await dialog.getByRole("button", { name: "Continuar editando" }).click();
    expect([await name.inputValue(), page.url()]).toEqual(["ERP", address]);
  }
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Descartar" }).click();
  await dialog.waitFor({ state: "detached" });
});

it("Back closes the menu of the previous page, and focuses the new page", async () => {
  const { page } = await dashboard().visit("/connections");
  await page.goto(demo());
  await title(page).waitFor();
  await page.getByRole("link", { name: "Conversas", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Conversas" }).waitFor();
  await page.getByRole("button", { name: /Conta e preferências/ }).click();
  await page.getByRole("link", { name: "Ajuda" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Demo" }).waitFor();
  await page.getByRole("link", { name: "Ajuda" }).waitFor({ state: "hidden" });
  await expect.poll(() => focused(page)).toBe("h1 Demo");
});

it("the page behind a dialog does not scroll, and a click outside keeps the typed text", async () => {
  const { page } = await dashboard().visit(demo());
  await page.setViewportSize({ width: 1280, height: 500 });
  await page.getByRole("heading", { level: 2, name: "Dados" }).waitFor();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight > innerHeight)).toBe(true);
  await page.getByRole("button", { name: "Mais ações" }).click();
  await page.getByRole("menuitem", { name: "Encerrar sessão" }).click();
  const dialog = page.getByRole("dialog", { name: "Encerrar a sessão de Demo?" });
  await dialog.waitFor();
  await page.mouse.move(20, 400);
  await page.mouse.wheel(0, 400);
  // A wheel event takes effect in a later frame, so this gives the page time to draw.
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn, 200))))");
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await dialog.getByLabel("Para confirmar, digite Demo").fill("Dem");
  await page.mouse.click(20, 400);
  expect(await dialog.getByLabel("Para confirmar, digite Demo").inputValue()).toBe("Dem");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Mais ações" }).click();
  await page.getByRole("menuitem", { name: "Encerrar sessão" }).click();
  await dialog.waitFor();
  await page.mouse.click(20, 400);
  await dialog.waitFor({ state: "detached" });
});

it("the page of a connection keeps nothing of another connection", async () => {
  const { call } = await person(dashboard().ready);
  const ids: number[] = [];
  for (const name of ["Leste", "Oeste"]) {
    const { id } = (await ok(call("POST", "/connections", { name }), 201)).data as { id: number };
    ids.push(id);
    await ok(call("POST", `/connections/${id}/connect`, {}));
  }
  const [east, west] = ids;
  const { page } = await dashboard().visit(`/connections/${west}/pair?by=code`);
  await page.getByRole("heading", { level: 1, name: "Parear Oeste" }).waitFor();
  await page.evaluate(() => Object.assign(globalThis, { planted: true }));
  await palette(page, "Parear Leste");
  await page.getByRole("heading", { level: 1, name: "Parear Leste" }).waitFor();
  await page.getByRole("tab", { name: "Código de pareamento" }).click();
  await page.getByLabel("Número do celular").fill("+55 11 97777-0009");
  await page.getByRole("button", { name: "Gerar código" }).click();
  await page.getByRole("region", { name: "Código de pareamento" }).waitFor();
  await palette(page, "Parear Oeste");
  await page.getByRole("heading", { level: 1, name: "Parear Oeste" }).waitFor();
  await page.getByRole("tab", { name: "Código de pareamento" }).click();
  expect(await page.getByLabel("Número do celular").inputValue()).toBe("");
  expect(await page.getByRole("region", { name: "Código de pareamento" }).count()).toBe(0);
  expect(await page.evaluate(() => "planted" in globalThis)).toBe(true);
  await page.context().close();
  for (const id of [east, west]) await ok(call("DELETE", `/connections/${id}`));
});

/** Closes an open drawer, because the palette does not open over one. */
async function closeDrawer(page: Page): Promise<void> {
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("heading", { level: 2 }).waitFor();
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
}

/** Navigates through the palette. */
async function palette(page: Page, label: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Contato, conexão, página, ação ou ID" }).fill(label);
  await page.getByRole("option", { name: label }).click();
}
