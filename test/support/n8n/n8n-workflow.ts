// Replaces n8n's own package, which only n8n itself and `npm run n8n:verify` have.

export const NodeConnectionTypes = { Main: "main" } as const;

type Options = { message?: string; description?: string; httpCode?: string; itemIndex?: number };

export class NodeOperationError extends Error {
  readonly description: string | undefined;

  constructor(_node: unknown, message: string, options: Options = {}) {
    super(message);
    this.description = options.description;
  }
}

export class NodeApiError extends Error {
  readonly description: string | undefined;
  readonly httpCode: string | undefined;

  constructor(_node: unknown, _response: unknown, options: Options = {}) {
    super(options.message ?? "unknown");
    this.description = options.description;
    this.httpCode = options.httpCode;
  }
}
