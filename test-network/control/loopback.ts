import type { IncomingHttpHeaders } from "node:http";

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Web pages can reach loopback too, by DNS rebinding or cross-origin posts. Host and Origin headers reveal both. */
export function isLoopbackRequest({ host, origin }: IncomingHttpHeaders): boolean {
  return isLoopbackUrl(`http://${host ?? ""}`) && (origin === undefined || isLoopbackUrl(origin));
}

function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && LOOPBACK.has(new URL(url).hostname);
}
