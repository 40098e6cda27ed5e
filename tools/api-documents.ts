// The OpenAPI documents of both APIs, made from the route tables. Those import workerd's modules, which Node lacks: esbuild replaces them.
import { build } from "esbuild";
import type { OpenApi } from "@gateway/codegen/document.ts";

const ENTRY = `
export { connectionDocument } from "#root/src/api/docs/connection/document.ts";
export { accountDocument } from "#root/src/api/docs/account/document.ts";
export { FAMILIES } from "#root/src/api/account/routes.ts";
`;
/** Stands for any class or function of workerd; the documents call none. */
const WORKERD = "module.exports = new Proxy({}, { get: () => class {} });";

type Documents = {
  connectionDocument: (url: string) => OpenApi;
  accountDocument: (url: string, families: unknown) => OpenApi;
  FAMILIES: unknown;
};

export async function apiDocuments(): Promise<{ connection: OpenApi; account: OpenApi }> {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: new URL("..", import.meta.url).pathname },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    logLevel: "error",
    plugins: [
      {
        name: "without-workerd",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: "workerd" }));
          onLoad({ filter: /./, namespace: "workerd" }, () => ({ contents: WORKERD, loader: "js" }));
        },
      },
    ],
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  const made = (await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`)) as Documents;
  return {
    connection: made.connectionDocument("https://app.example.com"),
    account: made.accountDocument("https://api.example.com", made.FAMILIES),
  };
}
