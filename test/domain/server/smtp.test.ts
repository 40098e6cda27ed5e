// Email through a real SMTP server on loopback, with TLS and authentication.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { Request } from "miniflare";
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { answerMail } from "#root/server/mail/mail-service.ts";
import { smtpDelivery } from "#root/server/mail/smtp.ts";
import { type CertificateAuthority, createAuthority, createTlsIdentity } from "#root/test-network/security/tls.ts";

const MAIL = {
  from: "gateway@example.com",
  to: "ana@example.com",
  subject: "Olá, Ana",
  text: "Link: https://example.com/set-password?token=1",
};
const trusted = getCACertificates("default");
const open: SMTPServer[] = [];

let authority: CertificateAuthority;
beforeAll(async () => {
  authority = await createAuthority();
  setDefaultCACertificates([...trusted, authority.caPem]);
});
afterEach(async () => {
  for (const server of open.splice(0)) await new Promise<void>((resolve) => server.close(resolve));
});
afterAll(() => setDefaultCACertificates(trusted));

type Accepted = { user: unknown; isSecure: boolean; from: string; to: string[]; message: string };

async function mailServer(options: SMTPServerOptions, signedBy = authority): Promise<{ port: number; accepted: Accepted[] }> {
  const { keyPem, certPem } = await createTlsIdentity(signedBy, "127.0.0.1");
  const accepted: Accepted[] = [];
  const server = new SMTPServer({
    key: keyPem,
    cert: certPem,
    onAuth: ({ username, password }, _session, done) =>
      username === "gate@way" && password === "p/ss%" ? done(null, { user: username }) : done(new Error("wrong")),
    onRcptTo: ({ address }, _session, done) => done(address.startsWith("nobody") ? new Error("no such mailbox") : null),
    onData(stream, session: SMTPServerSession, done) {
      const { mailFrom, rcptTo } = session.envelope;
      const from = mailFrom === false ? "" : mailFrom.address;
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const message = Buffer.concat(chunks).toString();
        accepted.push({ user: session.user, isSecure: session.secure, from, to: rcptTo.map(({ address }) => address), message });
        done();
      });
    },
    ...options,
  });
  // Clients that reject the certificate break the connection.
  server.on("error", () => undefined);
  open.push(server);
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  return { port: (server.server.address() as AddressInfo).port, accepted };
}

const LOGIN = "gate%40way:p%2Fss%25";

it.each([
  ["smtps", { secure: true }],
  ["smtp", { secure: false }],
])("%s delivers over TLS, with authentication", async (scheme, options) => {
  const { port, accepted } = await mailServer(options);
  const id = await smtpDelivery(`${scheme}://${LOGIN}@127.0.0.1:${port}`)(MAIL);
  expect(id).toMatch(/^<.+>$/);
  expect(accepted).toMatchObject([{ user: "gate@way", isSecure: true, from: MAIL.from, to: [MAIL.to] }]);
  expect(accepted[0]?.message).toContain(`Subject: =?UTF-8?Q?Ol=C3=A1=2C_Ana?=`);
  expect(accepted[0]?.message).toContain("set-password");
});

it("mail to another machine is not sent without TLS", async () => {
  const { port, accepted } = await mailServer({ disabledCommands: ["STARTTLS"], allowInsecureAuth: true, authOptional: true });
  // This spelling of the loopback address does not count as this machine.
  await expect(smtpDelivery(`smtp://[::ffff:127.0.0.1]:${port}`)(MAIL)).rejects.toMatchObject({ code: "ETLS" });
  expect(accepted).toEqual([]);
  await smtpDelivery(`smtp://127.0.0.1:${port}`)(MAIL);
  expect(accepted).toMatchObject([{ isSecure: false }]);
});

it("a certificate that no known authority signed is refused", async () => {
  const { port, accepted } = await mailServer({ secure: true }, await createAuthority());
  await expect(smtpDelivery(`smtps://${LOGIN}@127.0.0.1:${port}`)(MAIL)).rejects.toThrow("unable to verify");
  expect(accepted).toEqual([]);
});

it("refusals are reported with their code and without the password", async () => {
  const { port } = await mailServer({ secure: true });
  const problemOf = async (login: string, mail = MAIL) => {
    const answer = answerMail(smtpDelivery(`smtps://${login}@127.0.0.1:${port}`));
    const response = await answer(new Request("http://host/", { method: "POST", body: JSON.stringify(mail) }));
    return ((await response.json()) as { problem: string }).problem;
  };
  const wrong = await problemOf("gate%40way:secret-password");
  expect(wrong).toMatch(/^EAUTH, /);
  expect(wrong).not.toContain("secret-password");
  expect(await problemOf(LOGIN, { ...MAIL, to: "nobody@example.com" })).toMatch(/^EENVELOPE, .*no such mailbox/);
});

it("a server that is away is reported", async () => {
  const { port } = await mailServer({});
  for (const server of open.splice(0)) await new Promise<void>((resolve) => server.close(resolve));
  await expect(smtpDelivery(`smtp://127.0.0.1:${port}`)(MAIL)).rejects.toMatchObject({ code: "ESOCKET" });
});
