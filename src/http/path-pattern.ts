// Paths of the route tables are written as OpenAPI writes them: `/chats/{chatId}`.

export function honoPath(pattern: string): string {
  return pattern.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** Literal segments win over parameters (docs/apis.md, "Shapes"): `/groups/join-info` before `/groups/{groupId}`. */
export function literalFirst<R extends { path: string }>(routes: readonly R[]): R[] {
  const rank = (path: string) =>
    path
      .split("/")
      .map((segment) => (segment.startsWith("{") ? "1" : "0"))
      .join("");
  return routes.toSorted((a, b) => (rank(a.path) < rank(b.path) ? -1 : rank(a.path) > rank(b.path) ? 1 : 0));
}
