// Python types of schemas. A nested object needs a name, so it becomes a separate TypedDict beside the one that contains it.
import { refName, type Schema } from "../document.ts";

const PLAIN: Record<string, string> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
  array: "List[Any]",
};
const KEYWORDS = new Set([
  "from",
  "in",
  "is",
  "for",
  "class",
  "global",
  "import",
  "pass",
  "not",
  "and",
  "or",
  "as",
  "with",
  "del",
  "return",
]);

export function snakeCase(name: string): string {
  const snake = name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return KEYWORDS.has(snake) ? `${snake}_` : snake;
}

/** The definitions of one module, in the order of their first use. */
export class PythonTypes {
  readonly #definitions = new Map<string, string>();
  /** Prefix of references to schemas in another module, such as `t.`. */
  readonly #module: string;

  constructor(module = "") {
    this.#module = module;
  }

  text(): string {
    return [...this.#definitions.values()].join("\n\n");
  }

  alias(name: string, type: string): void {
    this.#definitions.set(name, `${name}: TypeAlias = ${JSON.stringify(type)}\n`);
  }

  /** Imports another module's type, which may be a base of a type in this module. */
  imported(name: string, from: string): void {
    this.#definitions.set(name, `${name} = ${from}\n`);
  }

  define(name: string, schema: Schema): void {
    const bases = (schema.allOf ?? []).flatMap(({ $ref }) => ($ref === undefined ? [] : [refName($ref)]));
    const parts = (schema.allOf ?? []).filter(({ $ref }) => $ref === undefined);
    const isObject = schema.properties !== undefined || parts.length > 0;
    if (isObject) this.#dictionary(name, [schema, ...parts], bases, schema.description);
    else this.alias(name, this.typeOf(schema, name));
  }

  typeOf(schema: Schema, name: string): string {
    if (schema.$ref !== undefined) return `${this.#module}${refName(schema.$ref)}`;
    if (schema.const !== undefined) return literal([schema.const]);
    if (schema.enum !== undefined) return literal(schema.enum);
    if (schema.properties !== undefined) return this.#nested(name, schema);
    const listed = schema.oneOf ?? schema.anyOf;
    if (listed !== undefined) return union(listed.map((part, at) => this.typeOf(part, `${name}${at === 0 ? "" : at + 1}`)));
    const types = Array.isArray(schema.type) ? schema.type : [schema.type];
    return union(types.map((type) => this.#simple(type, schema, name)));
  }

  #simple(type: string | undefined, schema: Schema, name: string): string {
    if (type === "array" && schema.items !== undefined) return `List[${this.typeOf(schema.items, `${name}Item`)}]`;
    if (type === "object")
      return `Dict[str, ${typeof schema.additionalProperties === "object" ? this.typeOf(schema.additionalProperties, `${name}Value`) : "Any"}]`;
    return PLAIN[type ?? ""] ?? "Any";
  }

  #nested(name: string, schema: Schema): string {
    this.#dictionary(name, [schema], [], schema.description);
    return schema.type?.includes("null") === true ? `Optional[${name}]` : name;
  }

  #dictionary(name: string, parts: readonly Schema[], bases: readonly string[], description: string | undefined): void {
    if (this.#definitions.has(name)) throw new Error(`two Python types would be ${name}`);
    // Reserves this definition's position before the positions of its fields.
    this.#definitions.set(name, "");
    const required = new Set(parts.flatMap((part) => part.required ?? []));
    // Alternatives that differ only in their required fields become one dictionary in which these fields are optional.
    const variants = parts.flatMap((part) => part.oneOf ?? part.anyOf ?? []);
    const properties = Object.assign({}, ...[...variants, ...parts].map((part) => part.properties ?? {})) as Record<string, Schema>;
    const fields = Object.entries(properties).map(([field, property]) => {
      const type = this.typeOf(property, `${name}${capitalized(field)}`);
      return { field, comment: comment(property.description), type: required.has(field) ? type : `NotRequired[${type}]` };
    });
    const plain = fields.every(({ field }) => !KEYWORDS.has(field));
    const lines = fields.map(({ field, comment: above, type }) =>
      plain ? `${above}    ${field}: ${type}\n` : `${above}    ${JSON.stringify(field)}: ${JSON.stringify(type)},\n`,
    );
    const text = plain
      ? `class ${name}(${bases.length > 0 ? bases.join(", ") : "TypedDict"}):\n${docstring(description, "    ")}${lines.join("") || (description === undefined ? "    pass\n" : "")}`
      : `${name} = TypedDict(${JSON.stringify(name)}, {\n${lines.join("")}})\n`;
    this.#definitions.set(name, text);
  }
}

/** `more` contains the lines that follow the first one. */
export function docstring(text: string | undefined, indent: string, more: readonly string[] = []): string {
  if (text === undefined || text === "") return "";
  const [first = "", ...rest] = [text, ...more].map((line) => oneLine(line).replaceAll("\\", "\\\\").replaceAll('"', "'"));
  const below = rest.map((line) => `${indent}${line}\n`).join("");
  return `${indent}"""${first}${below === "" ? "" : `\n\n${below}${indent}`}"""\n`;
}

function comment(text: string | undefined): string {
  return text === undefined || text === "" ? "" : `    # ${oneLine(text)}\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ");
}

function literal(values: readonly unknown[]): string {
  const texts = values
    .filter((value) => value !== null)
    .map((value) => (typeof value === "boolean" ? capitalized(String(value)) : JSON.stringify(value)));
  return union([...(texts.length === 0 ? [] : [`Literal[${texts.join(", ")}]`]), ...(values.includes(null) ? ["None"] : [])]);
}

function union(types: readonly string[]): string {
  const each = [...new Set(types)];
  const others = each.filter((type) => type !== "None");
  const one = others.length === 1 ? (others[0] ?? "Any") : `Union[${others.join(", ")}]`;
  if (others.length === 0) return "None";
  return others.includes("Any") ? "Any" : others.length === each.length ? one : `Optional[${one}]`;
}

/** Converts `instance_id` to `InstanceId`. */
function capitalized(text: string): string {
  return text
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
