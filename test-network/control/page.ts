// Serves the phones' page. The dashboard's workspace builds it on first request and after changes.
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

/** A file of the page with the dashboard's headers; null when missing. Rejects when the build fails. */
export async function pageFile(path: string): Promise<Response | null> {
  const folder = await built();
  const file = path === "/" ? "/index.html" : path;
  const bytes = await readFile(join(folder, file)).catch(() => null);
  if (bytes === null) return null;
  const type = TYPES[extname(file)] ?? "application/octet-stream";
  const kept = file.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
  return new Response(bytes, { headers: { ...(await headersOf(folder)), "content-type": type, "cache-control": kept } });
}

function built(): Promise<string> {
  building ??= (import(BUILD) as Promise<{ builtPhones: () => Promise<string> }>)
    .then(({ builtPhones }) => builtPhones())
    .finally(() => {
      building = undefined;
    });
  return building;
}

async function headersOf(folder: string): Promise<Record<string, string>> {
  const [, ofAll = ""] = /^\/\*\n((?: .*\n?)*)/m.exec(await readFile(join(folder, "_headers"), "utf8")) ?? [];
  const pairs = [...ofAll.matchAll(/^\s+([\w-]+): (.*)$/gm)].map(([, name = "", value = ""]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(pairs.filter(([name]) => name !== "strict-transport-security"));
}
