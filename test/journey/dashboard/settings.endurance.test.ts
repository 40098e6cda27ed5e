// Page A: a connection's settings, its people, and its deletion. Two users in two windows; keys and webhooks are created through the API.
import type { APIRequestContext, Page } from "playwright-core";
import { expect, it } from "vitest";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { eventually } from "../../support/eventually.ts";

const dashboard = useDashboard();

/** Calls the page's API with the window's session. */
async function asked(request: APIRequestContext, method: string, path: string, data: object = {}) {
  const headers = { origin: dashboard().url, "content-type": "application/json" };
  const answer = await request.fetch(`/api/dashboard${path}`, { method, headers, ...(method === "GET" ? {} : { data }) });
  return { status: answer.status(), body: (await answer.json()) as { data: { id: number } } };
}

async function owner(name = "Loja") {
  const email = await dashboard().newUser(`dona-${crypto.randomUUID()}@example.com`);
  const visit = await dashboard().visit(null, { as: email });
  const { body } = await asked(visit.context.request, "POST", "/connections", { name });
  const path = `/connections/${body.data.id}`;
  await visit.page.goto(`${path}/settings`);
  await visit.page.getByRole("heading", { level: 1, name: "Ajustes" }).waitFor();
  return { ...visit, email, path };
}

async function invite(page: Page, email: string, role: "Operador: visualiza e usa" | "Leitor: só visualiza") {
  const people = page.getByRole("region", { name: "Pessoas" });
  await people.getByLabel("E-mail").fill(email);
  await people.getByLabel("Função", { exact: true }).selectOption(role);
  await people.getByRole("button", { name: "Convidar" }).click();
  const row = people.getByRole("row").filter({ hasText: email });
  await row.waitFor();
  return row;
}

it("a removed guest's next call finds nothing, and their open page says so", async () => {
  const { page, context, path } = await owner();
  const email = await dashboard().newUser(`guest-${crypto.randomUUID()}@example.com`);
  const row = await invite(page, email, "Operador: visualiza e usa");
  await row.getByText("ainda não acessou").waitFor();
  const guest = await dashboard().visit(`${path}/settings`, { as: email });
  await guest.page.getByText("Você é operador", { exact: false }).waitFor();
  // The guest's first visit is recorded after the response.
  await eventually("it is written that they came", 60_000, async () => {
    const answer = await context.request.get(`/api/dashboard${path}/shares`);
    const { data } = (await answer.json()) as { data: { opened_at: string | null }[] };
    return data.every((share) => share.opened_at !== null);
  });
  await page.reload();
  await row.getByText("já acessou a conexão").waitFor();
  guest.trouble.expect(/404/);
  await row.getByRole("button", { name: `Remover ${email}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remover" }).click();
  await row.waitFor({ state: "detached" });
  expect((await asked(guest.context.request, "GET", path)).status).toBe(404);
  await guest.page.getByRole("heading", { level: 1, name: "Página não encontrada" }).waitFor();
});

it("a guest can neither make keys nor change the owner's settings, by page or by call", async () => {
  const { page, path } = await owner();
  const email = await dashboard().newUser(`guest-${crypto.randomUUID()}@example.com`);
  await invite(page, email, "Operador: visualiza e usa");
  const guest = await dashboard().visit(`${path}/settings`, { as: email });
  const save = guest.page.getByRole("button", { name: "Salvar nome" });
  await save.waitFor();
  expect(await save.getAttribute("aria-disabled")).toBe("true");
  // By keyboard, because the page moves the button when the service worker is ready, and a forced click would then miss it.
  await save.press("Enter");
  await guest.page.getByText("Só o dono da conexão pode fazer isso.").first().waitFor();
  expect(await guest.page.getByRole("heading", { name: "Apagar conexão" }).count()).toBe(0);
  const { request } = guest.context;
  expect((await asked(request, "POST", `${path}/keys`, { name: "Minha" })).status).toBe(403);
  expect((await asked(request, "GET", `${path}/keys`)).status).toBe(403);
  expect((await asked(request, "PATCH", path, { name: "Outra" })).status).toBe(403);
  expect((await asked(request, "GET", `${path}/audit`)).status).toBe(403);
  await guest.page.goto(`${path}/integrations`);
  const make = guest.page.getByRole("button", { name: "Gerar chave" });
  await guest.page.getByRole("heading", { level: 1 }).waitFor();
  for (const button of await make.all()) expect(await button.getAttribute("aria-disabled")).toBe("true");
});

it("the deletion names what is lost: history, keys, webhook; and asks for the name", async () => {
  const { page, context, path } = await owner("Loja 🏪 Centro");
  await asked(context.request, "POST", `${path}/keys`, { name: "ERP" });
  await asked(context.request, "PUT", `${path}/webhook`, { url: "https://hooks.example.net/a" });
  await page.getByRole("button", { name: "Apagar conexão" }).click();
  const dialog = page.getByRole("dialog", { name: "Apagar Loja 🏪 Centro?" });
  for (const lost of [
    "O histórico: conversas",
    "1 chave: o sistema que usa essa chave",
    "O webhook: hooks.example.net",
    "Pessoas: só você",
    "O pareamento",
  ]) {
    await dialog.getByText(lost, { exact: false }).waitFor();
  }
  await dialog.getByLabel("Para confirmar, digite Loja 🏪 Centro").fill("Loja");
  await dialog.getByRole("button", { name: "Apagar conexão" }).click();
  await dialog.getByText("O texto não é igual a Loja 🏪 Centro.").waitFor();
  await dialog.getByLabel("Para confirmar, digite Loja 🏪 Centro").fill("Loja 🏪 Centro");
  await dialog.getByRole("button", { name: "Apagar conexão" }).click();
  await page.waitForURL("**/connections");
  expect((await asked(context.request, "GET", path)).status).toBe(404);
});

it("the deleting user does not see their connection reported as gone", async () => {
  const { page, context, path } = await owner();
  const isStream = (request: { url(): string }) => request.url().endsWith(`${path}/stream`);
  const opened = page.waitForResponse((response) => isStream(response.request()));
  await page.reload();
  await opened;
  const streamEnds = Promise.race([page.waitForEvent("requestfinished", isStream), page.waitForEvent("requestfailed", isStream)]);
  await page.route(`**/api/dashboard${path}`, async (route) => {
    if (route.request().method() !== "DELETE") return route.continue();
    const deleted = await route.fetch();
    // The stream's closing events, and the page's requests caused by them, precede this response.
    await streamEnds;
    expect((await asked(context.request, "GET", path)).status).toBe(404);
    return route.fulfill({ response: deleted });
  });
  await page.getByRole("button", { name: "Apagar conexão" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Para confirmar, digite Loja").fill("Loja");
  await dialog.getByRole("button", { name: "Apagar conexão" }).click();
  await page.waitForURL("**/connections");
});

it("saved alerts keep other unsaved changes, and leaving the page asks before it drops them", async () => {
  const { page, path } = await owner();
  const limit = page.getByLabel("Máximo de novas conversas por hora");
  await limit.fill("12");
  await page.getByRole("checkbox", { name: "A conexão caiu inesperadamente" }).check();
  await page.getByRole("button", { name: "Salvar avisos" }).click();
  await page.getByText("Avisos salvos.").first().waitFor();
  expect(await limit.inputValue()).toBe("12");
  const leave = page.getByRole("dialog", { name: "Sair sem salvar?" });
  await page.getByRole("link", { name: "Conversas", exact: true }).click();
  await leave.getByRole("button", { name: "Continuar editando" }).click();
  expect([await limit.inputValue(), new URL(page.url()).pathname]).toEqual(["12", `${path}/settings`]);
  await page.getByRole("link", { name: "Conversas", exact: true }).click();
  await leave.getByRole("button", { name: "Sair sem salvar" }).click();
  await page.getByRole("heading", { level: 1, name: "Conversas" }).waitFor();
  await page.getByRole("link", { name: "Ajustes", exact: true }).click();
  await limit.fill("15");
  await page.getByRole("button", { name: "Salvar ajustes" }).click();
  await page.getByText("Ajustes salvos.").first().waitFor();
  await page.getByRole("link", { name: "Conversas", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Conversas" }).waitFor();
});

it("the name, the settings and a role are saved and appear in the audit log", async () => {
  const { page, path, email } = await owner();
  await page.getByLabel("Nome da conexão").fill("Loja Centro");
  await page.getByRole("button", { name: "Salvar nome" }).click();
  await page.getByRole("checkbox", { name: "Recusar ligações" }).check();
  await page.getByLabel("Máximo de novas conversas por hora").fill("12");
  await page.getByRole("button", { name: "Salvar ajustes" }).click();
  await page.getByText("Ajustes salvos.").first().waitFor();
  await page.getByRole("checkbox", { name: "A conexão caiu inesperadamente" }).check();
  await page.getByLabel("Avisar depois de quantos minutos fora do ar").fill("10");
  await page.getByRole("button", { name: "Salvar avisos" }).click();
  await page.getByText("Avisos salvos.").first().waitFor();
  const guest = await dashboard().newUser(`guest-${crypto.randomUUID()}@example.com`);
  await invite(page, guest, "Leitor: só visualiza");
  await page.getByLabel(`Função de ${guest}`).selectOption("operador");
  await page.getByText("Função salva.").first().waitFor();
  await page.goto(`${path}/settings`);
  expect(await page.getByLabel("Nome da conexão").inputValue()).toBe("Loja Centro");
  expect(await page.getByRole("checkbox", { name: "Recusar ligações" }).isChecked()).toBe(true);
  expect(await page.getByLabel("Máximo de novas conversas por hora").inputValue()).toBe("12");
  expect(await page.getByLabel("Avisar depois de quantos minutos fora do ar").inputValue()).toBe("10");
  expect(await page.getByRole("checkbox", { name: "A conexão está desconectada há uma hora" }).isChecked()).toBe(true);
  expect(await page.getByLabel(`Função de ${guest}`).inputValue()).toBe("operator");
  const acts = page.getByRole("region", { name: "Quem fez o quê" });
  for (const act of [
    "alterou o nome para Loja Centro",
    "alterou os ajustes de funcionamento",
    `convidou ${guest}`,
    `alterou a função de ${guest}`,
  ]) {
    await acts.getByRole("row").filter({ hasText: act }).filter({ hasText: email }).first().waitFor();
  }
});

it("a guest leaves, in English on a phone, and finds the connection no more", async () => {
  const { page, path } = await owner();
  const email = await dashboard().newUser(`guest-${crypto.randomUUID()}@example.com`);
  await invite(page, email, "Leitor: só visualiza");
  const guest = await dashboard().visit(`${path}/settings`, { as: email, language: "en", phone: true });
  await guest.page.getByText("You're a viewer", { exact: false }).waitFor();
  await guest.page.getByRole("button", { name: "Leave connection" }).click();
  await guest.page.getByRole("dialog").getByRole("button", { name: "Leave connection" }).click();
  await guest.page.waitForURL("**/connections");
  expect((await asked(guest.context.request, "GET", path)).status).toBe(404);
  await page.reload();
  await page.getByText("Só você usa esta conexão").waitFor();
});
