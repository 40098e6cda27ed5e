// The page of the phones. The dashboard's workspace builds it, when it is first asked for and after its sources changed; nothing of it is
// in a deployment.
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";

const BUILD = new URL("../../dashboard/build.mjs", import.meta.url).href;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

export const PAGE_FILES = /^\/(?:(?:index\.html|before\.js|favicon\.svg)|assets\/[\w.-]+)?$/;

let building: Promise<string> | undefined;

/** A file of the page, with the dashboard's own headers; null when there is none. Rejects when the page does not build. */
export async function pageFile(path: string): Promise<Response | null> {
  const folder = await built();
  const file = path === "/" ? "/index.html" : path;
  const bytes = await readFile(join(folder, file)).catch(() => null);
  if (bytes === null) return null;
  const type = TYPES[extname(file)] ?? "application/octet-stream";
  const kept = file.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
  return new Response(bytes, { headers: { ...(await headersOf(folder)), "content-type": type, "cache-control": kept } });
}

/** One build for all who ask at the same time. */
function built(): Promise<string> {
  building ??= (import(BUILD) as Promise<{ builtPhones: () => Promise<string> }>)
    .then(({ builtPhones }) => builtPhones())
    .finally(() => {
      building = undefined;
    });
  return building;
}

/** What `_headers` says of every file. Plain HTTP has no use for the one about HTTPS. */
async function headersOf(folder: string): Promise<Record<string, string>> {
  const [, ofAll = ""] = /^\/\*\n((?: .*\n?)*)/m.exec(await readFile(join(folder, "_headers"), "utf8")) ?? [];
  const pairs = [...ofAll.matchAll(/^\s+([\w-]+): (.*)$/gm)].map(([, name = "", value = ""]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(pairs.filter(([name]) => name !== "strict-transport-security"));
}
