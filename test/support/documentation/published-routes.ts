// An API's routes as its committed document lists them (`npm run openapi`).
import { readFileSync } from "node:fs";

/** `path` has no prefix. `status` is the success status. */
export type PublishedRoute = { method: string; path: string; status: number };

type Operations = Readonly<Record<string, { responses: object }>>;

export function publishedRoutes(api: "account" | "connection", prefix: string): PublishedRoute[] {
  const text = readFileSync(new URL(`../../../docs/openapi/${api}.json`, import.meta.url), "utf8");
  const { paths } = JSON.parse(text) as { paths: Readonly<Record<string, Operations>> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      path: path.slice(prefix.length),
      status: Math.min(...Object.keys(responses).map(Number)),
    })),
  );
}
