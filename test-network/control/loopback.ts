import type { IncomingHttpHeaders } from "node:http";

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Listening on loopback does not keep web pages out: a page can make its own name resolve to 127.0.0.1 (DNS rebinding) or
 * simply post across origins. Both show in the Host and Origin headers.
 */
export function isLoopbackRequest({ host, origin }: IncomingHttpHeaders): boolean {
  return isLoopbackUrl(`http://${host ?? ""}`) && (origin === undefined || isLoopbackUrl(origin));
}

function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && LOOPBACK.has(new URL(url).hostname);
}
