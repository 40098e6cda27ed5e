// `npm run kit:verify` checks that other people's generators accept both documents. The first call of each API must compile and run.
// The guide's receiver in Go accepts what the command line forwards. Needs npm's registry, python3 and go.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signedHeaders } from "../packages/cli/src/forwarding/signing.ts";

const GENERATORS = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3", "openapi-snippet@0.14.0"];
const APIS = ["connection", "account"] as const;
const STRICT = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"];

/** A developer's first calls. `@ts-expect-error` fails the check if the types accept anything. */
const FIRST_CALLS = `
import createClient from "openapi-fetch";
import type { paths as AccountPaths } from "./account";
import type { paths as ConnectionPaths } from "./connection";

const connection = createClient<ConnectionPaths>({ baseUrl: "https://app.example.com" });
const sent = await connection.POST("/api/v1/messages/text", { body: { to: "5511900000002", text: "Olá!" } });
if (sent.error === undefined) sent.data.message_id satisfies string;
else sent.error.error.codigo satisfies string;
// @ts-expect-error A number is not a text.
await connection.POST("/api/v1/messages/text", { body: { to: "5511900000002", text: 5 } });

const account = createClient<AccountPaths>({ baseUrl: "https://app.example.com" });
const made = await account.POST("/api/instances", { body: { name: "Loja" } });
if (made.error !== undefined) throw new Error(made.error.error.code);
const params = { path: { instanceId: made.data.data.id } };
const also = await account.POST("/api/instances/{instanceId}/messages/text", { params, body: { to: "5511900000002", text: "Olá!" } });
if (also.error === undefined) also.data.data.message_id satisfies string;
`;

/** Writes the Python code that the generator makes for each operation. */
const SNIPPETS = `
const { getEndpointSnippets } = require("openapi-snippet");
const [, file, server] = process.argv;
const document = { ...require(file), servers: [{ url: server }] };
const codes = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.keys(verbs).map((verb) => [verb.toUpperCase() + " " + path, getEndpointSnippets(document, path, verb, ["python_python3"]).snippets[0].content]));
process.stdout.write(JSON.stringify(codes));
`;

/** Reads deliveries from standard input, and prints how many of them the guide's function accepts. */
const GO_MAIN = `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"
)

func main() {
	var deliveries []struct {
		Headers map[string]string
		Body, Secret string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&deliveries); err != nil {
		panic(err)
	}
	accepted := 0
	for _, each := range deliveries {
		headers := http.Header{}
		for name, value := range each.Headers {
			headers.Set(name, value)
		}
		if isGenuine(headers, []byte(each.Body), each.Secret, time.Now()) {
			accepted++
		}
	}
	fmt.Print(accepted)
}
`;

const folder = mkdtempSync(join(tmpdir(), "kit-verify-"));
const run = (command: string, args: readonly string[]): string =>
  execFileSync(command, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 64 * 1024 * 1024 });
const document = (api: string): string => join(import.meta.dirname, "..", "docs", "openapi", `${api}.json`);

try {
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", ...GENERATORS]);
  compileTypes();
  for (const api of APIS) await runPython(api);
  runGo();
} finally {
  rmSync(folder, { recursive: true });
}

function compileTypes(): void {
  for (const api of APIS) run(process.execPath, ["node_modules/openapi-typescript/bin/cli.js", document(api), "-o", `${api}.ts`]);
  writeFileSync(join(folder, "first-calls.ts"), FIRST_CALLS);
  run(process.execPath, ["node_modules/typescript/bin/tsc", ...STRICT, "first-calls.ts"]);
  const lines = APIS.map((api) => readFileSync(join(folder, `${api}.ts`), "utf8").split("\n").length);
  console.log(`openapi-typescript: ${lines.join(" + ")} lines, the first calls compile`);
}

/** Compiles the code of all operations, and runs the one that sends a text. */
async function runPython(api: (typeof APIS)[number]): Promise<void> {
  const seen: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { text } = JSON.parse(body) as { text?: unknown };
    seen.push(`${request.method} ${request.url} ${"x-api-key" in request.headers ? "with a key" : "without a key"}, text: ${typeof text}`);
    response.end("{}");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const codes = JSON.parse(run(process.execPath, ["-e", SNIPPETS, document(api), address])) as [string, string][];
  writeFileSync(join(folder, "codes.json"), JSON.stringify(codes));
  run("python3", ["-c", "import json\nfor name, code in json.load(open('codes.json', encoding='utf8')): compile(code, name, 'exec')"]);
  const [operation, code = ""] = codes.find(([name]) => name.startsWith("POST") && name.endsWith("/messages/text")) ?? [];
  const status = await new Promise((resolve) => {
    spawn("python3", ["-c", code], { stdio: ["ignore", "ignore", "inherit"] }).once("close", resolve);
  });
  server.close();
  const path = operation?.replace("POST ", "").replace("{instanceId}", "[^/]+") ?? "";
  const isRight = status === 0 && seen.length === 1 && new RegExp(`^POST ${path} with a key, text: string$`).test(seen[0] ?? "");
  if (!isRight) throw new Error(`the generated ${operation} of the ${api} API sent: ${JSON.stringify(seen)}, exit code ${String(status)}`);
  console.log(`openapi-snippet, Python: ${codes.length} operations of the ${api} API compile, ${operation} runs`);
}

/** The guide's Go code accepts each documented event as \`gateway listen\` posts it, and rejects every altered one. */
function runGo(): void {
  const ROOT = join(import.meta.dirname, "..");
  writeFileSync(join(folder, "go.mod"), "module receiver\n\ngo 1.21\n");
  writeFileSync(join(folder, "verify.go"), readFileSync(join(ROOT, "src/guides/snippets/connection/verify.go")));
  writeFileSync(join(folder, "main.go"), GO_MAIN);
  run("go", ["build", "-o", "receiver", "."]);
  const samples = JSON.parse(readFileSync(join(ROOT, "packages/cli/src/generated/samples.json"), "utf8")) as Record<string, object>;
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const deliveries = Object.entries(samples).map(([id, sample]) => {
    const body = JSON.stringify({ ...sample, id, extra: 'Olá 😀\u2028\u0000\\"' });
    return { headers: signedHeaders("connection", secret, { id, body }, Date.now()), body, secret };
  });
  const accepted = (given: typeof deliveries): number =>
    Number(execFileSync(join(folder, "receiver"), { input: JSON.stringify(given), encoding: "utf8" }));
  const counts = [accepted(deliveries), accepted(deliveries.map((each) => ({ ...each, body: `${each.body} ` })))];
  if (counts[0] !== deliveries.length || counts[1] !== 0)
    throw new Error(`Go accepted ${counts[0]} of ${deliveries.length}, altered: ${counts[1]}`);
  console.log(`the guide's Go accepts ${counts[0]} of ${deliveries.length} forwarded events, and 0 altered ones`);
}
