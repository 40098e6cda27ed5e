import type { Failure } from "@gateway/protocol/failures.ts";
import type { AppContext } from "./app-env.ts";

/** Groups by path, so that a wrong method on `/messages/text` doesn't fall through to `/messages/{messageId}`. */
export function rowsByPath<R extends { path: string; method: string }>(
  routes: readonly R[],
): { path: string; methods: string; rows: R[] }[] {
  const byPath = Map.groupBy(literalFirst(routes), ({ path }) => path);
  return [...byPath].map(([path, rows]) => ({ path, methods: rows.map(({ method }) => method.toUpperCase()).join(", "), rows }));
}

export function wrongMethod(c: AppContext, methods: string): Failure {
  c.header("Allow", methods);
  return { code: "method_not_allowed", details: { method: methods } };
}

/** Literal segments take precedence, for example `/groups/join-info` over `/groups/{groupId}` (docs/use/apis.md, "Response format"). */
function literalFirst<R extends { path: string }>(routes: readonly R[]): R[] {
  const ranked = routes.map((route) => ({ route, rank: rankOf(route.path) }));
  return ranked.toSorted((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0)).map(({ route }) => route);
}

function rankOf(path: string): string {
  return path
    .split("/")
    .map((segment) => (segment.startsWith("{") ? "1" : "0"))
    .join("");
}
