// One route on the page: what it takes, what it answers, and how one asks.
import { credentialOf, curlOf, exampleRequest } from "../http/openapi/requests.ts";
import type { OpenApiDocument, Operation, Schema } from "../http/openapi/shape.ts";
import { fieldTable, rowTable, typeOf } from "./fields.ts";
import { html, type Html } from "./html.ts";
import { inline } from "./markdown.ts";
import type { Words } from "./words.ts";

const JSON_TYPE = "application/json";

export type Shown = { document: OpenApiDocument; words: Words };

export function operationSection(method: string, path: string, operation: Operation, shown: Shown): Html {
  const { document, words } = shown;
  const isOpen = operation.security?.length === 0;
  return html`<details
    class="operation"
    id="${operation.operationId}"
    data-find="${`${method} ${path} ${operation.summary}`.toLowerCase()}"
  >
    <summary>
      <span class="method ${method}">${method.toUpperCase()}</span><code class="path">${path}</code
      ><span class="summary">${operation.summary}</span>${isOpen && html`<em>${words.open}</em>`}
    </summary>
    <div class="columns">
      <div>
        ${operation.description !== undefined && html`<p>${inline(operation.description)}</p>`}
        ${parameters(operation, shown)}${requestBody(operation, shown)}${errors(operation, document, words)}
      </div>
      <div class="examples">${request(method, path, operation, shown)}${answer(operation, shown)}</div>
    </div>
  </details>`;
}

function parameters(operation: Operation, { document, words }: Shown): Html | null {
  const rows = (operation.parameters ?? []).map(({ name, schema = {}, required, description }) => ({
    name,
    isRequired: required === true,
    schema: description === undefined ? schema : { ...schema, description },
  }));
  if (rows.length === 0) return null;
  return html`<h4>${words.parameters}</h4>
    ${rowTable(rows, document.components.schemas, words)}`;
}

function requestBody(operation: Operation, { document, words }: Shown): Html | null {
  const schema = operation.requestBody?.content[JSON_TYPE]?.schema;
  return schema === undefined
    ? null
    : html`<h4>${words.body}</h4>
        ${fieldTable(schema, document.components.schemas, words)}`;
}

function errors(operation: Operation, { components }: OpenApiDocument, words: Words): Html | null {
  const rows = Object.entries(operation.responses)
    .filter(([status]) => !status.startsWith("2"))
    .flatMap(([status, response]) => {
      const named = response.$ref === undefined ? response : components.responses[response.$ref.split("/").at(-1) ?? ""];
      return (named?.description ?? "").split("\n\n").map(
        (line) =>
          html`<tr>
            <td>${status}</td>
            <td>${inline(line)}</td>
          </tr>`,
      );
    });
  if (rows.length === 0) return null;
  return html`<details class="errors">
    <summary>${words.errors} (${rows.length})</summary>
    <table>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </details>`;
}

function request(method: string, path: string, operation: Operation, { document, words }: Shown): Html {
  const curl = curlOf(exampleRequest(method, path, operation), document.servers[0]?.url ?? "", credentialOf(operation));
  return html`<h4>${words.request}</h4>
    <pre data-lang="sh"><code>${curl}</code></pre>`;
}

function answer(operation: Operation, { document, words }: Shown): Html {
  const failure = operation["x-example-answers"];
  if (failure !== undefined) return html`<p class="aside">${words.answeredBy} <code>${failure}</code>.</p>`;
  const [status, response] = Object.entries(operation.responses).find(([code]) => code.startsWith("2")) ?? ["200", {}];
  const content = response.content?.[JSON_TYPE];
  if (content === undefined) return html`<h4>${words.answer} ${status}</h4>`;
  return html`<h4>
      ${words.answer} ${status} <span class="shape">${shapeOf(content.schema ?? {}, document.components.schemas, words)}</span>
    </h4>
    <pre data-lang="json"><code>${JSON.stringify(content.example, null, 2)}</code></pre>`;
}

/** `{ data: [Message], next_cursor }`, with links to the objects. */
function shapeOf(schema: Schema, schemas: Readonly<Record<string, Schema>>, words: Words): Html {
  if (schema.$ref !== undefined || schema.properties === undefined) return typeOf(schema, schemas, words);
  const fields = Object.entries(schema.properties).map(([name, field], index) => {
    const type = field.items === undefined ? field : field.items;
    const linked =
      type.$ref === undefined
        ? null
        : html`: ${field.items !== undefined && "["}${typeOf(type, schemas, words)}${field.items !== undefined && "]"}`;
    return html`${index > 0 && ", "}${name}${linked}`;
  });
  return html`{ ${fields} }`;
}
