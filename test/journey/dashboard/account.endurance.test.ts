// Page X: the signed-in user's account. Everything is clicked and read in a browser; the administrator's part uses the API.
import { beforeAll, expect, it } from "vitest";
import type { AccountCalls } from "../../support/account-holder.ts";
import { ask } from "../../support/clients.ts";
import { goBackInVain } from "../../support/dashboard/back.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { administrator, inviteUser, type InvitedUser, PASSWORD } from "../../support/invited-user.ts";
import { ok } from "../../support/replies.ts";

const dashboard = useDashboard();
let admin: AccountCalls;
beforeAll(async () => {
  admin = await administrator(dashboard().ready);
});

const cookieOf = ({ cookie }: InvitedUser) => {
  const [name = "", ...value] = cookie.split("; ")[0]?.split("=") ?? [];
  return { name, value: value.join("="), url: dashboard().url, httpOnly: true, sameSite: "Lax" as const };
};

async function ana(language: "pt" | "en" = "pt") {
  const user = await inviteUser(dashboard().ready, admin, `ana-${crypto.randomUUID()}@example.com`);
  const visit = await dashboard().visit(null, { as: null, language });
  await visit.context.addCookies([cookieOf(user)]);
  await visit.page.goto("/account");
  await visit.page.getByRole("heading", { level: 1 }).waitFor();
  return { user, ...visit };
}

it("ending another session signs that browser out at its next click", async () => {
  const { user, page } = await ana();
  const other = await dashboard().visit("/sign-in?to=/account", { as: null });
  await other.page.getByLabel("E-mail").fill(user.email);
  await other.page.getByLabel("Senha", { exact: true }).fill(PASSWORD);
  await other.page.getByRole("button", { name: "Entrar" }).click();
  await other.page.getByRole("heading", { level: 1, name: "Conta" }).waitFor();
  await page.reload();
  const row = page.getByRole("row").filter({ hasText: "Chrome no Linux" });
  await row.waitFor();
  expect(await page.getByRole("row").filter({ hasText: "esta sessão" }).getByRole("button", { name: "Encerrar" }).count()).toBe(0);
  await row.getByRole("button", { name: "Encerrar a sessão: Chrome no Linux" }).click();
  await row.waitFor({ state: "detached" });
  other.trouble.expect(/401/);
  await other.page.getByLabel("Nome", { exact: true }).fill("Ana de outro lugar");
  await other.page.getByRole("button", { name: "Salvar nome" }).click();
  await other.page.getByRole("dialog", { name: "Sua sessão foi encerrada" }).waitFor();
  await page.reload();
  await page.getByText("esta sessão").waitFor();
  await expect.poll(() => page.getByLabel("Nome", { exact: true }).inputValue()).toBe("Ana Souza");
});

it("the plan shows the used part of what is allowed, and what happens at its end", async () => {
  const { user, page } = await ana("en");
  const plan = page.getByRole("region", { name: "Subscription" });
  await plan.getByText("0 of 5").waitFor();
  await plan.getByText("No end date.").waitFor();
  const subscribe = (change: object) =>
    ok(
      admin("PUT", `/admin/users/${user.id}/subscription`, {
        plan: "pro",
        status: "active",
        max_instances: 5,
        current_period_end: null,
        ...change,
      }),
    );
  await subscribe({ max_instances: 1, current_period_end: new Date(Date.now() + 3 * 86_400_000 + 60_000).toISOString() });
  const { cookie } = user;
  await ok(
    ask(`${dashboard().url}/api/dashboard/connections`, { headers: { origin: dashboard().url, cookie }, json: { name: "Loja" } }),
    201,
  );
  await page.reload();
  await plan.getByText("1 of 1").waitFor();
  await plan.getByText("You've reached your plan's limit", { exact: false }).waitFor();
  await plan.getByText("ends in 3 days").waitFor();
  await plan.getByText("7 days later your numbers are disconnected", { exact: false }).waitFor();
  await subscribe({ status: "past_due" });
  await page.reload();
  await plan.getByText("payment due").waitFor();
  await plan.getByText("Your payment hasn't been confirmed yet.", { exact: false }).waitFor();
});

it("the value of an account key is in the page once: Escape, a click outside and Back keep it, a reload forgets it", async () => {
  const { page, context } = await ana();
  // A redirect target inside the dashboard.
  await page.goto("/connections");
  await page.getByRole("button", { name: "Conta e preferências" }).filter({ visible: true }).click();
  await page.getByRole("link", { name: "Conta", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Conta" }).waitFor();
  const lines: string[] = [];
  page.on("console", (line) => lines.push(line.text()));
  await page.getByRole("button", { name: "Nova chave" }).click();
  await page.getByLabel("Nome", { exact: true }).last().fill("ERP");
  await page.getByRole("checkbox", { name: "Enviar" }).uncheck();
  await page.getByLabel("Validade").selectOption("90 dias");
  await page.getByRole("button", { name: "Gerar chave" }).click();
  const dialog = page.getByRole("dialog", { name: "Sua nova chave" });
  const key = (await dialog.locator("[data-secret]").textContent()) ?? "";
  expect(key).toMatch(/^acc_[\w-]{43}$/);
  await dialog.getByText(`X-Api-Key: ${key}`, { exact: false }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.mouse.click(5, 5);
  await goBackInVain(page);
  await dialog.waitFor();
  const use = () => ask(`${dashboard().url}/api/instances`, { headers: { "x-api-key": key } });
  expect((await use()).status).toBe(200);
  await dialog.getByRole("button", { name: "Já guardei" }).click();
  const row = page.getByRole("row").filter({ hasText: "ERP" });
  await row.getByText("Ler, Administrar conexões").waitFor();
  const traces = () =>
    page.evaluate(() =>
      [document.documentElement.outerHTML, JSON.stringify({ ...localStorage, ...sessionStorage }), location.href].join("\n"),
    );
  expect(await traces()).not.toContain(key);
  await page.reload();
  await row.waitFor();
  expect([await traces(), lines.join("\n")].join("\n")).not.toContain(key);
  expect(await (await context.request.get("/api/dashboard/account-keys")).text()).not.toContain(key);
  await row.getByRole("button", { name: "Revogar ERP" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revogar" }).click();
  await row.waitFor({ state: "detached" });
  expect((await use()).status).toBe(401);
});

it("the name and the password are changed, and a wrong password is reported at its field", async () => {
  const { user, page, trouble } = await ana();
  await page.getByLabel("Nome", { exact: true }).fill("Ana Maria");
  await page.getByRole("button", { name: "Salvar nome" }).click();
  await page.getByText("Nome salvo.").first().waitFor();
  await page.getByRole("button", { name: "Conta e preferências" }).filter({ visible: true }).getByText("Ana Maria").waitFor();
  trouble.expect(/400/);
  const change = async (current: string) => {
    await page.getByLabel("Senha atual").fill(current);
    await page.getByLabel("Nova senha").fill("another one of ten");
    await page.getByRole("button", { name: "Trocar senha" }).click();
  };
  await change("not the password");
  await page.getByText("Senha atual incorreta.").waitFor();
  await change(PASSWORD);
  await page.getByText("Senha trocada.", { exact: false }).first().waitFor();
  expect(await user.signIn()).toBe(401);
  await page.reload();
  await page.getByText("esta sessão").waitFor();
});
