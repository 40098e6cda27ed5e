// Matches paths against OpenAPI patterns. Some paths fit several patterns, which Hono's fast router rejects.

type Node<T> = {
  literals: Map<string, Node<T>>;
  parameter: Node<T> | null;
  /** The value of the pattern that ends at this node. `names` contains the pattern's parameters in order. */
  end: { value: T; names: readonly string[] } | null;
};

type Found<T> = { value: T; params: Record<string, string> };

export class PathTable<T> {
  readonly #root: Node<T> = emptyNode();

  add(pattern: string, value: T): void {
    const names: string[] = [];
    let node = this.#root;
    for (const segment of segmentsOf(pattern)) {
      if (segment.startsWith("{")) {
        names.push(segment.slice(1, -1));
        node.parameter ??= emptyNode();
        node = node.parameter;
        continue;
      }
      const next = node.literals.get(segment) ?? emptyNode<T>();
      node.literals.set(segment, next);
      node = next;
    }
    if (node.end !== null) throw new Error(`two patterns for the same paths: ${pattern}`);
    node.end = { value, names };
  }

  /** Literal segments take precedence over parameters (docs/use/apis.md, "Response format"). Parameters are non-empty and not decoded. */
  find(path: string): Found<T> | null {
    const values: string[] = [];
    const end = endOf(this.#root, segmentsOf(path), 0, values);
    if (end === null) return null;
    const params: Record<string, string> = {};
    for (const [at, name] of end.names.entries()) params[name] = values[at] ?? "";
    return { value: end.value, params };
  }
}

function endOf<T>(node: Node<T>, segments: readonly string[], at: number, values: string[]): Node<T>["end"] {
  const segment = segments[at];
  if (segment === undefined) return node.end;
  const literal = node.literals.get(segment);
  const found = literal === undefined ? null : endOf(literal, segments, at + 1, values);
  if (found !== null || node.parameter === null || segment === "") return found;
  values.push(segment);
  const ended = endOf(node.parameter, segments, at + 1, values);
  if (ended === null) values.pop();
  return ended;
}

function emptyNode<T>(): Node<T> {
  return { literals: new Map(), parameter: null, end: null };
}

function segmentsOf(path: string): string[] {
  return path.split("/").slice(1);
}
