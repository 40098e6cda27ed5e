// Email: sent as fields through the platform in production, stored in the sandbox, never with extra headers.
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { type Env, settingsOf } from "#root/src/env.ts";
import { mailStore, listMail } from "#root/src/sandbox/mail-store.ts";
import { sendMail } from "#root/src/services/mail/send.ts";
import { freshEmail } from "../support/people.ts";

/** Bindings with a test mailbox in place of the platform's. */
function mailbox() {
  const send = vi.fn<(message: unknown) => Promise<{ messageId: string }>>(async () => ({ messageId: "1" }));
  const bindings = { ...env, MAIL: { send } } as unknown as Env;
  return { send, bindings };
}

const LINES = "Linha um\nLinha dois: não é cabeçalho\r\n.\r\n";

describe("an email", () => {
  it("is passed as fields, with the deployment's sender and the text unchanged", async () => {
    const { send, bindings } = mailbox();
    await sendMail(bindings, { to: "ana@example.com", subject: "Olá, São Paulo 👋", text: LINES });
    const fields = { from: "gateway@example.com", to: "ana@example.com", subject: "Olá, São Paulo 👋", text: LINES };
    expect(send.mock.calls).toEqual([[{ ...fields, html: expect.stringContaining("Linha um<br>Linha dois") }]]);
  });

  it("has an HTML part under the product's name, each language marked, with no markup or link that a customer chose", async () => {
    const { send, bindings } = mailbox();
    const link = `${settingsOf(bindings).APP_URL}/connections/7?a=1&b=2`;
    const text = `A conexão <img src=x> parou.\nhttps://evil.example/\n${link}\n\n---\n\nIt stopped.`;
    await sendMail(bindings, { to: "ana@example.com", subject: "Loja <b>", text });
    const [[sent] = []] = send.mock.calls;
    const { html } = sent as { html: string };
    expect(html).toMatch(/Messaging Gateway.*<div lang="pt-BR".*A conexão &lt;img src=x&gt; parou.*<div lang="en"[^>]*><p>It stopped/s);
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([link.replace("&", "&amp;")]);
    expect(html).toContain("<title>Loja &lt;b&gt;</title>");
    expect(html).not.toContain("<img");
  });

  it.each([
    "Loja\r\nBcc: all@example.com",
    "Loja\nBcc: all@example.com",
    "Loja\u2028Bcc: all@example.com",
    "Loja\0\u0085\tBcc: all@example.com",
  ])("has one line of subject, whatever a customer calls things: %j", async (name) => {
    const { send, bindings } = mailbox();
    await sendMail(bindings, { to: "ana@example.com", subject: `Webhook desativado: ${name}\n`, text: "" });
    expect(send.mock.calls[0]?.[0]).toMatchObject({ subject: "Webhook desativado: Loja Bcc: all@example.com" });
  });

  it("is in a form that the platform's binding takes", async () => {
    await expect(sendMail(env as Env, { to: freshEmail(), subject: "Olá", text: LINES })).resolves.toBeUndefined();
  });

  it("fails when the platform does not take it", async () => {
    const { send, bindings } = mailbox();
    send.mockRejectedValueOnce(new Error("E_SENDER_NOT_VERIFIED"));
    await expect(sendMail(bindings, { to: "ana@example.com", subject: "a", text: "b" })).rejects.toThrow("E_SENDER_NOT_VERIFIED");
  });

  it("fails with an error that can be logged, because it does not contain the recipient", async () => {
    const { send, bindings } = mailbox();
    send.mockRejectedValueOnce(Object.assign(new Error("550 5.1.1 <ana@example.com> unknown"), { code: "EENVELOPE" }));
    const sending = sendMail(bindings, { to: "ana@example.com", subject: "a", text: "b" });
    await expect(sending).rejects.toThrow(/^EENVELOPE, 550 5.1.1 <…> unknown$/);
  });

  it("is stored unchanged in the sandbox", async () => {
    const to = freshEmail();
    await sendMail({ ...env, MAIL: mailStore(env.DB) } as Env, { to, subject: "Olá\n👋", text: LINES });
    expect((await listMail(env.DB)).filter((mail) => mail.to === to)).toEqual([
      { to, subject: "Olá 👋", text: LINES, sent_at: expect.any(String) },
    ]);
  });
});
