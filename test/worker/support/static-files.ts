// A deployment's static files that the worker itself requests: documents generated at build time.
import type { Env } from "#root/src/env.ts";
import { PREPARED_FOLDER } from "#root/src/http/openapi/prepared.ts";

let documents: Promise<Readonly<Record<string, string>>> | undefined;

export const STATIC_FILES = {
  fetch: async (asked: Request | URL) => {
    const { pathname } = new URL(asked instanceof Request ? asked.url : asked);
    const folder = `/${PREPARED_FOLDER}/`;
    if (!pathname.startsWith(folder)) return new Response(null, { status: 404 });
    documents ??= import("#root/src/docs/write.ts").then(({ documentFiles }) => documentFiles());
    const content = (await documents)[pathname.slice(folder.length)];
    return content === undefined ? new Response(null, { status: 404 }) : new Response(content);
  },
} as unknown as NonNullable<Env["ASSETS"]>;
