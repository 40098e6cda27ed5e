// Schemas as people read them: a table of fields, a type in a few words.
import { resolved, type Schema } from "../http/openapi/shape.ts";
import { html, Html } from "./html.ts";
import { inline } from "./markdown.ts";
import type { Words } from "./words.ts";

type Schemas = Readonly<Record<string, Schema>>;

/** Deeper fields are shown in the object they belong to. */
const DEEPEST = 3;

type Row = { name: string; schema: Schema; isRequired: boolean };

/** A table of an object's fields, inner objects as `media.url`. */
export function fieldTable(schema: Schema, schemas: Schemas, words: Words): Html {
  return rowTable(rowsOf(schema, schemas, "", 1), schemas, words);
}

export function rowTable(rows: readonly Row[], schemas: Schemas, words: Words): Html {
  if (rows.length === 0) return html``;
  return html`<div class="scroll">
    <table class="fields">
      <thead>
        <tr>
          <th>${words.field}</th>
          <th>${words.meaning}</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ name, schema, isRequired }) =>
            html`<tr>
              <td>
                <code>${name}</code>${isRequired && html` <em>${words.required}</em>`}
                <div class="type">${typeOf(schema, schemas, words)}</div>
              </td>
              <td>${meaningOf(schema, schemas, words)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function rowsOf(given: Schema, schemas: Schemas, prefix: string, depth: number): Row[] {
  const schema = resolved(given, schemas);
  return Object.entries(propertiesOf(schema, schemas)).flatMap(([name, field]) => {
    const row = { name: prefix + name, schema: field, isRequired: schema.required?.includes(name) === true };
    const inner = innerObject(field);
    const mark = inner === field || inner?.anyOf !== undefined ? "." : "[].";
    return inner === null || depth === DEEPEST ? [row] : [row, ...rowsOf(inner, schemas, `${prefix}${name}${mark}`, depth + 1)];
  });
}

function propertiesOf(schema: Schema, schemas: Schemas): Readonly<Record<string, Schema>> {
  const parts = schema.allOf ?? [];
  return Object.assign({}, schema.properties, ...parts.map((part) => propertiesOf(resolved(part, schemas), schemas))) as Record<
    string,
    Schema
  >;
}

/** The object whose fields belong in the same table: one that has no name of its own. */
function innerObject(schema: Schema): Schema | null {
  if (schema.properties !== undefined) return schema;
  const { items } = schema;
  return items?.properties === undefined ? null : items;
}

/** `string`, `[Message]`, `digits | null`; objects with a name link to it. */
export function typeOf(schema: Schema, schemas: Schemas, words: Words): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  const options = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (options !== undefined) return joined(options.map((option) => typeOf(option, schemas, words)));
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined)
    return joined(schema.enum.map((value) => html`<code>${typeof value === "string" ? value : JSON.stringify(value)}</code>`));
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? ["any"]);
  const isList = types.includes("array") && schema.items !== undefined;
  const shown = types.map((type) =>
    type === "array" && isList ? html`${words.list} ${typeOf(schema.items ?? {}, schemas, words)}` : html`${type}`,
  );
  return joined(shown);
}

function joined(parts: readonly Html[]): Html {
  const seen = [...new Set(parts.map(({ text }) => text))];
  return new Html(seen.join(" | "));
}

function meaningOf(schema: Schema, schemas: Schemas, words: Words): Html {
  const { description, minimum, maximum, minLength, maxLength, minItems, maxItems, format } = { ...resolved(schema, schemas), ...schema };
  const rules = [
    range(minimum, maximum, ""),
    range(minLength === 0 ? undefined : minLength, maxLength, words.characters),
    range(minItems, maxItems, words.items),
    format === "date-time" ? "ISO 8601" : "",
    schema.default === undefined ? "" : `${words.byDefault} ${JSON.stringify(schema.default)}`,
  ].filter((rule) => rule !== "");
  const said = description === undefined || description === "" || description.endsWith(".") ? (description ?? "") : `${description}.`;
  return inline(`${said} ${rules.length === 0 ? "" : `${rules.join(", ")}.`}`.trim());
}

function range(from: number | undefined, to: number | undefined, of: string): string {
  // What JavaScript's own integers bound is no rule of ours.
  const [low, high] = [from === Number.MIN_SAFE_INTEGER ? undefined : from, to === Number.MAX_SAFE_INTEGER ? undefined : to];
  if (low === undefined && high === undefined) return "";
  const bounds = low === undefined ? `≤ ${high}` : high === undefined ? `≥ ${low}` : low === high ? `${low}` : `${low}–${high}`;
  return of === "" ? bounds : `${bounds} ${of}`;
}
