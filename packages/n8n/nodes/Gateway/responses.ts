// Turns a response into items, and a failure into an error that says how to fix it.
import {
  type IDataObject,
  type IExecuteSingleFunctions,
  type IN8nHttpFullResponse,
  type INodeExecutionData,
  type JsonObject,
  type IN8nRequestOperationPaginationGeneric,
  NodeApiError,
} from "n8n-workflow";

type Failure = { code?: string; message?: string; details?: unknown };

const OUTCOME_UNKNOWN =
  "WhatsApp did not confirm the message in time, so it may have been sent. Do not send it again by hand: look for the event message.sent or message.failed, or get the message by its ID. Retry on Fail is safe, because the gateway returns this result again and sends nothing.";

const NEXT_QUERY = "={{ Object.assign({}, $request.qs, $response.body?.next_cursor ? { cursor: $response.body.next_cursor } : {}) }}";

/** The "Return All" option. Its type does not allow an expression for the whole query, so this asserts the type. */
export const PAGES: IN8nRequestOperationPaginationGeneric = {
  type: "generic",
  properties: {
    continue: "={{ !!$response.body.next_cursor }}",
    request: { qs: NEXT_QUERY as unknown as IDataObject },
  },
};

export async function read(
  this: IExecuteSingleFunctions,
  _items: INodeExecutionData[],
  response: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
  const { statusCode, body } = response;
  if (statusCode >= 400) throw failed(this, statusCode, body, response.headers);
  return itemsOf(body).map((json) => ({ json, pairedItem: { item: this.getItemIndex() } }));
}

/** Returns the list or record in `data`. Anything else, such as per-participant results, stays unchanged. */
function itemsOf(body: unknown): IDataObject[] {
  if (typeof body !== "object" || body === null) return [{}];
  const { data, ...rest } = body as IDataObject;
  const isAlone = Object.keys(rest).every((name) => name === "next_cursor");
  if (!isAlone || typeof data !== "object" || data === null) return [body as IDataObject];
  return (Array.isArray(data) ? data : [data]).map((each) =>
    typeof each === "object" && each !== null ? (each as IDataObject) : { value: each as string },
  );
}

function failed(context: IExecuteSingleFunctions, status: number, body: unknown, headers: IDataObject): NodeApiError {
  const { code = "unknown", message, details }: Failure = (body as { error?: Failure } | null)?.error ?? {};
  const wait = headers["retry-after"];
  const hints = [
    `${code} (${status})`,
    ...(status === 424 ? [OUTCOME_UNKNOWN] : []),
    ...(wait === undefined ? [] : [`Wait ${String(wait)} seconds before the next attempt.`]),
    ...(details === undefined || details === null ? [] : [JSON.stringify(details)]),
  ];
  return new NodeApiError(context.getNode(), (typeof body === "object" && body !== null ? body : {}) as JsonObject, {
    message: message ?? `The gateway answered with ${status}`,
    description: hints.join(" "),
    httpCode: String(status),
    itemIndex: context.getItemIndex(),
  });
}
