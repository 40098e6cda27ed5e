// The parts of n8n's contexts that the nodes use: parameters, static data, credentials and requests.

export type Fields = Record<string, unknown>;
type Request = {
  method?: string;
  baseURL?: string;
  url: string;
  qs?: Fields;
  body?: unknown;
  headers?: Record<string, string>;
  returnFullResponse?: boolean;
  ignoreHttpStatusErrors?: boolean;
};
export type Credentials = { baseUrl: string; apiKey: string };
export type Http = (request: Request) => Promise<{ statusCode: number; headers: Fields; body: unknown }>;

/** n8n's request function with the node's credential. Throws if the connection is cut. */
export function httpWith({ apiKey }: Credentials): Http {
  return async ({ method = "GET", baseURL = "", url, qs = {}, body, headers = {} }) => {
    const query = new URLSearchParams(Object.entries(qs).map(([name, value]): [string, string] => [name, String(value)])).toString();
    const hasBody = method !== "GET" && typeof body === "object" && body !== null && Object.keys(body).length > 0;
    const answer = await fetch(`${baseURL}${url}${query === "" ? "" : `?${query}`}`, {
      method,
      headers: { ...headers, "x-api-key": apiKey, ...(hasBody ? { "content-type": "application/json" } : {}) },
      ...(hasBody ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    return {
      statusCode: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: text === "" ? null : (JSON.parse(text) as unknown),
    };
  };
}

function valueOf(parameters: Fields, name: string, fallback: unknown, extract: boolean): unknown {
  const value = parameters[name] ?? fallback;
  return extract && typeof value === "object" && value !== null ? (value as { value: unknown }).value : value;
}

/** For the hooks of a trigger, and for the lists of both nodes. */
export function hookContext(parameters: Fields, data: Fields, credentials: Credentials, webhookUrl: string) {
  const http = httpWith(credentials);
  const read = (name: string, fallback?: unknown, options?: { extractValue?: boolean }) =>
    valueOf(parameters, name, fallback, options?.extractValue === true);
  return {
    getNode: () => ({ id: "node-1", name: "Gateway Trigger" }),
    getWorkflow: () => ({ id: "workflow-1" }),
    getWorkflowStaticData: () => data,
    getNodeWebhookUrl: () => webhookUrl,
    getNodeParameter: read,
    getCurrentNodeParameter: (name: string, options?: { extractValue?: boolean }) => read(name, undefined, options),
    getCredentials: async () => credentials,
    helpers: {
      httpRequestWithAuthentication: async (_type: string, request: Request) => {
        const answer = await http(request);
        if (answer.statusCode >= 400 && request.ignoreHttpStatusErrors !== true) throw new Error(`status ${answer.statusCode}`);
        return request.returnFullResponse === true ? answer : answer.body;
      },
    },
  };
}

export type Delivery = { body: string | Buffer; headers: Record<string, string | undefined> };

/** For one delivery to a trigger. `status`: set if the trigger responded by itself. */
export function webhookContext(parameters: Fields, data: Fields, { body, headers }: Delivery) {
  const answered: { status: number | null } = { status: null };
  const request = {
    headers,
    rawBody: undefined as Buffer | undefined,
    readRawBody: async () => {
      request.rawBody = Buffer.from(body);
    },
  };
  const response = {
    status: (status: number) => {
      answered.status = status;
      return response;
    },
    end: () => response,
  };
  const context = {
    getRequestObject: () => request,
    getResponseObject: () => response,
    getWorkflowStaticData: () => data,
    getNodeParameter: (name: string, fallback?: unknown) => valueOf(parameters, name, fallback, false),
    helpers: { returnJsonArray: (json: Fields) => [{ json }] },
  };
  return { context, answered };
}
