import type { OpenApiDocument, Operation, Parameter } from "./shape.ts";

export type ExampleRequest = {
  operationId: string;
  method: string;
  path: string;
  body: unknown;
  /** The failure that the example shows, or null if it succeeds. */
  answers: string | null;
};

export function exampleRequests(document: OpenApiDocument): ExampleRequest[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => exampleRequest(method, path, operation)),
  );
}

export function exampleRequest(method: string, path: string, operation: Operation): ExampleRequest {
  const parameters = operation.parameters ?? [];
  const filled = parameters
    .filter((parameter) => parameter.in === "path")
    .reduce((text, parameter) => text.replace(`{${parameter.name}}`, encoded(valueOf(parameter))), path);
  const query = parameters
    .filter((parameter) => parameter.in === "query" && parameter.example !== undefined)
    .map((parameter) => `${parameter.name}=${encoded(parameter.example)}`)
    .join("&");
  return {
    operationId: operation.operationId,
    method: method.toUpperCase(),
    path: query === "" ? filled : `${filled}?${query}`,
    body: operation.requestBody?.content["application/json"]?.example,
    answers: operation["x-example-answers"] ?? null,
  };
}

export function credentialOf({ security }: Operation): string | null {
  if (security === undefined) return "X-Api-Key: $API_KEY";
  return security.length === 0 ? null : "Authorization: Bearer $ACCESS_TOKEN";
}

export function curlOf({ method, path, body }: ExampleRequest, server: string, credential: string | null): string {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}'${server}${path}'`];
  if (credential !== null) lines.push(`-H "${credential}"`);
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "\\u0027")}'`);
  return lines.join(" \\\n  ");
}

function valueOf({ example, schema }: Parameter): unknown {
  return example ?? schema?.example ?? "";
}

function encoded(value: unknown): string {
  return encodeURIComponent(String(value)).replaceAll("%40", "@");
}
