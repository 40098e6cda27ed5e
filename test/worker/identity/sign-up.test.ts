// An account belongs to the reader of its email: sign-up, confirmation and choosing a password (docs/operate/signing-in.md, "Signing in").
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { identityProvider } from "#root/src/services/identity/provider.ts";
import { setPassword } from "#root/src/services/identity/password-links.ts";
import { type Browser, browser, formBehind, linkIn, mailbox, type SeenMail } from "../support/browser.ts";
import { APP, gateway } from "../support/gateway.ts";
import { freshEmail, someone } from "../support/people.ts";

const ATTACKERS = "attacker knows this";
const HOLDERS = "only the holder knows";

const signUp = (go: Browser, email: string, password?: string) => go("POST", "/api/auth/sign-up/email", { email, name: "Ana", password });
const signIn = async (go: Browser, email: string, password: string) =>
  (await go("POST", "/api/auth/sign-in/email", { email, password })).status;
const isInside = async (go: Browser) => (await go("GET", "/api/dashboard/me")).status === 200;

afterEach(() => {
  vi.restoreAllMocks();
});

async function mailsAfter(sent: SeenMail[], count: number): Promise<SeenMail[]> {
  await vi.waitFor(() => expect(sent.length).toBeGreaterThanOrEqual(count), { timeout: 60_000 });
  return sent;
}

/** Opens the link and submits the form. */
async function follow(go: Browser, mail: SeenMail | undefined, typed: Record<string, string>): Promise<Response> {
  const link = linkIn(mail);
  expect(link.startsWith(`${APP}/set-password?token=`)).toBe(true);
  const page = await go("GET", link);
  expect(page.status).toBe(200);
  return go("POST", "/set-password", await formBehind(page, typed));
}

async function storedUser(email: string) {
  return env.DB.prepare("SELECT id, name, email_verified AS verified FROM user WHERE email = ?")
    .bind(email)
    .first<{ id: string; name: string; verified: number }>();
}

describe("an address that somebody else signed up", () => {
  it("belongs only to the holder once confirmed: the attacker's password never works", async () => {
    const { MAIL, sent } = mailbox();
    const [attacker, victim] = [browser({ MAIL }), browser({ MAIL })];
    const email = freshEmail();
    expect((await signUp(attacker, email, ATTACKERS)).status).toBe(200);
    const [mail] = await mailsAfter(sent, 1);
    expect(mail?.to).toBe(email);
    expect(mail?.text).toContain("Se não foi você");
    expect(mail?.text).toContain("If it wasn't you");
    expect(await signIn(attacker, email, ATTACKERS)).toBe(401);

    expect((await follow(victim, mail, { password: HOLDERS, name: "Vera" })).status).toBe(200);
    expect(await signIn(attacker, email, ATTACKERS)).toBe(401);
    expect(await isInside(attacker)).toBe(false);
    expect(await signIn(victim, email, HOLDERS)).toBe(200);
    expect(await storedUser(email)).toMatchObject({ name: "Vera", verified: 1 });
  });

  it("belongs to the holder after both signed up, even if the attacker's password and session were stored", async () => {
    const { MAIL, sent } = mailbox();
    const [attacker, victim] = [browser({ MAIL }), browser({ MAIL })];
    const email = freshEmail();
    await signUp(attacker, email, ATTACKERS);
    await mailsAfter(sent, 1);
    const { id = "" } = (await storedUser(email)) ?? {};
    await setPassword(env as Env, id, ATTACKERS);
    const { internalAdapter } = await (await identityProvider(env as Env)).$context;
    await internalAdapter.createSession(id);
    await internalAdapter.linkAccount({ userId: id, providerId: "https://issuer.example", accountId: "attacker" });

    expect((await signUp(victim, email, HOLDERS)).status).toBe(200);
    const mails = await mailsAfter(sent, 2);
    expect((await follow(victim, mails[1], { password: HOLDERS })).status).toBe(200);
    expect(await signIn(attacker, email, ATTACKERS)).toBe(401);
    expect(await signIn(victim, email, HOLDERS)).toBe(200);
    expect(await internalAdapter.listSessions(id)).toHaveLength(1);
    expect((await internalAdapter.findAccounts(id)).map(({ providerId }) => providerId)).toEqual(["credential"]);
    // Using the second email's link invalidated the first.
    expect((await victim("GET", linkIn(mails[0]))).status).toBe(400);
  });

  it("is proven by resetting the password as well", async () => {
    const { MAIL, sent } = mailbox();
    const [attacker, victim] = [browser({ MAIL }), browser({ MAIL })];
    const email = freshEmail();
    await signUp(attacker, email, ATTACKERS);
    await victim("POST", "/api/auth/request-password-reset", { email });
    const mails = await mailsAfter(sent, 2);
    const token = new URL(linkIn(mails[1])).searchParams.get("token");
    expect((await victim("POST", "/api/auth/reset-password", { token, newPassword: HOLDERS })).status).toBe(200);
    expect(await signIn(attacker, email, ATTACKERS)).toBe(401);
    expect(await signIn(victim, email, HOLDERS)).toBe(200);
  });
});

describe("an emailed link", () => {
  it("changes nothing and lets nobody in when it is only opened, however often", async () => {
    const { MAIL, sent } = mailbox();
    const [scanner, victim] = [browser({ MAIL }), browser({ MAIL })];
    const email = freshEmail();
    await signUp(victim, email);
    const [mail] = await mailsAfter(sent, 1);
    const before = await everyRow();
    for (const method of ["GET", "HEAD", "GET"]) {
      const page = await scanner(method, linkIn(mail));
      expect([page.status, page.headers.getSetCookie()]).toEqual([200, []]);
      expect(page.headers.get("referrer-policy")).toBe("no-referrer");
      expect(page.headers.get("cache-control")).toBe("no-store");
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(await page.text()).not.toContain("<script");
    }
    expect(await everyRow()).toEqual(before);
    expect(await isInside(scanner)).toBe(false);
    expect((await follow(victim, mail, { password: HOLDERS })).status).toBe(200);
  });

  it("works once, and only for an hour", async () => {
    const { MAIL, sent } = mailbox();
    const go = browser({ MAIL });
    const [first, second] = [freshEmail(), freshEmail()];
    await signUp(go, first);
    await signUp(go, second);
    const mails = await mailsAfter(sent, 2);
    const form = await formBehind(await go("GET", linkIn(mails.find(({ to }) => to === first))), { password: HOLDERS });
    const statuses = await Promise.all([1, 2, 3].map(async () => (await go("POST", "/set-password", form)).status));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    await env.DB.prepare("UPDATE verification SET expires_at = ? WHERE value = ?")
      .bind(Date.now() - 1, (await storedUser(second))?.id)
      .run();
    expect((await go("GET", linkIn(mails.find(({ to }) => to === second)))).status).toBe(400);
  });

  it("signs in the browser that chose the password on our page, and no browser that another site has sent", async () => {
    const { MAIL, sent } = mailbox();
    const [here, elsewhere] = [browser({ MAIL }), browser({ MAIL })];
    const [first, second] = [freshEmail(), freshEmail()];
    for (const [go, email] of [
      [here, first],
      [elsewhere, second],
    ] as const)
      await signUp(go, email);
    const mails = await mailsAfter(sent, 2);
    const form = async (email: string) =>
      formBehind(await here("GET", linkIn(mails.find(({ to }) => to === email))), { password: HOLDERS });
    const chosen = await here.post("/set-password", await form(first));
    expect([chosen.status, chosen.headers.get("location"), await isInside(here)]).toEqual([303, "/connections", true]);
    const foreign = await elsewhere("POST", "/set-password", await form(second));
    expect([foreign.status, foreign.headers.getSetCookie(), await isInside(elsewhere)]).toEqual([200, [], false]);
  });

  describe("if only the new password can be stored", () => {
    const refuse = () => Promise.reject(new Error("refused"));
    /** The platform refuses email, and the account's guard is unreachable. */
    async function failing() {
      const { MAIL, sent } = mailbox();
      const { user } = await someone();
      await setPassword(env as Env, user.id, ATTACKERS);
      await browser({ MAIL })("POST", "/api/auth/request-password-reset", { email: user.email });
      const [mail] = await mailsAfter(sent, 1);
      const ACCOUNT_GUARD = { getByName: () => ({ endStreams: refuse }) } as unknown as Env["ACCOUNT_GUARD"];
      const go = browser({ MAIL: { send: refuse } as unknown as Env["MAIL"], ACCOUNT_GUARD });
      return { go, mail, email: user.email, lines: vi.spyOn(console, "log") };
    }
    const failures = ({ mock }: { mock: { calls: unknown[][] } }) =>
      mock.calls
        .map(([line]) => JSON.parse(String(line)) as { event: string; message: string })
        .filter((line) => line.event === "identity.failed");

    it("reports success on its page, because the link is used up and the password counts", async () => {
      const { go, mail, email, lines } = await failing();
      const answer = await follow(go, mail, { password: HOLDERS });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
      expect(await answer.text()).toContain("Your password is set");
      expect(await signIn(browser(), email, HOLDERS)).toBe(200);
      await vi.waitFor(() => expect(failures(lines)).toMatchObject([{ message: "refused" }, { message: "refused" }]), { timeout: 60_000 });
    });

    it("reports success to API calls too, also for changing the password and signing out", async () => {
      const { go, mail, email } = await failing();
      const token = new URL(linkIn(mail)).searchParams.get("token");
      expect((await go("POST", "/api/auth/reset-password", { token, newPassword: HOLDERS })).status).toBe(200);
      expect(await signIn(go, email, HOLDERS)).toBe(200);
      const changed = { currentPassword: HOLDERS, newPassword: "another password" };
      expect((await go("POST", "/api/auth/change-password", changed)).status).toBe(200);
      expect((await go("POST", "/api/auth/sign-out", {})).status).toBe(200);
      expect(await isInside(go)).toBe(false);
    });
  });

  it("leads to a page in the reader's language that says what is wrong", async () => {
    const { MAIL, sent } = mailbox();
    const go = browser({ MAIL });
    const email = freshEmail();
    await signUp(go, email);
    const [mail] = await mailsAfter(sent, 1);
    const page = await go("GET", `${linkIn(mail)}&lang=pt`);
    const text = await page.clone().text();
    expect(text).toContain('<html lang="pt-BR">');
    expect(text).toContain('<label for="password">');
    const short = await go("POST", "/set-password?lang=pt", await formBehind(page, { password: "short", name: '"><b>' }));
    const again = await short.text();
    expect([short.status, again.includes('role="alert"'), again.includes('aria-invalid="true"')]).toEqual([400, true, true]);
    expect(again).toContain("&quot;&gt;&lt;b&gt;");
    expect(again).not.toContain("<b>");
  });

  it("is the only way in: the identity library's own links are not served, and tokens in URLs are refused", async () => {
    const { MAIL, sent } = mailbox();
    const go = browser({ MAIL });
    const email = freshEmail();
    await signUp(go, email);
    const [mail] = await mailsAfter(sent, 1);
    const token = new URL(linkIn(mail)).searchParams.get("token") ?? "";
    for (const path of [`/verify-email?token=${token}`, `/reset-password/${token}?callbackURL=/`, "/change-email", "/delete-user/callback"])
      expect((await go("GET", `/api/auth${path}`)).status).toBe(404);
    const inAddress = await go("POST", `/api/auth/reset-password?token=${token}`, { newPassword: HOLDERS });
    expect(inAddress.status).toBe(400);
    expect(await signIn(go, email, HOLDERS)).toBe(401);
  });
});

describe("a stranger", () => {
  it("cannot tell who has an account: signing up, forgetting a password and signing in answer alike", async () => {
    const { MAIL, sent } = mailbox();
    const { user } = await someone();
    await setPassword(env as Env, user.id, HOLDERS);
    const unconfirmed = freshEmail();
    await signUp(browser({ MAIL }), unconfirmed, ATTACKERS);
    const answersFor = async (email: string) => {
      const go = browser({ MAIL });
      const asked = [
        await signUp(go, email, ATTACKERS),
        await go("POST", "/api/auth/request-password-reset", { email }),
        await go("POST", "/api/auth/sign-in/email", { email, password: ATTACKERS }),
      ];
      return Promise.all(asked.map(async (answer) => [answer.status, (await answer.text()).replaceAll(/"request_id":"[^"]*"/g, "")]));
    };
    const known = await answersFor(user.email);
    expect(known.map(([status]) => status)).toEqual([200, 200, 401]);
    expect(await answersFor(unconfirmed)).toEqual(known);
    expect(await answersFor(freshEmail())).toEqual(known);
    await vi.waitFor(() => expect(sent.filter(({ to }) => to === user.email)).toHaveLength(2), { timeout: 60_000 });
    expect(sent.find(({ to }) => to === user.email)?.text).toContain("tem uma conta");
  });
});

describe("a copy of the database", () => {
  it("gives nobody a session or a link", async () => {
    const { MAIL, sent } = mailbox();
    const go = browser({ MAIL });
    const { user } = await someone();
    await setPassword(env as Env, user.id, HOLDERS);
    const signedIn = await go("POST", "/api/auth/sign-in/email", { email: user.email, password: HOLDERS });
    expect(Object.keys((await signedIn.json()) as object)).not.toContain("token");
    expect(signedIn.headers.has("set-auth-token")).toBe(false);
    await go("POST", "/api/auth/request-password-reset", { email: user.email });
    await mailsAfter(sent, 1);

    const rows = (await everyRow()).flatMap((row) => Object.values(row)).filter((value) => typeof value === "string");
    const token = new URL(linkIn(sent[0])).searchParams.get("token") ?? "";
    expect(rows.filter((value) => value.includes(token))).toEqual([]);
    const session = await env.DB.prepare("SELECT token FROM session WHERE user_id = ?").bind(user.id).first<{ token: string }>();
    const stranger = browser();
    const tries: Record<string, string>[] = [
      { authorization: `Bearer ${session?.token}` },
      { cookie: `__Host-gateway.session_token=${session?.token}` },
      { cookie: `__Host-gateway.session_token=${session?.token}.${btoa("x".repeat(32))}` },
    ];
    for (const headers of tries) {
      expect((await gateway()("/api/auth/token", { headers })).status).toBe(401);
      expect((await gateway()("/api/dashboard/me", { headers })).status).toBe(401);
    }
    const identifiers = await env.DB.prepare("SELECT identifier FROM verification WHERE value = ?")
      .bind(user.id)
      .all<{ identifier: string }>();
    expect(identifiers.results).toHaveLength(1);
    for (const { identifier } of identifiers.results) {
      for (const guess of [identifier, identifier.replace("reset-password:", "")])
        expect((await stranger("POST", "/api/auth/reset-password", { token: guess, newPassword: ATTACKERS })).status).toBe(400);
    }
    expect(await isInside(go)).toBe(true);
  });
});

/** All rows of the identity tables. */
async function everyRow(): Promise<Record<string, unknown>[]> {
  const tables = ["user", "session", "account", "verification"];
  const read = await env.DB.batch<Record<string, unknown>>(tables.map((table) => env.DB.prepare(`SELECT * FROM ${table} ORDER BY id`)));
  return read.flatMap(({ results }) => results);
}
