// `/llms.txt` contains the guides and routes of both APIs as plain English text, for language models.
import { credentialOf, curlOf, exampleRequest } from "../http/openapi/requests.ts";
import { type OpenApiDocument, type Operation, resolved } from "../http/openapi/shape.ts";

export function llmsText(documents: readonly { document: OpenApiDocument; href: string }[]): string {
  const intro = [
    "# Messaging gateway",
    "",
    "> HTTP API for a mobile messaging network: connect numbers, send and read messages, receive signed webhooks.",
    "",
    ...documents.map(({ document, href }) => `- [${document.info.title}, OpenAPI 3.1](${href})`),
    "",
  ];
  return [...intro, ...documents.map(({ document }) => surfaceText(document))].join("\n");
}

function surfaceText(document: OpenApiDocument): string {
  const routes = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  const families = document.tags
    .map((tag) => ({ tag, places: routes.filter(({ operation }) => operation.tags.includes(tag.name)) }))
    .filter(({ places }) => places.length > 0)
    .map(
      ({ tag, places }) =>
        `## ${tag["x-displayName"]}\n\n${tag.description}\n\n${places.map((each) => routeText(document, each)).join("\n\n")}`,
    );
  return `# ${document.info.title} (${document.servers[0]?.url ?? ""})\n\n${document.info.description}\n\n${families.join("\n\n")}\n`;
}

function routeText(document: OpenApiDocument, { method, path, operation }: { method: string; path: string; operation: Operation }): string {
  const curl = curlOf(exampleRequest(method, path, operation), document.servers[0]?.url ?? "", credentialOf(operation));
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === "query").map(({ name }) => name);
  const { properties = {}, required = [] } = resolved(
    operation.requestBody?.content["application/json"]?.schema ?? {},
    document.components.schemas,
  );
  const fields = Object.entries(properties);
  const lines = [`### ${method.toUpperCase()} ${path}`, "", operation.summary + "."];
  if (operation.description !== undefined) lines.push(operation.description);
  if (query.length > 0) lines.push(`Query: ${query.join(", ")}.`);
  if (fields.length > 0) lines.push(`Body: ${fields.map(([name]) => (required.includes(name) ? `${name} (required)` : name)).join(", ")}.`);
  return [...lines, "", "```sh", curl, "```"].join("\n");
}
