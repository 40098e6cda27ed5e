// Serves the issuer on a local port, for a browser and a sandbox.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { TestIssuer } from "./issuer.ts";

export type IssuerServer = {
  issuer: TestIssuer;
  /** Settings of a sandbox whose users this issuer signs in. */ settings: Record<string, string>;
  close: () => Promise<void>;
};

/** `signsInFor`: sets the gateway's address once it is known. */
export async function startIssuer(name: string): Promise<IssuerServer & { signsInFor: (appUrl: string) => void }> {
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const headers = new Headers(Object.entries(request.headers).map(([header, value]) => [header, String(value)]));
      const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
      const answer = await issuer.handle(
        new Request(issuer.url + (request.url ?? ""), { method: request.method ?? "GET", headers, ...body }),
      );
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = new TestIssuer(url, { id: "dashboard", secret: "the dashboard's secret", redirectUri: "" });
  return {
    issuer,
    settings: {
      IDENTITY_ISSUER: url,
      IDENTITY_AUDIENCE: "gateway",
      IDENTITY_CLIENT_ID: "dashboard",
      IDENTITY_CLIENT_SECRET: "the dashboard's secret",
      IDENTITY_NAME: name,
    },
    signsInFor: (appUrl) => void (issuer.client = { ...issuer.client, redirectUri: `${appUrl}/api/dashboard/sign-in/callback` }),
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
