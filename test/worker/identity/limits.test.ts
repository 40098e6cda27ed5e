// Limits on attempts per client address, account and mailbox (docs/operate/signing-in.md, "Signing in").
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { mailboxGuardName } from "@gateway/domain/admission/address-guard.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { Env } from "#root/src/env.ts";
import { DAY_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { sendNotice } from "#root/src/services/mail/send.ts";
import { setPassword } from "#root/src/services/identity/password-links.ts";
import { type Browser, browser, formBehind, linkIn, mailbox } from "../support/browser.ts";
import type { EnglishError } from "../support/gateway.ts";
import { freshEmail, someone } from "../support/people.ts";

const PASSWORD = "correct horse battery";
const { identity } = LIMITS;
/** Each attempt hashes a password. */
const SLOW = { timeout: 180_000 };

async function holder() {
  const { user } = await someone();
  await setPassword(env as Env, user.id, PASSWORD);
  return user;
}

const signIn = (go: Browser, email: string, password: string) => go("POST", "/api/auth/sign-in/email", { email, password });
const inParallel = async (count: number, ask: (n: number) => Promise<Response>) =>
  Promise.all(Array.from({ length: count }, async (_, n) => (await ask(n)).status));
/** The page's own addresses in this attribute. */
const addressesIn = (page: string, attribute: "action" | "href") =>
  [...page.matchAll(new RegExp(` ${attribute}="(/[^"]*)"`, "g"))].map(([, address = ""]) => address.replaceAll("&amp;", "&"));
const count = (statuses: number[], status: number) => statuses.filter((each) => each === status).length;

describe("attempts to sign in", SLOW, () => {
  it("are limited exactly per client address, also when they come at once", async () => {
    const go = browser();
    const statuses = await inParallel(30, () => signIn(go, freshEmail(), "wrong password"));
    expect([count(statuses, 401), count(statuses, 429)]).toEqual([identity.attempts.requests, 30 - identity.attempts.requests]);
    const refused = await signIn(go, freshEmail(), "wrong password");
    expect(((await refused.json()) as EnglishError).error.code).toBe("too_many_attempts");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("are limited exactly per account, from any number of addresses, whether or not the account exists", async () => {
    for (const email of [(await holder()).email, freshEmail()]) {
      const statuses = await inParallel(30, (n) => signIn(browser(), n % 2 === 0 ? email : email.toUpperCase(), "wrong password"));
      expect([count(statuses, 401), count(statuses, 429)]).toEqual([
        identity.unfamiliarFailures.requests,
        30 - identity.unfamiliarFailures.requests,
      ]);
    }
  });

  it("do not lock the holder out of a browser they signed in from before, however many guesses fail", async () => {
    const { email } = await holder();
    const home = browser();
    expect((await signIn(home, email, PASSWORD)).status).toBe(200);
    const guesses = await inParallel(25, () => signIn(browser(), email, "wrong password"));
    expect(count(guesses, 401)).toBe(identity.unfamiliarFailures.requests);
    expect((await signIn(browser(), email, PASSWORD)).status).toBe(429);
    expect((await signIn(home, email, PASSWORD)).status).toBe(200);
  });

  it("do not count if they succeed, and an emailed link lets the holder in from anywhere", async () => {
    const { MAIL, sent } = mailbox();
    const { email } = await holder();
    for (let time = 0; time < identity.unfamiliarFailures.requests + 2; time += 1) {
      expect((await signIn(browser(), email, PASSWORD)).status).toBe(200);
    }
    await inParallel(25, () => signIn(browser(), email, "wrong password"));
    const abroad = browser({ MAIL });
    expect((await signIn(abroad, email, PASSWORD)).status).toBe(429);
    await abroad("POST", "/api/auth/request-password-reset", { email });
    await vi.waitFor(() => expect(sent).toHaveLength(1), { timeout: 60_000 });
    const form = await formBehind(await abroad("GET", linkIn(sent[0])), { password: `${PASSWORD} anew` });
    expect((await abroad("POST", "/set-password", form)).status).toBe(200);
    expect((await signIn(abroad, email, `${PASSWORD} anew`)).status).toBe(200);
  });

  it("count through an emailed link as well, and the refusal leads back to the form", async () => {
    const { MAIL, sent } = mailbox();
    const { email } = await holder();
    const go = browser({ MAIL });
    await go("POST", "/api/auth/request-password-reset", { email });
    await vi.waitFor(() => expect(sent).toHaveLength(1), { timeout: 60_000 });
    const form = await go("GET", `${linkIn(sent[0])}&lang=pt`);
    const action = addressesIn(await form.clone().text(), "action")[0] ?? "";
    const short = await formBehind(form, { password: "short" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => go("POST", action, short)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(20 - identity.attempts.requests);
    const [back = ""] = addressesIn((await refused[0]?.text()) ?? "", "href").slice(-1);
    const again = await go("GET", back);
    expect([again.status, await again.text()]).toEqual([200, expect.stringContaining(`value="${email}"`)]);
  });

  it("count with the current password of a session as well", async () => {
    const { email } = await holder();
    const go = browser();
    await signIn(go, email, PASSWORD);
    const change = (currentPassword: string) => go("POST", "/api/auth/change-password", { currentPassword, newPassword: `${PASSWORD} 2` });
    const statuses = await inParallel(20, () => change("wrong password"));
    expect(count(statuses, 400)).toBe(identity.attempts.requests - 1);
    expect(count(statuses, 429)).toBe(20 - identity.attempts.requests + 1);
  });
});

describe("emails", () => {
  it("are limited exactly per mailbox, whoever asks, however it is spelled, with or without an account", async () => {
    for (const known of [true, false]) {
      const { MAIL, sent } = mailbox();
      const name = crypto.randomUUID();
      const email = `${name}@example.com`;
      if (known)
        await env.DB.prepare("INSERT INTO user (id, name, email, email_verified, created_at, updated_at) VALUES (?, 'A', ?, 1, 0, 0)")
          .bind(name, email)
          .run();
      const spellings = [email, email.toUpperCase(), `${name}+a@example.com`, `${name}+b@example.com`];
      const statuses = await inParallel(24, (n) => {
        const path = n % 3 === 0 ? "sign-up/email" : "request-password-reset";
        return browser({ MAIL })("POST", `/api/auth/${path}`, { email: spellings[n % 4], ...(n % 3 === 0 ? { name: "A" } : {}) });
      });
      expect([count(statuses, 200), count(statuses, 429)]).toEqual([identity.links.requests, 24 - identity.links.requests]);
      await vi.waitFor(() => expect(sent.length).toBeGreaterThan(0), { timeout: 60_000 });
      expect(sent.length).toBeLessThanOrEqual(identity.links.requests);
    }
  });

  it("are limited exactly per requesting address", async () => {
    const go = browser({ MAIL: mailbox().MAIL });
    const statuses = await inParallel(24, () => go("POST", "/api/auth/request-password-reset", { email: freshEmail() }));
    expect([count(statuses, 200), count(statuses, 429)]).toEqual([identity.mailRequests.requests, 24 - identity.mailRequests.requests]);
  });

  it("are left out beyond a day's limit if nobody asked for them", async () => {
    const { MAIL, sent } = mailbox();
    const notice = { kind: "connection_stopped", to: freshEmail(), subject: "Conexão parada: Loja da Ana", text: "Text" } as const;
    const lines = vi.spyOn(console, "log");
    for (let n = 0; n < identity.notices.requests + 3; n += 1) await sendNotice({ ...env, MAIL } as Env, notice);
    expect(sent).toHaveLength(identity.notices.requests);
    // The log names neither the connection nor the address.
    const line = JSON.stringify({ event: "mail.left_out", kind: "connection_stopped" });
    expect(lines.mock.calls.filter(([text]) => String(text).includes("left_out"))).toEqual([[line], [line], [line]]);
    lines.mockRestore();
  });

  it("are counted by mailbox", () => {
    const named = (email: string) => mailboxGuardName(new TextEncoder().encode("secret"), email);
    expect(named("A.na+x@GoogleMail.com ")).toBe(named("ana@gmail.com"));
    expect(named("a.na@example.com")).not.toBe(named("ana@example.com"));
  });
});

it("one client address can sign up 20 addresses a day, however slowly it does so", async () => {
  vi.useFakeTimers({ now: Date.UTC(2035, 0, 1), toFake: ["Date"] });
  try {
    const { MAIL } = mailbox();
    const go = browser({ MAIL });
    const signUp = (asked = go) => asked("POST", "/api/auth/sign-up/email", { email: freshEmail(), name: "Ana" });
    const statuses: number[] = [];
    for (let n = 0; n < 24; n += 1) {
      statuses.push((await signUp()).status);
      vi.setSystemTime(Date.now() + 10 * MINUTE_MS);
    }
    expect([count(statuses, 200), count(statuses, 429)]).toEqual([identity.signUps.requests, 4]);
    expect((await signUp(browser({ MAIL }))).status, "other client addresses still can").toBe(200);
    expect(
      (await go("POST", "/api/auth/request-password-reset", { email: freshEmail() })).status,
      "password links can still be requested",
    ).toBe(200);
    vi.setSystemTime(Date.now() + DAY_MS);
    expect((await signUp()).status).toBe(200);
  } finally {
    vi.useRealTimers();
  }
});

it("all routes of the identity provider share one limit per address", async () => {
  const go = browser();
  const statuses = await inParallel(identity.requests.requests + 30, (n) =>
    go("GET", n % 2 === 0 ? "/api/auth/get-session" : "/api/auth/jwks"),
  );
  expect([count(statuses, 200), count(statuses, 429)]).toEqual([identity.requests.requests, 30]);
});
