// Sends email through the operator's SMTP server.
import { createTransport } from "nodemailer";
import type { Deliver } from "./mail-service.ts";

/** Shorter than the time that the worker waits for the MAIL binding. */
const TIMEOUT_MS = 10_000;

/** `smtp://` upgrades to TLS before sending anything, except to a server on this machine. `smtps://` starts with TLS. */
export function smtpDelivery(address: string): Deliver {
  const url = new URL(address);
  const isSecure = url.protocol === "smtps:";
  const transport = createTransport({
    // URLs write IPv6 addresses in brackets.
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (isSecure ? 465 : 587),
    secure: isSecure,
    requireTLS: !isLoopback(url.hostname),
    ...(url.username === "" ? {} : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // Without this setting, a message could make this process read files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async (mail) => (await transport.sendMail(mail)).messageId;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}
